#include "schemas.hpp"

#include <string>

namespace webhooks {
namespace {

constexpr const char* text = R"({"type":"string"})";

radd::json parsed(const char* schema) {
    return radd::json::parse(schema);
}

radd::json object(radd::json properties, std::vector<std::string> required) {
    return {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", std::move(required)},
            {"additionalProperties", false}};
}

/// What people decide.
radd::json draft_properties() {
    return parsed(R"json({
        "name": {"type": "string", "minLength": 1, "maxLength": 200},
        "url": {"type": "string", "maxLength": 8192, "description": "https://… or http://…, public"},
        "format": {"enum": ["cloudevents", "plain"],
            "description": "CloudEvents 1.0 as structured JSON, or type, timestamp and data"},
        "event_types": {"type": "array", "items": {"type": "string"}, "maxItems": 100,
            "description": "item.updated, or item.* for all that begin so; empty: all, but for those of webhooks"},
        "entity_types": {"type": "array", "items": {"type": "string"}, "maxItems": 100},
        "project_ids": {"type": "array", "items": {"type": "integer"}, "maxItems": 100},
        "enabled": {"type": "boolean"}
    })json");
}

radd::json endpoint() {
    auto properties = draft_properties();
    properties["id"] = {{"type", "integer"}};
    properties["created_at"] = parsed(text);
    std::vector<std::string> required{"id",
                                      "created_at",
                                      "name",
                                      "url",
                                      "format",
                                      "event_types",
                                      "entity_types",
                                      "project_ids",
                                      "enabled"};
    for (const char* name :
         {"disabled_reason", "disabled_at", "failing_since", "old_secret_until"}) {
        properties[name] = parsed(R"({"type":["string","null"]})");
        required.emplace_back(name);
    }
    auto schema = object(std::move(properties), std::move(required));
    schema.erase("additionalProperties");
    return schema;
}

radd::json secret() {
    return parsed(
        R"({"type":"string","maxLength":200,"description":"whsec_ and Base64 of 24 to 64 bytes"})");
}

radd::json number() {
    return parsed(R"({"type":"integer","minimum":1})");
}

}  // namespace

radd::JsonText endpoint_schema() {
    return endpoint();
}

radd::JsonText endpoints_schema() {
    return object({{"endpoints", {{"type", "array"}, {"items", endpoint()}}}}, {"endpoints"});
}

radd::JsonText made_schema() {
    auto schema = endpoint();
    schema["properties"]["secret"] = secret();
    schema["required"].push_back("secret");
    return schema;
}

radd::JsonText new_endpoint_schema() {
    auto properties = draft_properties();
    properties["secret"] = secret();
    return object(std::move(properties), {"name", "url"});
}

radd::JsonText endpoint_change_schema() {
    return object(draft_properties(), {});
}

radd::JsonText secret_schema() {
    return object({{"secret", secret()}}, {"secret"});
}

radd::JsonText rotate_schema() {
    return object({{"secret", secret()}}, {});
}

radd::JsonText attempts_schema() {
    const auto attempt = object({{"id", number()},
                                 {"delivery_id", number()},
                                 {"attempt", number()},
                                 {"outcome", parsed(text)},
                                 {"status", parsed(R"({"type":["integer","null"]})")},
                                 {"detail", parsed(text)},
                                 {"took_ms", parsed(R"({"type":"integer"})")},
                                 {"at", parsed(text)}},
                                {"id", "delivery_id", "attempt", "outcome", "detail", "at"});
    return object({{"attempts", {{"type", "array"}, {"items", attempt}}}}, {"attempts"});
}

radd::JsonText replay_schema() {
    return object({{"delivery_id", number()}, {"first_id", number()}, {"last_id", number()}}, {});
}

radd::JsonText replayed_schema() {
    return object(
        {{"replayed", parsed(R"({"type":"integer"})")}, {"more", parsed(R"({"type":"boolean"})")}},
        {"replayed", "more"});
}

}  // namespace webhooks
