#include <string>

#include <host/entities/field_value.hpp>
#include <host/entities/schemas.hpp>
#include <host/entities/store.hpp>

namespace radd::entities::schema {
namespace {

const std::string& label_of(const FieldSpec& field) {
    return field.label.empty() ? field.name : field.label;
}

/// The type's part, without null.
json type_of(const FieldSpec& field, json reference) {
    switch (field.type) {
        case FieldType::text:
            return {{"type", "string"}, {"maxLength", field.max}};
        case FieldType::integer:
            return {{"type", "integer"}};
        case FieldType::decimal:
            return {{"type", "string"},
                    {"pattern", R"(^-?[0-9]+(\.[0-9]+)?$)"},
                    {"examples", json::array({"12.50"})}};
        case FieldType::boolean:
            return {{"type", "boolean"}};
        case FieldType::date:
            return {{"type", "string"}, {"format", "date"}};
        case FieldType::timestamp:
            return {{"type", "string"}, {"format", "date-time"}};
        case FieldType::enumeration:
            return {{"type", "string"}, {"enum", field.values}};
        case FieldType::reference:
            return {{"type", std::move(reference)}};
    }
    return json::object();
}

json schema_of(const FieldSpec& field, const json& reference) {
    json schema = type_of(field, reference);
    if (field.nullable) {
        json types = schema["type"].is_array() ? schema["type"] : json::array({schema["type"]});
        types.push_back("null");
        schema["type"] = std::move(types);
        if (schema.contains("enum")) schema["enum"].push_back(nullptr);
    }
    schema["description"] =
        label_of(field) +
        (field.references.empty() ? std::string{} : ": the id of " + field.references);
    return schema;
}

json given(const Entity& entity, bool is_new) {
    json properties = json::object();
    json required = json::array();
    for (const FieldSpec& field : entity.spec.fields) {
        json schema = schema_of(field, json::array({"integer", "string"}));
        // Digits that a number may not keep: an integer is exact and so is welcome.
        if (field.type == FieldType::decimal) {
            schema["type"] = json::array({"string", "integer"});
            if (field.nullable) schema["type"].push_back("null");
        }
        if (field.default_value) schema["default"] = json::parse(field.default_value->text());
        properties[field.name] = std::move(schema);
        if (is_new && !field.nullable && !field.default_value) required.push_back(field.name);
    }
    json schema{
        {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
    if (!required.empty()) schema["required"] = std::move(required);
    return schema;
}

}  // namespace

json row(const Model& model, const Entity& entity) {
    const json instant{{"type", "string"}, {"format", "date-time"}};
    json properties{{"id", {{"type", "integer"}}},
                    {"version", {{"type", "integer"}, {"description", "Also the ETag"}}},
                    {"created_at", instant},
                    {"updated_at", instant}};
    for (const FieldSpec& field : entity.spec.fields)
        properties[field.name] =
            schema_of(field, model.is_foreign_key(field) ? "integer" : "string");
    json required = json::array();
    for (const auto& [name, schema] : properties.items()) required.push_back(name);
    return {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", std::move(required)}};
}

json page(const Model& model, const Entity& entity) {
    const json next{{"type", json::array({"object", "null"})},
                    {"properties", {{"after", {{"type", "integer"}}}}},
                    {"required", json::array({"after"})}};
    return {{"type", "object"},
            {"properties",
             {{entity.spec.plural, {{"type", "array"}, {"items", row(model, entity)}}},
              {"next", next}}},
            {"required", json::array({entity.spec.plural, "next"})}};
}

json new_row(const Entity& entity) {
    return given(entity, true);
}

json patch(const Entity& entity) {
    return given(entity, false);
}

std::vector<QueryParameter> list_query(const Entity& entity) {
    std::vector<QueryParameter> query{
        {.name = "limit",
         .description = "Rows of the page, at most " + std::to_string(page_rows_max),
         .schema = json{{"type", "integer"},
                        {"minimum", 1},
                        {"maximum", page_rows_max},
                        {"default", page_rows}}},
        {.name = "after",
         .description = "`next.after` of the page before",
         .schema = json{{"type", "integer"}, {"minimum", 0}}}};
    for (const FieldSpec& field : entity.spec.fields) {
        if (!is_short(field)) continue;
        json schema = type_of(field, "string");
        schema.erase("examples");
        query.push_back({.name = field.name,
                         .description = "Only those whose " + label_of(field) + " is this",
                         .schema = schema});
    }
    return query;
}

}  // namespace radd::entities::schema
