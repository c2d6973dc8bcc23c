#include "schemas.hpp"

#include <string>
#include <utility>
#include <vector>

namespace sla {
namespace {

radd::json parsed(const char* schema) {
    return radd::json::parse(schema);
}

radd::json text() {
    return {{"type", "string"}};
}
radd::json nullable(const char* type) {
    return {{"type", {type, "null"}}};
}
radd::json list_of(radd::json items) {
    return {{"type", "array"}, {"items", std::move(items)}};
}

radd::json object(radd::json properties, std::vector<std::string> required) {
    return {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", std::move(required)}};
}

/// What a caller sends: unknown fields are refused by name.
radd::json body(const radd::json& properties, std::vector<std::string> required) {
    auto schema = object(properties, std::move(required));
    schema["additionalProperties"] = false;
    return schema;
}

radd::json all_of(radd::json properties) {
    std::vector<std::string> names;
    for (const auto& [name, schema] : properties.items()) names.push_back(name);
    return object(std::move(properties), std::move(names));
}

radd::json calendar_fields() {
    return {{"name", text()},
            {"zone", {{"type", "string"}, {"description", "IANA name, e.g. Europe/Berlin"}}},
            {"hours", parsed(R"({"type":"array","items":{"type":"object",
                "properties":{"day":{"enum":["mon","tue","wed","thu","fri","sat","sun"]},
                    "from":{"type":"string","description":"08:00"},
                    "to":{"type":"string",
                          "description":"Up to 24:00; before `from` it is on the next day"}},
                "required":["day","from","to"],"additionalProperties":false}})")},
            {"holidays", parsed(R"({"type":"array","items":{"type":"object",
                "properties":{"date":{"type":"string","description":"2026-12-25"},
                    "name":{"type":"string"},"yearly":{"type":"boolean","default":false}},
                "required":["date"],"additionalProperties":false}})")}};
}

radd::json targets_schema() {
    const auto promise = parsed(R"({"type":"object","description":"In working time",
        "properties":{"within_minutes":{"type":"integer","minimum":1},
                      "due_soon_minutes":{"type":["integer","null"],"minimum":1,
                          "description":"So long before it is due"}},
        "required":["within_minutes"],"additionalProperties":false})");
    return {{"type", "object"},
            {"properties", {{"first_response", promise}, {"resolution", promise}}},
            {"additionalProperties", false}};
}

radd::json policy_fields() {
    const auto names = list_of(text());
    return {{"name", text()},
            {"position",
             {{"type", "integer"},
              {"description", "The first policy that an item fits is the item's"}}},
            {"enabled", {{"type", "boolean"}}},
            {"types", names},
            {"priorities", names},
            {"labels", names},
            {"calendar_id", {{"type", "integer"}}},
            {"pause_states", names},
            {"targets", targets_schema()},
            {"alarm_for_past", {{"type", "boolean"}}}};
}

radd::json clock() {
    return all_of(
        {{"item", all_of({{"id", {{"type", "integer"}}}, {"key", text()}, {"title", text()}})},
         {"project", text()},
         {"policy", all_of({{"id", {{"type", "integer"}}}, {"name", text()}})},
         {"target", {{"enum", {"first_response", "resolution"}}}},
         {"life", {{"type", "integer"}}},
         {"state", {{"enum", {"running", "paused", "due_soon", "breached", "met"}}}},
         {"remaining_ms", nullable("integer")},
         {"began_at", text()},
         {"due_soon_at", nullable("string")},
         {"due_at", nullable("string")},
         {"met_at", nullable("string")},
         {"due_soon_sent_at", nullable("string")},
         {"breach_sent_at", nullable("string")}});
}

}  // namespace

radd::json new_calendar_schema() {
    return body(calendar_fields(), {"name", "zone", "hours"});
}

radd::json calendar_change_schema() {
    return body(calendar_fields(), {});
}

radd::json calendar_schema() {
    auto fields = calendar_fields();
    fields["id"] = {{"type", "integer"}};
    return all_of(std::move(fields));
}

radd::json calendars_schema() {
    return all_of({{"calendars", list_of(calendar_schema())}});
}

radd::json new_policy_schema() {
    auto fields = policy_fields();
    fields["project"] = {{"type", "string"}, {"description", "Its key"}};
    return body(fields, {"project", "name", "calendar_id", "targets"});
}

radd::json policy_change_schema() {
    return body(policy_fields(), {});
}

radd::json policy_schema() {
    auto fields = policy_fields();
    fields.erase("calendar_id");
    fields["id"] = {{"type", "integer"}};
    fields["project"] = text();
    fields["calendar"] = all_of({{"id", {{"type", "integer"}}}, {"name", text()}});
    return all_of(std::move(fields));
}

radd::json policies_schema() {
    return all_of({{"policies", list_of(policy_schema())}});
}

radd::json clocks_schema() {
    auto next = all_of({{"after", text()}});
    next["type"] = {"object", "null"};
    return all_of({{"clocks", list_of(clock())}, {"next", std::move(next)}});
}

radd::json item_clocks_schema() {
    return all_of({{"clocks", list_of(clock())}});
}

radd::json event_schema() {
    return all_of({{"policy", all_of({{"id", {{"type", "integer"}}}, {"name", text()}})},
                   {"target", {{"enum", {"first_response", "resolution"}}}},
                   {"due_at", text()},
                   {"life_began_at", text()}});
}

}  // namespace sla
