#include "item_diff.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

namespace items {
namespace {

radd::json value(const std::string& text) {
    return text;
}
radd::json value(const std::optional<std::string>& text) {
    return text ? radd::json(*text) : radd::json();
}
radd::json value(const State& state) {
    return state_value(state);
}
radd::json value(const std::optional<PersonName>& person) {
    return person_value(person);
}
radd::json value(const std::optional<ItemName>& item) {
    return item ? radd::json{{"id", item->id}, {"key", item->key}} : radd::json();
}

/// What `whole` has and `part` lacks. Both are sorted.
std::vector<std::string> without(const std::vector<std::string>& whole,
                                 const std::vector<std::string>& part) {
    std::vector<std::string> rest;
    std::ranges::set_difference(whole, part, std::back_inserter(rest));
    return rest;
}

}  // namespace

radd::json state_value(const State& state) {
    return {{"name", state.name}, {"category", name_of(state.category)}};
}

radd::json person_value(const std::optional<PersonName>& person) {
    return person ? radd::json{{"id", person->id}, {"name", person->name}} : radd::json();
}

std::vector<radd::Change> diff(const Item& before, const Item& after) {
    std::vector<radd::Change> changes;
    const auto compare = [&](const char* field, const auto& from, const auto& to) {
        if (from != to) changes.push_back(radd::change(field, value(from), value(to)));
    };
    compare("title", before.title, after.title);
    compare("type", before.type, after.type);
    compare("state", before.state, after.state);
    compare("priority", before.priority, after.priority);
    compare("reporter", before.reporter, after.reporter);
    compare("assignee", before.assignee, after.assignee);
    compare("parent", before.parent, after.parent);
    if (before.labels != after.labels)
        changes.push_back(radd::list_change(
            "labels", without(after.labels, before.labels), without(before.labels, after.labels)));
    // A text of this size would not fit the event, and an address is nobody's business.
    if (before.description != after.description)
        changes.push_back(radd::hidden_change("description"));
    if (before.contact != after.contact) changes.push_back(radd::hidden_change("contact"));
    return changes;
}

}  // namespace items
