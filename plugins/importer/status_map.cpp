#include "status_map.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace importer {
namespace {

constexpr std::array<std::string_view, 3> done_names{"closed", "done", "resolved"};
constexpr std::array<std::string_view, 5> todo_names{"backlog", "new", "open", "reopened", "to do"};

std::string lower(std::string_view text) {
    std::string result{text};
    std::ranges::transform(
        result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

}  // namespace

std::optional<items::Category> category_of_jira(std::string_view key) {
    const auto name = lower(key);
    if (name == "new" || name == "to do") return items::Category::todo;
    if (name == "indeterminate" || name == "in progress") return items::Category::doing;
    if (name == "done") return items::Category::done;
    return std::nullopt;
}

items::Category category_by_name(std::string_view status) {
    const auto name = lower(status);
    if (std::ranges::find(done_names, name) != done_names.end()) return items::Category::done;
    if (std::ranges::find(todo_names, name) != todo_names.end()) return items::Category::todo;
    return items::Category::doing;
}

void StatusMap::learn(const std::string& status, std::optional<items::Category> category) {
    auto& known = known_[status];
    if (!known) known = category;
}

items::State StatusMap::state(const std::string& status) const {
    const auto known = known_.find(status);
    const bool sure = known != known_.end() && known->second;
    return {.name = status, .category = sure ? *known->second : category_by_name(status)};
}

std::map<std::string, StatusMap::Entry> StatusMap::entries() const {
    std::map<std::string, Entry> entries;
    for (const auto& [status, category] : known_)
        entries.emplace(
            status,
            Entry{.category = category.value_or(category_by_name(status)), .guessed = !category});
    return entries;
}

}  // namespace importer
