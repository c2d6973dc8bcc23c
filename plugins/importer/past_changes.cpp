#include "past_changes.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

namespace importer {
namespace {

// What is called otherwise here. Everything else keeps its name.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> renamed{{
    {"issueparentassociation", "parent"},
    {"issuetype", "type"},
    {"status", "state"},
    {"summary", "title"},
}};

radd::json value_or_null(const std::string& text) {
    return text.empty() ? radd::json() : radd::json(text);
}

radd::json state_or_null(const StatusMap& statuses, const std::string& status) {
    if (status.empty()) return {};
    const auto state = statuses.state(status);
    return {{"name", state.name}, {"category", items::name_of(state.category)}};
}

/// Jira writes labels separated by spaces.
std::vector<std::string> sorted_words(const std::string& text) {
    std::istringstream in{text};
    std::vector<std::string> words{std::istream_iterator<std::string>{in}, {}};
    std::ranges::sort(words);
    return words;
}

radd::Change labels_change(const std::string& from, const std::string& to) {
    const auto before = sorted_words(from);
    const auto after = sorted_words(to);
    std::vector<std::string> added;
    std::vector<std::string> removed;
    std::ranges::set_difference(after, before, std::back_inserter(added));
    std::ranges::set_difference(before, after, std::back_inserter(removed));
    return radd::list_change("labels", added, removed);
}

radd::json key_or_null(const std::string& key) {
    return key.empty() ? radd::json() : radd::json{{"key", key}};
}

}  // namespace

std::string field_name(const std::string& jira_name) {
    std::string name = jira_name;
    std::ranges::transform(
        name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const auto& [theirs, ours] : renamed) {
        if (name == theirs) return std::string{ours};
    }
    return name;
}

bool names_people(const std::string& jira_name) {
    const auto field = field_name(jira_name);
    return field == "assignee" || field == "reporter";
}

std::vector<radd::Change> past_changes(const HistoryEntry& entry,
                                       const StatusMap& statuses,
                                       const PersonValue& person) {
    std::vector<radd::Change> changes;
    for (const auto& change : entry.changes) {
        const auto field = field_name(change.field);
        if (field == "description" || change.from.size() > value_bytes_max ||
            change.to.size() > value_bytes_max) {
            changes.push_back(radd::hidden_change(field));
        } else if (field == "state") {
            changes.push_back(radd::change(
                field, state_or_null(statuses, change.from), state_or_null(statuses, change.to)));
        } else if (names_people(change.field)) {
            changes.push_back(radd::change(
                field, person(change.from_id, change.from), person(change.to_id, change.to)));
        } else if (field == "labels") {
            changes.push_back(labels_change(change.from, change.to));
        } else if (field == "parent") {
            changes.push_back(
                radd::change(field, key_or_null(change.from), key_or_null(change.to)));
        } else {
            changes.push_back(
                radd::change(field, value_or_null(change.from), value_or_null(change.to)));
        }
    }
    return changes;
}

}  // namespace importer
