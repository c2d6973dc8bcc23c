#pragma once

/// One issue of a Jira export, read and checked, before it is written anywhere.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jira_time.hpp"
#include "report.hpp"
#include "status_map.hpp"
#include <radd/json_text.hpp>

namespace importer {

/// A user by Jira's own id (`accountId`, else `key`, else `name`), compared byte by byte: `u1` and
/// `U1` are two people.
struct User {
    std::string id;
    std::string name;
    std::optional<std::string> email{};
    /// Whether that is all that is to know of them. If not, who is here already stays as they are.
    bool is_complete = true;
};

/// The id under which everybody stands whom the file mentions but does not describe: deleted and
/// anonymous users. Never the person who runs the import.
inline constexpr const char* unknown_user = "(unknown)";
inline constexpr const char* unknown_name = "Unknown person";

/// What several issues share.
struct Shared {
    std::map<std::string, User> users{};  ///< By id.
    StatusMap statuses{};
};

struct FieldChange {
    std::string field;  ///< Jira's name for it.
    std::string from_id{};
    std::string from{};
    std::string to_id{};
    std::string to{};
};

struct HistoryEntry {
    std::string id;
    std::string author;  ///< Id of a user.
    radd::Timestamp at;
    std::vector<FieldChange> changes{};
};

struct IssueComment {
    std::string id;
    std::string author;
    radd::Timestamp at;
    std::string body;
    bool has_own_id = true;  ///< Otherwise the id is put together from the rest.
};

struct ParentRef {
    std::string id;
    std::string key;
};

struct Issue {
    std::string id;
    std::string key;  ///< Empty: it has none, and gets the project's next number.
    std::string project_key;
    std::int64_t number = 0;  ///< 0: as above.
    std::int64_t line = 0;    ///< Of the file; 0: it has none that mean anything.
    std::string project_name{};
    std::string title{};
    std::string description{};
    std::string type{};
    std::string status{};  ///< Empty: the file gives none.
    std::optional<std::string> priority{};
    std::optional<std::string> reporter{};  ///< Id of a user. Empty: nobody.
    std::optional<std::string> assignee{};
    std::optional<std::string> creator{};
    std::vector<std::string> labels{};
    std::optional<ParentRef> parent{};
    radd::Timestamp created{};
    radd::Timestamp updated{};
    std::optional<radd::Timestamp> resolved{};
    std::vector<HistoryEntry> history{};  ///< As in the file, which may have the newest first.
    std::vector<IssueComment> comments{};
};

/// "OPS-12" → {"OPS", 12}. @throws radd::InvalidInput naming "key" if it is no key.
void read_key(const std::string& key, Issue& issue);

/// Reads one element of `issues`. Users and statuses it mentions are added to `shared`; what could
/// not be taken over as it is, is added to `warnings`.
///
/// @throws radd::InvalidInput naming the field if the issue as a whole cannot be imported: no key,
///         a value of another type, text that no database holds, no readable time of creation.
[[nodiscard]] Issue parse_issue(const radd::json& document,
                                const Zone& zone,
                                Shared& shared,
                                std::vector<Problem>& warnings);

/// The issue's key as far as it can be read, for the report.
[[nodiscard]] std::string key_for_report(const radd::json& document, std::size_t position);

}  // namespace importer
