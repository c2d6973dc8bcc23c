#include <algorithm>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <host/api/asyncapi.hpp>
#include <host/outbox/catalog.hpp>

namespace radd::api {
namespace {

using nlohmann::ordered_json;

ordered_json ref_to(const std::string& pointer) {
    return {{"$ref", pointer}};
}

ordered_json nullable(const char* type) {
    return {{"type", ordered_json::array({type, "null"})}};
}

/// Where the description of an entity stands. A stored name is lower case, digits, `_` and dots,
/// none of which a JSON pointer has to escape.
std::string ref_schema_name(std::string_view entity) {
    return std::string{entity} + ".ref";
}

/// What a schema says of itself moves with it: "#/definitions/a" lies below `place` from now on.
void move_refs(ordered_json& schema, const std::string& place) {
    if (!schema.is_structured()) return;
    if (schema.is_object() && schema.contains("$ref") && schema["$ref"].is_string()) {
        const auto target = schema["$ref"].get<std::string>();
        if (target.starts_with('#')) schema["$ref"] = place + target.substr(1);
    }
    for (auto& member : schema) move_refs(member, place);
}

/// The entities that the kernel describes in the payload of such an event: its subjects, and what
/// it is about where that is fixed and described.
std::vector<std::string_view> described(const outbox::Catalog& catalog, const EventTypeSpec& spec) {
    std::vector<std::string_view> names;
    for (const EntityType& subject : spec.subjects) names.push_back(subject.name());
    if (!spec.entity_type || catalog.entity(spec.entity_type->name()) == nullptr) return names;
    if (std::ranges::find(names, spec.entity_type->name()) == names.end())
        names.push_back(spec.entity_type->name());
    return names;
}

/// The plugin's own schema with the refs among its properties, so that one which allows no others
/// still describes what is stored.
ordered_json payload_schema(const outbox::Catalog& catalog,
                            const EventTypeSpec& spec,
                            const std::string& place) {
    ordered_json schema = ordered_json::object();
    if (spec.payload_schema) schema = ordered_json::parse(spec.payload_schema->text());
    if (!schema.is_object()) schema = {{"allOf", ordered_json::array({schema})}};
    schema.erase("$schema");
    schema.erase("$id");
    move_refs(schema, place);
    if (schema.contains("$ref"))  // Beside a $ref nothing counts.
        schema = {{"allOf", ordered_json::array({schema})}};
    schema["type"] = "object";
    // No reference is kept: a new key moves those that an ordered_json has already.
    if (!schema["properties"].is_object()) schema["properties"] = ordered_json::object();
    for (const auto name : described(catalog, spec)) {
        schema["properties"][std::string{name}] =
            ref_to("#/components/schemas/" + ref_schema_name(name));
        schema["required"].push_back(name);
    }
    return schema;
}

ordered_json ref_schema(const outbox::Catalog& catalog, std::string_view name) {
    ordered_json schema = nullable("object");
    const auto* entity = catalog.entity(name);
    schema["title"] = entity != nullptr ? entity->spec->label : std::string{name};
    schema["description"] =
        "What this " + std::string{name} +
        " was when the event was written, as its plugin describes it; null if it was gone";
    return schema;
}

ordered_json changes_schema() {
    return {{"type", ordered_json::array({"array", "null"})},
            {"description", "Which fields changed; a hidden value leaves the field's name alone"},
            {"items",
             {{"type", "object"},
              {"required", ordered_json::array({"field"})},
              {"properties",
               {{"field", {{"type", "string"}}},
                {"from", true},
                {"to", true},
                {"added", true},
                {"removed", true}}}}}};
}

ordered_json event_schema(const EventTypeSpec& spec, const std::string& payload_place) {
    ordered_json entity_type{{"type", "string"}};
    if (spec.entity_type) entity_type["const"] = spec.entity_type->name();
    const ordered_json instant{{"type", "string"}, {"format", "date-time"}};
    ordered_json actor = nullable("string");
    actor["format"] = "uuid";
    ordered_json properties{{"id", {{"type", "integer"}, {"description", "Place in the stream"}}},
                            {"event_type", {{"type", "string"}, {"const", spec.type.name()}}},
                            {"entity_type", std::move(entity_type)},
                            {"entity_id", {{"type", "string"}}},
                            {"actor_id", std::move(actor)},
                            {"payload", ref_to(payload_place)},
                            {"changes", ref_to("#/components/schemas/changes")},
                            {"project_id", nullable("integer")},
                            {"silent", {{"type", "boolean"}}},
                            {"automated_cause", nullable("string")},
                            {"traceparent", nullable("string")},
                            {"occurred_at", instant},
                            {"recorded_at", instant}};
    ordered_json required = ordered_json::array();
    for (const auto& [name, schema] : properties.items()) required.push_back(name);
    return {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", std::move(required)}};
}

ordered_json message_for(const outbox::Catalog::Type& type, const std::string& payload_place) {
    const EventTypeSpec& spec = *type.spec;
    ordered_json message{{"name", spec.type.name()},
                         {"title", spec.label},
                         {"contentType", "application/json"},
                         {"tags", ordered_json::array({{{"name", spec.group}}})},
                         {"payload", event_schema(spec, payload_place)},
                         {"x-radd-plugin", type.plugin},
                         {"x-radd-item-scoped", spec.item_scoped}};
    if (!spec.aliases.empty()) message["x-radd-aliases"] = spec.aliases;
    return message;
}

/// Enters one event type in every part of the document.
void add(ordered_json& document,
         const outbox::Catalog& catalog,
         const outbox::Catalog::Type& type) {
    const std::string name{type.spec->type.name()};
    const std::string place = "#/components/schemas/" + name + ".payload";
    ordered_json& components = document["components"];
    for (const auto entity : described(catalog, *type.spec))
        components["schemas"][ref_schema_name(entity)] = ref_schema(catalog, entity);
    components["schemas"][name + ".payload"] = payload_schema(catalog, *type.spec, place);
    components["messages"][name] = message_for(type, place);
    document["channels"][name] = {{"address", name},
                                  {"title", type.spec->label},
                                  {"messages", {{name, ref_to("#/components/messages/" + name)}}}};
    document["operations"]["emit." + name] = {
        {"action", "send"},
        {"channel", ref_to("#/channels/" + name)},
        {"messages", ordered_json::array({ref_to("#/channels/" + name + "/messages/" + name)})}};
}

}  // namespace

std::string asyncapi_document(const loader::PluginSet& plugins) {
    outbox::Catalog catalog;
    plugins.fill(catalog);
    ordered_json document{
        {"asyncapi", "3.0.0"},
        {"info",
         {{"title", "radd events"},
          {"version", RADD_VERSION},
          {"description",
           "Every event type that the loaded plugins declare. The stream is the table radd.events "
           "of the database; an address is the event's type."}}},
        {"defaultContentType", "application/json"},
        {"channels", ordered_json::object()},
        {"operations", ordered_json::object()},
        {"components",
         {{"messages", ordered_json::object()}, {"schemas", {{"changes", changes_schema()}}}}}};
    for (const auto& [name, type] : catalog.types()) add(document, catalog, type);
    return document.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace radd::api
