#include "schemas.hpp"

#include <string>
#include <utility>
#include <vector>

namespace automations {
namespace {

using radd::json;

json parsed(const char* schema) {
    return json::parse(schema);
}

json object(json properties, std::vector<std::string> required) {
    return {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", std::move(required)},
            {"additionalProperties", false}};
}

/// What people decide.
json draft_properties() {
    return parsed(R"json({
        "name": {"type": "string", "minLength": 1, "maxLength": 200},
        "trigger": {"type": "object", "description":
            "{events: [item.updated, …]}, {every: 15m} or {daily: 09:00, zone: Europe/Berlin}"},
        "when": {"type": "object", "description":
            "{}: always; {field, and one of is, is_not, in, contains, above, below, exists}; {all: […]}, {any: […]}, {not: …}. A field is a path into event, payload, changes.<field>.from and .to, or entity"},
        "then": {"type": "array", "minItems": 1, "maxItems": 10, "items": {"type": "object"},
            "description": "{action, arguments, subject_id}; texts may hold {{paths}}"},
        "project_id": {"type": ["integer", "null"], "description": "Only events of this project"},
        "chain": {"type": "boolean", "description":
            "Events that other rules have caused start it as well, up to 5 rules in a row"},
        "enabled": {"type": "boolean"}
    })json");
}

json rule() {
    json properties = draft_properties();
    std::vector<std::string> required;
    for (const auto& [name, schema] : properties.items()) required.push_back(name);
    properties["id"] = {{"type", "integer"}};
    properties["state"] = parsed(R"({"enum":["on","off","unavailable"]})");
    properties["problems"] = parsed(R"({"type":"array","items":{"type":"string"}})");
    for (const char* name : {"plugin", "disabled_reason", "next_run_at"})
        properties[name] = parsed(R"({"type":["string","null"]})");
    for (const char* name : {"created_at", "updated_at"})
        properties[name] = parsed(R"({"type":"string"})");
    for (const char* name : {"id",
                             "state",
                             "problems",
                             "plugin",
                             "disabled_reason",
                             "next_run_at",
                             "created_at",
                             "updated_at"})
        required.emplace_back(name);
    json schema = object(std::move(properties), std::move(required));
    schema.erase("additionalProperties");
    return schema;
}

json plan() {
    return parsed(R"json({"type":"array","items":{"type":"object",
        "required":["action","summary","details","has_effect"],"properties":{
        "action":{"type":"string"},"summary":{"type":"string"},"details":{"type":"object"},
        "has_effect":{"type":"boolean"}}}})json");
}

}  // namespace

radd::JsonText rule_schema() {
    return rule();
}

radd::JsonText rules_schema() {
    return object({{"rules", {{"type", "array"}, {"items", rule()}}}}, {"rules"});
}

radd::JsonText new_rule_schema() {
    return object(draft_properties(), {"name", "trigger", "then"});
}

radd::JsonText rule_change_schema() {
    return object(draft_properties(), {});
}

radd::JsonText dry_run_request_schema() {
    auto draft = object(draft_properties(), {"trigger", "then"});
    draft["description"] = "A rule that need not be kept; else rule_id names one that is";
    return object({{"rule", std::move(draft)},
                   {"rule_id", parsed(R"({"type":"integer"})")},
                   {"event_id", parsed(R"({"type":"integer","minimum":1,
                        "description":"One that has happened; none: by the clock"})")}},
                  {});
}

radd::JsonText dry_run_schema() {
    return object({{"would", parsed(R"({"enum":["pass","stop","idle","apply","fail"]})")},
                   {"reason", parsed(R"({"type":"string"})")},
                   {"plan", plan()}},
                  {"would", "reason", "plan"});
}

radd::JsonText runs_schema() {
    const auto run =
        object({{"id", parsed(R"({"type":"integer"})")},
                {"rule_id", parsed(R"({"type":"integer"})")},
                {"rule", parsed(R"({"type":"string"})")},
                {"event_id", parsed(R"({"type":["integer","null"]})")},
                {"outcome", parsed(R"({"enum":["applied","idle","failed","stopped"]})")},
                {"detail", parsed(R"({"type":"string"})")},
                {"plan", plan()},
                {"depth", parsed(R"({"type":"integer"})")},
                {"took_ms", parsed(R"({"type":"integer"})")},
                {"at", parsed(R"({"type":"string"})")}},
               {"id",
                "rule_id",
                "rule",
                "event_id",
                "outcome",
                "detail",
                "plan",
                "depth",
                "took_ms",
                "at"});
    return object({{"runs", {{"type", "array"}, {"items", run}}}}, {"runs"});
}

}  // namespace automations
