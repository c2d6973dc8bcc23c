#include "item_view.hpp"

#include <optional>
#include <ostream>

#include "to_json.hpp"
#include <radd/terminal_text.hpp>

namespace items {
namespace {

std::string name_or_dash(const std::optional<PersonName>& person) {
    return person ? radd::terminal_text(person->name) : "-";
}

/// A value of a difference in few words: the name of a state or a person, the key of an item.
std::string words(const std::optional<radd::JsonText>& value) {
    if (!value) return {};
    const auto parsed = radd::json::parse(value->text(), nullptr, false);
    if (parsed.is_null()) return "-";
    if (parsed.is_string()) return parsed.get<std::string>();
    for (const char* key : {"name", "key"}) {
        if (parsed.is_object() && parsed.contains(key)) return parsed[key].get<std::string>();
    }
    return value->text();
}

}  // namespace

std::string item_line(const Item& item) {
    return item.key + "  [" + radd::terminal_text(item.state.name) + "]  " +
           radd::terminal_text(item.title) + "  (" + name_or_dash(item.assignee) + ")";
}

std::string change_line(const radd::Change& change) {
    if (change.added)
        return change.field + ": +" + radd::terminal_text(change.added->text()) + " -" +
               radd::terminal_text(change.removed->text());
    if (!change.from && !change.to) return change.field + ": changed";
    return change.field + ": " + radd::terminal_text(words(change.from)) + " -> " +
           radd::terminal_text(words(change.to));
}

void print_item(std::ostream& out, const Item& item, const std::vector<Comment>& comments) {
    const auto safe = [](const std::string& text) { return radd::terminal_text(text); };
    out << item.key << "  " << safe(item.title) << '\n'
        << "type      " << safe(item.type) << '\n'
        << "state     " << safe(item.state.name) << " (" << name_of(item.state.category) << ")\n"
        << "priority  " << safe(item.priority.value_or("-")) << '\n'
        << "reporter  " << name_or_dash(item.reporter) << '\n'
        << "assignee  " << name_or_dash(item.assignee) << '\n'
        << "contact   " << (item.contact ? safe(item.contact->email) : "-") << '\n'
        << "parent    " << (item.parent ? item.parent->key : "-") << '\n'
        << "labels    ";
    for (const auto& label : item.labels) out << safe(label) << ' ';
    out << (item.labels.empty() ? "-\n" : "\n") << "created   " << time_text(item.created_at)
        << '\n'
        << "updated   " << time_text(item.updated_at) << '\n'
        << "resolved  " << (item.resolved_at ? time_text(*item.resolved_at) : "-") << '\n';
    if (!item.description.empty()) out << '\n' << radd::terminal_lines(item.description) << '\n';
    for (const auto& comment : comments)
        out << "\n#" << comment.id << "  " << name_or_dash(comment.author) << ", "
            << time_text(comment.created_at) << '\n'
            << radd::terminal_lines(comment.body) << '\n';
}

}  // namespace items
