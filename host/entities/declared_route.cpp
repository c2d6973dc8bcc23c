#include <string>

#include <nlohmann/json.hpp>

#include <host/entities/declared_route.hpp>
#include <host/entities/field_value.hpp>

namespace radd::entities {
namespace {

using nlohmann::ordered_json;

template <typename T>
ordered_json if_any(bool is_any, const T& value) {
    return is_any ? ordered_json(value) : ordered_json();
}

ordered_json json_for(const FieldSpec& field) {
    const auto& given = field.default_value;
    const bool is_decimal = field.type == FieldType::decimal;
    return {{"name", field.name},
            {"label", field.label.empty() ? field.name : field.label},
            {"type", name_of(field.type)},
            {"nullable", field.nullable},
            {"default", given ? ordered_json::parse(given->text()) : ordered_json()},
            {"unique", field.unique},
            {"max", if_any(field.type == FieldType::text, field.max)},
            {"precision", if_any(is_decimal, field.precision)},
            {"scale", if_any(is_decimal, field.scale)},
            {"values", field.values},
            {"references", if_any(!field.references.empty(), field.references)}};
}

ordered_json json_for(const Entity& entity) {
    ordered_json fields = ordered_json::array();
    for (const FieldSpec& field : entity.spec.fields) fields.push_back(json_for(field));
    return {{"key", entity.spec.key},
            {"label", entity.spec.label},
            {"plural", entity.spec.plural},
            {"plugin", entity.schema},
            {"searchable", entity.spec.searchable},
            {"fields", std::move(fields)}};
}

/// Every member is there.
constexpr const char* schema = R"({
    "type": "object", "required": ["entities"],
    "properties": {"entities": {"type": "array", "items": {
        "type": "object", "required": ["key", "label", "plural", "plugin", "searchable", "fields"],
        "properties": {
            "key": {"type": "string", "description": "The entity type"},
            "label": {"type": "string"},
            "plural": {"type": "string", "description": "Its routes are /api/v1/<plural>"},
            "plugin": {"type": "string"},
            "searchable": {"type": "array", "items": {"type": "string"},
                           "description": "Fields; the first titles it"},
            "fields": {"type": "array", "items": {
                "type": "object",
                "required": ["name", "label", "type", "nullable", "default", "unique", "max",
                             "precision", "scale", "values", "references"],
                "properties": {
                    "name": {"type": "string"},
                    "label": {"type": "string"},
                    "type": {"enum": ["text", "integer", "decimal", "boolean", "date", "timestamp",
                                      "enum", "reference"]},
                    "nullable": {"type": "boolean"},
                    "default": {"description": "For whoever gives none; null: there is none"},
                    "unique": {"type": "boolean"},
                    "max": {"type": ["integer", "null"], "description": "Characters of a text"},
                    "precision": {"type": ["integer", "null"], "description": "Of a decimal"},
                    "scale": {"type": ["integer", "null"], "description": "Of a decimal"},
                    "values": {"type": "array", "items": {"type": "string"},
                               "description": "Of an enum"},
                    "references": {"type": ["string", "null"],
                                   "description": "The entity type that a reference names"}}}}}}}}})";

}  // namespace

RouteSpec declared_route(const Model& model) {
    ordered_json entities = ordered_json::array();
    for (const auto& entity : model.entities()) entities.push_back(json_for(*entity));
    const ordered_json document{{"entities", std::move(entities)}};
    return {
        .path = "/api/v1/entities",
        .summary = "List the entities that are declared and need no code",
        .tag = "Catalogue",
        .responses = {{.description = "All of them, by plugin and as declared", .schema = schema}},
        .handle = [text = document.dump()](const HttpRequest&, Services&) {
            return json_response(text);
        }};
}

}  // namespace radd::entities
