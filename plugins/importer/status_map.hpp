#pragma once

/// Which of our three categories a foreign status belongs to.

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <items/service.hpp>

namespace importer {

/// Jira's own category, by its key (`new`, `indeterminate`, `done`) or its name (`To Do`, `In
/// Progress`, `Done`). Empty for any other.
[[nodiscard]] std::optional<items::Category> category_of_jira(std::string_view key);

/// Where there is none: Closed, Resolved and Done are done; Open, To Do, New, Backlog and Reopened
/// are to do, whatever the case; everything else is being done.
[[nodiscard]] items::Category category_by_name(std::string_view status);

/// The statuses of one file. A change log names statuses without their category, which is then
/// the one that an issue in the same file has for it.
class StatusMap {
public:
    /// Keeps the first category it is told.
    void learn(const std::string& status, std::optional<items::Category> category);

    [[nodiscard]] items::State state(const std::string& status) const;

    struct Entry {
        items::Category category;
        bool guessed;  ///< By its name, because no issue has a category for it.
    };
    [[nodiscard]] std::map<std::string, Entry> entries() const;

private:
    std::map<std::string, std::optional<items::Category>> known_;
};

}  // namespace importer
