#pragma once

/// Writing what a file holds, so that a second run writes only what has changed since.

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "jira_file.hpp"
#include "past_changes.hpp"
#include "report.hpp"
#include <items/service.hpp>
#include <radd/transaction.hpp>

namespace importer {

/// One transaction holds this many issues: a commit for each would be slow, and one for all would
/// hold every lock to the end and lose everything to a failure in the last.
inline constexpr std::size_t chunk_issues = 50;

struct ImportOptions {
    std::string source = "jira";  ///< What foreign ids are unique in.
    bool dry_run = false;         ///< Do it all in one transaction and roll that back.
    /// Called after each chunk: issues done, issues in total.
    std::function<void(std::size_t done, std::size_t total)> progress = [](auto, auto) {};
    std::function<bool()> stop_requested = [] { return false; };
};

/// One import of one file.
///
/// First people, projects and states; then all issues, in chunks, each issue in a savepoint, so
/// that one that is refused takes nothing along; then parents, which may stand after their
/// children in the file. Whether anybody outside is told is the caller's radd::Quiet scope.
///
/// What a foreign system says happened becomes events at the time it happened, by who did it: an
/// issue's creation, each entry of its change log, each comment. Fields that differ without an
/// entry that says so become one more event, by nobody.
class Import {
public:
    Import(items::Directory& directory, const Export& file, ImportOptions options);

    /// @throws radd::Unavailable, radd::SqlError: the chunk at hand was rolled back, the earlier
    ///         ones stand, and a second run continues.
    [[nodiscard]] Report run(radd::Database& database);

private:
    using Work = std::function<void(radd::Transaction&)>;
    using Transactor = std::function<void(const Work&)>;

    /// An issue that is there: what the second pass needs to know about it.
    struct Imported {
        const Issue* issue;
        items::ItemId id;
        std::optional<items::ItemId> parent{};
        bool created = false;
        bool changed = false;
        std::vector<std::string> told{};  ///< Fields whose change the change log has told.
    };

    using PartWork = std::function<void(radd::Transaction&, Report&)>;

    void import_all(const Transactor& transact);
    /// Runs `work` in one transaction and counts what it did once that is committed.
    void transact_part(const Transactor& transact, const PartWork& work);
    void import_shared(radd::Transaction& tx, Report& part);
    void import_person(radd::Transaction& tx, const User& user, Report& part);
    void write_person(radd::Transaction& tx, const User& user, Report& part);
    void import_chunk(const Transactor& transact, std::size_t first, std::size_t count);
    void import_parents(const Transactor& transact, std::size_t first, std::size_t count);

    [[nodiscard]] Imported import_issue(radd::Transaction& tx, const Issue& issue, Report& part);
    [[nodiscard]] Imported create(radd::Transaction& tx, const Issue& issue, Report& part);
    [[nodiscard]] Imported update(radd::Transaction& tx,
                                  const Issue& issue,
                                  const items::Item& item,
                                  Report& part);
    void tell_history(radd::Transaction& tx, Imported& imported, Report& part);
    void tell_comment(radd::Transaction& tx,
                      Imported& imported,
                      const IssueComment& comment,
                      Report& part);
    void link(radd::Transaction& tx, const Imported& imported, Report& part);
    [[nodiscard]] std::optional<items::ItemId> parent_of(radd::Transaction& tx,
                                                         const Issue& issue,
                                                         Report& part);

    [[nodiscard]] std::optional<items::PersonId> person(const std::optional<std::string>& id) const;
    [[nodiscard]] radd::json person_value(const std::string& id, const std::string& name) const;
    [[nodiscard]] items::SourceId source_id(const std::string& id) const {
        return {.source = options_.source, .id = id};
    }

    items::Directory& directory_;
    const Export& file_;
    ImportOptions options_;
    Report report_;
    std::map<std::string, items::Person> people_;       // By foreign id.
    std::map<std::string, items::ProjectId> projects_;  // By key.
    std::set<std::string> rings_;                       // Foreign ids.
    std::vector<Imported> imported_;
};

/// Issues that are their own ancestor, by the parents that the file gives: all on the ring, and
/// none of those that only hang from it.
[[nodiscard]] std::set<std::string> ids_on_rings(const std::vector<Issue>& issues);

}  // namespace importer
