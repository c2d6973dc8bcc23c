#include "item_view.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <optional>
#include <ostream>

#include "item_diff.hpp"
#include <radd/terminal_text.hpp>

namespace items {
namespace {

radd::json optional_json(const std::optional<std::string>& text) {
    return text ? radd::json(*text) : radd::json();
}

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

std::string time_text(radd::Timestamp at) {
    namespace chrono = std::chrono;
    const auto day = chrono::floor<chrono::days>(at);
    const chrono::year_month_day date{day};
    const chrono::hh_mm_ss time{at - day};
    std::array<char, 64> text{};
    const int size = std::snprintf(text.data(),
                                   text.size(),
                                   "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ",
                                   static_cast<int>(date.year()),
                                   static_cast<unsigned>(date.month()),
                                   static_cast<unsigned>(date.day()),
                                   static_cast<int>(time.hours().count()),
                                   static_cast<int>(time.minutes().count()),
                                   static_cast<int>(time.seconds().count()),
                                   static_cast<int>(time.subseconds().count()));
    return std::string(text.data(), static_cast<std::size_t>(size));
}

radd::json item_json(const Item& item) {
    return {{"id", item.id},
            {"key", item.key},
            {"project", item.project.key},
            {"type", item.type},
            {"title", item.title},
            {"description", item.description},
            {"state", state_value(item.state)},
            {"priority", optional_json(item.priority)},
            {"reporter", person_value(item.reporter)},
            {"assignee", person_value(item.assignee)},
            {"contact", item.contact ? radd::json(item.contact->email) : radd::json()},
            {"parent", item.parent ? radd::json(item.parent->key) : radd::json()},
            {"labels", item.labels},
            {"created_at", time_text(item.created_at)},
            {"updated_at", time_text(item.updated_at)},
            {"resolved_at",
             item.resolved_at ? radd::json(time_text(*item.resolved_at)) : radd::json()}};
}

radd::json comments_json(const std::vector<Comment>& comments) {
    auto list = radd::json::array();
    for (const auto& comment : comments)
        list.push_back({{"id", comment.id},
                        {"author", person_value(comment.author)},
                        {"body", comment.body},
                        {"created_at", time_text(comment.created_at)}});
    return list;
}

radd::json changes_json(const std::vector<radd::Change>& changes) {
    auto list = radd::json::array();
    for (const auto& change : changes) {
        radd::json entry{{"field", change.field}};
        const auto add = [&entry](const char* key, const std::optional<radd::JsonText>& value) {
            if (value) entry[key] = radd::json::parse(value->text());
        };
        add("from", change.from);
        add("to", change.to);
        add("added", change.added);
        add("removed", change.removed);
        list.push_back(std::move(entry));
    }
    return list;
}

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
