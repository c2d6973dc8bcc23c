#pragma once

/// What an import reads from, whatever the file looks like.

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "jira_issue.hpp"
#include "report.hpp"

namespace importer {

/// Fields that a file says something about. Of the others it says nothing, not even that they are
/// empty: they stay as they are here.
struct GivenFields {
    bool title = true;
    bool description = true;
    bool type = true;
    bool state = true;
    bool priority = true;
    bool reporter = true;
    bool assignee = true;
    bool labels = true;
    bool parent = true;
};

/// What is known of a file before the first of its issues is written.
struct Outline {
    Shared shared{};
    std::map<std::string, std::string> projects{};  ///< Their names by their keys.
    std::map<std::string, std::string> parents{};   ///< Ids of parents by ids of issues.
    std::int64_t issues_total = 0;                  ///< Rejected ones included.
    std::size_t issues_sound = 0;                   ///< Those that next() gives.
    Problems rejected{};
    Problems warnings{};
    GivenFields given{};
};

/// Issues of one file, read as often as wanted and never all at once.
class IssueSource {
public:
    IssueSource() = default;
    IssueSource(const IssueSource&) = delete;
    IssueSource& operator=(const IssueSource&) = delete;
    virtual ~IssueSource() = default;

    [[nodiscard]] virtual const Outline& outline() const = 0;

    /// The next sound issues in the order of the file, `count_max` at most; none at its end.
    [[nodiscard]] virtual std::vector<Issue> next(std::size_t count_max) = 0;
};

/// Issues that are their own ancestor, by `parents`: all on the ring, and none of those that only
/// hang from it.
[[nodiscard]] std::set<std::string> ids_on_rings(const std::map<std::string, std::string>& parents);

}  // namespace importer
