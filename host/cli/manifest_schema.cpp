// radd schema: the keys of manifests, with their types. What a schema cannot say (a duration's
// range, a name that somebody must declare) is left to `radd check`.

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <host/cli/manifest_schema.hpp>
#include <host/config/host_setting_table.hpp>
#include <host/plugins/manifest_report.hpp>

namespace radd::cli {
namespace {

using Json = nlohmann::ordered_json;
using loader::LoadedPlugin;

constexpr const char* dialect = "https://json-schema.org/draft/2020-12/schema";

Json text() {
    return {{"type", "string"}};
}

Json boolean() {
    return {{"type", "boolean"}};
}

Json integer(Range range) {
    Json schema{{"type", "integer"}};
    if (range.minimum > std::numeric_limits<std::int64_t>::min()) schema["minimum"] = range.minimum;
    if (range.maximum < std::numeric_limits<std::int64_t>::max()) schema["maximum"] = range.maximum;
    return schema;
}

Json duration() {
    return {{"type", "string"}, {"pattern", "^(0|-?[1-9][0-9]*)(ms|s|m|h)$"}};
}

Json list_of(Json items) {
    return {{"type", "array"}, {"items", std::move(items)}};
}

Json one_of(Json values) {
    return {{"enum", std::move(values)}};
}

Json object(Json properties) {
    return {
        {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

/// A secret is named and never written.
Json reference_to_secret() {
    Json schema = object({{"env", text()}, {"file", text()}});
    schema["minProperties"] = 1;
    schema["maxProperties"] = 1;
    return schema;
}

Json described(Json schema, std::string_view help) {
    if (!help.empty()) schema["description"] = help;
    return schema;
}

/// By the type of the field that the setting fills.
Json type_of(const config::HostSettingRow& row) {
    return std::visit(
        [&]<typename Value>(Value config::HostSettings::*) -> Json {
            if constexpr (std::is_same_v<Value, bool>) return boolean();
            if constexpr (std::is_same_v<Value, std::size_t>) return integer(row.range);
            if constexpr (std::is_same_v<Value, std::chrono::milliseconds>) return duration();
            if constexpr (std::is_same_v<Value, LogLevel>)
                return one_of({"debug", "info", "warn", "error"});
            if constexpr (std::is_same_v<Value, config::LogFormat>)
                return one_of({"human", "json"});
            if constexpr (std::is_same_v<Value, std::vector<std::chrono::seconds>>)
                return list_of(duration());
            if constexpr (std::is_same_v<Value, std::vector<std::string>>) return list_of(text());
            return text();
        },
        row.field);
}

Json schema_of(const config::HostSettingRow& row) {
    Json schema = type_of(row);
    if (row.secret) schema = {{"anyOf", Json::array({text(), reference_to_secret()})}};
    schema = described(std::move(schema), row.help);
    if (row.default_text.empty()) return schema;
    const auto value = Json::parse(row.default_text, nullptr, false);
    const std::string type = schema.value("type", "");
    if (type == "string" || schema.contains("enum"))
        schema["default"] = row.default_text;
    else if (!value.is_discarded())
        schema["default"] = value;
    return schema;
}

/// What may stand in the map of `prefix`: "http." has listen, and "" has http and http.listen.
Json settings_below(std::string_view prefix) {
    Json properties = Json::object();
    for (const auto& row : config::host_setting_rows()) {
        // It decides where the file is.
        if (!row.name.starts_with(prefix) || row.name == "manifests_dir") continue;
        const auto rest = row.name.substr(prefix.size());
        properties[std::string{rest}] = schema_of(row);
        const auto dot = rest.find('.');
        const std::string group{rest.substr(0, dot)};
        if (dot == std::string_view::npos || properties.contains(group)) continue;
        properties[group] = object(settings_below(std::string{prefix} + group + "."));
    }
    return properties;
}

Json begun(const char* kind) {
    return {{"kind", {{"const", kind}}}, {"version", {{"const", 1}}}};
}

Json finished(Json properties, Json required) {
    Json schema{{"$schema", dialect}};
    schema.update(object(std::move(properties)));
    schema["required"] = std::move(required);
    return schema;
}

Json override_schema() {
    return object({{"batch", integer({1, 1000})},
                   {"poll", duration()},
                   {"deadline", duration()},
                   {"paused", boolean()}});
}

Json field_schema() {
    Json schema = object({
        {"type",
         one_of(
             {"text", "integer", "decimal", "boolean", "date", "timestamp", "enum", "reference"})},
        {"label", text()},
        {"nullable", boolean()},
        {"default", {{"type", {"string", "number", "boolean"}}}},
        {"index", boolean()},
        {"unique", boolean()},
        {"max", integer({1, 100'000})},
        {"precision", integer({1, 100})},
        {"scale", integer({0, 100})},
        {"values", list_of(text())},
        {"references", text()},
        {"on_delete", one_of({"keep", "clear", "cascade"})},
    });
    schema["required"] = {"type"};
    return schema;
}

Json entity_schema() {
    Json schema =
        object({{"label", text()},
                {"plural", text()},
                {"table", text()},
                {"fields", {{"type", "object"}, {"additionalProperties", field_schema()}}},
                {"searchable", list_of(text())}});
    schema["required"] = {"label", "plural", "fields"};
    return schema;
}

Json event_type_schema() {
    Json schema = object({{"label", text()},
                          {"group", text()},
                          {"item_scoped", boolean()},
                          {"has_changes", boolean()},
                          {"trigger", boolean()},
                          {"audited", boolean()},
                          {"readable_by", one_of({"member", "admin"})},
                          {"entity_type", text()},
                          {"subjects", list_of(text())},
                          {"aliases", list_of(text())}});
    schema["required"] = {"label"};
    return schema;
}

Json map_of(Json values) {
    return {{"type", "object"}, {"additionalProperties", std::move(values)}};
}

/// A rule is the business of the plugin that runs it; here only that it has a name.
Json automation_schema() {
    return {{"type", "object"}, {"properties", {{"name", text()}}}, {"required", {"name"}}};
}

Json plugin_properties() {
    Json properties = begun("plugin");
    properties.update(Json{
        {"id", {{"type", "string"}, {"pattern", "^[a-z][a-z0-9_]{0,63}$"}}},
        {"library", described(text(), "A file in plugins_dir; <id>.so unless given.")},
        {"plugin_version", described(text(), "Versions that are accepted, e.g. \">=1.4 <2\".")},
        {"enabled", {{"type", "boolean"}, {"default", true}}},
        {"required",
         {{"type", "boolean"},
          {"default", true},
          {"description", "False: the host starts without it if it is refused."}}},
        {"sha256", {{"type", "string"}, {"pattern", "^[0-9a-f]{64}$"}}},
        {"grants", list_of(text())},
        {"log_level", one_of({"debug", "info", "warn", "error"})},
        {"startup_timeout", duration()},
        {"shutdown_timeout", duration()},
        {"settings", {{"type", {"object", "null"}}}},
        {"consumers", map_of(override_schema())},
        {"automations", list_of(automation_schema())},
        {"description", described(text(), "Of a plugin without a library.")},
        {"depends_on", described(list_of(text()), "Of a plugin without a library.")},
        {"entities", map_of(entity_schema())},
        {"event_types", map_of(event_type_schema())},
    });
    return properties;
}

const Json plugin_required{"kind", "version", "id"};

Json setting_type_schema(const Json& setting) {
    const auto& type = setting.at("type").get_ref<const std::string&>();
    if (type == "boolean") return boolean();
    if (type == "duration") return duration();
    if (type == "text") return text();
    if (type == "choice") return one_of(setting.at("choices"));
    if (type == "integer") {
        Json schema{{"type", "integer"}};
        for (const char* limit : {"minimum", "maximum"}) {
            if (setting.contains(limit)) schema[limit] = setting[limit];
        }
        return schema;
    }
    return Json::object();  // Of a later SDK: whatever it is, it may be given.
}

Json setting_schema(const Json& setting) {
    const auto& type = setting.at("type").get_ref<const std::string&>();
    const auto& help = setting.at("help").get_ref<const std::string&>();
    if (type == "secret") return described(reference_to_secret(), help);
    Json schema = described(setting_type_schema(setting), help);
    const Json& given = setting.at("default");
    if (given.is_null()) return schema;
    const auto& written = given.get_ref<const std::string&>();
    auto value = Json::parse(written, nullptr, false);
    const bool as_it_is = type == "boolean" || type == "integer";
    schema["default"] = as_it_is && !value.is_discarded() ? std::move(value) : Json(written);
    return schema;
}

Json schema_from(const std::string& id, const Json& report, bool has_library) {
    Json properties = plugin_properties();
    properties["id"] = {{"const", id}};
    if (has_library) {
        for (const char* key : {"description", "depends_on", "entities", "event_types"})
            properties.erase(key);
    }

    Json settings = Json::object();
    Json needed = Json::array();
    for (const Json& setting : report.at("settings")) {
        const auto& name = setting.at("name").get_ref<const std::string&>();
        settings[name] = setting_schema(setting);
        if (setting.at("required").get<bool>()) needed.push_back(name);
    }
    properties["settings"] = object(std::move(settings));
    if (needed.empty()) properties["settings"]["type"] = {"object", "null"};

    Json consumers = Json::object();
    for (const Json& consumer : report.at("consumers"))
        consumers[consumer.at("name").get_ref<const std::string&>()] = override_schema();
    properties["consumers"] = object(std::move(consumers));

    Json required = plugin_required;
    if (!needed.empty()) {
        properties["settings"]["required"] = std::move(needed);
        required.push_back("settings");
    }
    return described(finished(std::move(properties), std::move(required)),
                     report.at("description").get_ref<const std::string&>());
}

}  // namespace

Json host_schema() {
    Json properties = begun("host");
    properties.update(settings_below(""));
    return finished(std::move(properties), {"kind", "version"});
}

Json plugin_schema() {
    return finished(plugin_properties(), plugin_required);
}

Json plugin_schema(const LoadedPlugin& plugin) {
    return schema_from(
        plugin.id, loader::manifest_report(plugin.manifest), plugin.library.has_value());
}

Json sealed_schema(const std::string& id, const Json& seal) {
    try {
        return schema_from(id, seal, true);
    } catch (const Json::exception&) {
        throw Error{"it is not what a manifest is told as"};
    }
}

Json manifests_schema(const loader::PluginSet& set) {
    const auto when = [](Json condition, Json then) -> Json {
        Json required = Json::array();
        for (const auto& [name, value] : condition.items()) required.push_back(name);
        return {{"if", {{"properties", std::move(condition)}, {"required", std::move(required)}}},
                {"then", std::move(then)}};
    };
    Json cases = Json::array();
    cases.push_back(when({{"kind", {{"const", "host"}}}}, {{"$ref", "#/$defs/host"}}));
    Json ids = Json::array();
    Json definitions{{"host", host_schema()}, {"plugin", plugin_schema()}};
    for (const auto& plugin : set.plugins()) {
        const Json is_it{{"kind", {{"const", "plugin"}}}, {"id", {{"const", plugin->id}}}};
        cases.push_back(when(is_it, {{"$ref", "#/$defs/plugin." + plugin->id}}));
        ids.push_back(plugin->id);
        definitions["plugin." + plugin->id] = plugin_schema(*plugin);
    }
    Json other{{"kind", {{"const", "plugin"}}}};
    if (!ids.empty()) other["id"] = {{"not", {{"enum", ids}}}};
    cases.push_back(when(other, {{"$ref", "#/$defs/plugin"}}));
    for (auto& definition : definitions) definition.erase("$schema");
    return {{"$schema", dialect},
            {"type", "object"},
            {"properties", {{"kind", one_of({"host", "plugin"})}}},
            {"required", {"kind"}},
            {"allOf", std::move(cases)},
            {"$defs", std::move(definitions)}};
}

}  // namespace radd::cli
