#include "to_json.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <optional>

#include "item_diff.hpp"

namespace items {
namespace {

radd::json optional_json(const std::optional<std::string>& text) {
    return text ? radd::json(*text) : radd::json();
}

radd::json contact_json(const std::optional<Contact>& contact) {
    if (!contact) return {};
    return {{"email", contact->email}, {"name", optional_json(contact->name)}};
}

radd::json name_json(const ItemName& item) {
    return {{"id", item.id}, {"key", item.key}};
}

std::string url(const char* kind, const std::string& id) {
    return std::string{"/"} + kind + '/' + id;
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

radd::json to_json(const Project& project) {
    return {{"id", project.id},
            {"key", project.key},
            {"name", project.name},
            {"url", url("projects", std::to_string(project.id))}};
}

radd::json to_json(const Person& person) {
    return {{"id", person.id},
            {"name", person.name},
            {"email", optional_json(person.email)},
            {"url", url("people", person.id)}};
}

radd::json to_json(const PersonName& person) {
    return person_value(person);
}

radd::json to_json(const State& state) {
    return state_value(state);
}

radd::json to_json(const Item& item) {
    return {
        {"id", item.id},
        {"key", item.key},
        {"project",
         {{"id", item.project.id}, {"key", item.project.key}, {"name", item.project.name}}},
        {"type", item.type},
        {"title", item.title},
        {"description", item.description},
        {"state", to_json(item.state)},
        {"priority", optional_json(item.priority)},
        {"reporter", person_value(item.reporter)},
        {"assignee", person_value(item.assignee)},
        {"contact", contact_json(item.contact)},
        {"parent", item.parent ? name_json(*item.parent) : radd::json()},
        {"labels", item.labels},
        {"created_at", time_text(item.created_at)},
        {"updated_at", time_text(item.updated_at)},
        {"resolved_at", item.resolved_at ? radd::json(time_text(*item.resolved_at)) : radd::json()},
        {"url", url("items", std::to_string(item.id))}};
}

radd::json to_json(const Comment& comment) {
    return {{"id", comment.id},
            {"item", name_json(comment.item)},
            {"author", person_value(comment.author)},
            {"body", comment.body},
            {"created_at", time_text(comment.created_at)},
            {"updated_at", time_text(comment.updated_at)},
            {"url", url("items", std::to_string(comment.item.id))}};
}

radd::json to_json(const std::vector<radd::Change>& changes) {
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

}  // namespace items
