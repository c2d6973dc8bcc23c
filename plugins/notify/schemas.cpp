#include "schemas.hpp"

#include <string>
#include <vector>

namespace notify::schema {
namespace {

using radd::json;

json integer(const std::string& description = "") {
    return {{"type", "integer"}, {"description", description}};
}
json boolean(const std::string& description = "") {
    return {{"type", "boolean"}, {"description", description}};
}
json text(const std::string& description = "") {
    return {{"type", "string"}, {"description", description}};
}
json time(const std::string& description = "") {
    return {{"type", "string"}, {"format", "date-time"}, {"description", description}};
}
json nullable(json schema) {
    schema["type"] = json::array({schema.at("type"), "null"});
    return schema;
}
json list(const json& items) {
    return {{"type", "array"}, {"items", items}};
}

/// What is given has all of its fields, and may get more of them.
json given(const json& properties) {
    std::vector<std::string> names;
    for (const auto& [name, schema] : properties.items()) names.push_back(name);
    return {{"type", "object"}, {"properties", properties}, {"required", names}};
}

/// What is taken has no other fields, and needs none of them but `required`.
json taken(const json& properties, const std::vector<std::string>& required = {}) {
    return {{"type", "object"},
            {"properties", properties},
            {"required", required},
            {"additionalProperties", false},
            {"minProperties", 1}};
}

json ways() {
    return {{"inbox", boolean("In the inbox")},
            {"mail", boolean("A mail at once")},
            {"digest", boolean("In the daily digest, unless it was mailed")}};
}

json notice() {
    return given(
        {{"id", integer()},
         {"kind", text("As the preferences name it")},
         {"label", text("The kind, for people")},
         {"text", text("What has happened, for people")},
         {"item",
          given({{"id", integer()},
                 {"key", text()},
                 {"title", text()},
                 {"muted", boolean("The caller hears no more of it")}})},
         {"actor", nullable(given({{"id", text()}, {"name", nullable(text())}}))},
         {"automated", nullable(text("What caused it, if it was no person"))},
         {"excerpt", nullable(text("Of the comment, if it is about one"))},
         {"event_id", nullable(integer())},
         {"created_at", time()},
         {"read_at", nullable(time())},
         {"archived_at", nullable(time())},
         {"mail",
          given({{"state",
                  {{"type", "string"},
                   {"enum", {"none", "in_digest", "waiting", "sent", "given_up", "cancelled"}}}},
                 {"at", nullable(time("Since when mail is finished with it"))},
                 {"detail", nullable(text("How that ended"))}})}});
}

}  // namespace

radd::JsonText inbox() {
    return given({{"notices", list(notice())},
                  {"unread", integer("In the inbox; 1000 if there are more")},
                  {"next", nullable(given({{"before", integer()}}))}});
}

radd::JsonText unread() {
    return given({{"unread", integer("1000 if there are more")}});
}

radd::JsonText mark() {
    return taken({{"read", boolean()}, {"archived", boolean("Marks as read, too")}});
}

radd::JsonText read_through() {
    auto through = integer("The latest notice that has been seen");
    through["minimum"] = 1;
    return taken({{"through", through}}, {"through"});
}

radd::JsonText marked() {
    return given({{"read", integer("How many were unread")},
                  {"unread", integer("How many still are; 1000 if there are more")}});
}

radd::JsonText preferences() {
    auto kind = ways();
    kind["name"] = text("Kept for ever");
    kind["label"] = text("For people");
    return given(
        {{"email", nullable(text("Where mails go; null: nowhere, until the person has one"))},
         {"digest",
          given({{"zone", text("IANA, e.g. Europe/Berlin")},
                 {"hour", integer("Of the day in that zone")},
                 {"next_at", nullable(time("When the next is due; null: with the first notice"))},
                 {"last_on", nullable(text("The day of the last one in that zone"))}})},
         {"kinds", list(given(kind))}});
}

radd::JsonText preferences_patch() {
    json hour{{"type", "integer"}, {"minimum", 0}, {"maximum", 23}};
    json zone{{"type", "string"}, {"minLength", 1}, {"maxLength", 100}};
    json kinds{{"type", "object"},
               {"description", "Ways by kind, each with all three"},
               {"additionalProperties", taken(ways(), {"inbox", "mail", "digest"})}};
    return taken({{"digest", taken({{"zone", zone}, {"hour", hour}})}, {"kinds", kinds}});
}

radd::JsonText watching_item() {
    return given(
        {{"reasons",
          list({{"type", "string"},
                {"enum",
                 {"assignee", "commenter", "mentioned", "project", "reporter", "watcher"}}})},
         {"muted", boolean("Nothing is told of it but what is meant for the caller")}});
}

radd::JsonText watched_projects() {
    return given(
        {{"projects", list(given({{"id", integer()}, {"key", text()}, {"name", text()}}))}});
}

}  // namespace notify::schema
