#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include <host/config/fields.hpp>
#include <host/entities/checked.hpp>
#include <host/entities/field_value.hpp>
#include <host/entities/manifest_yaml.hpp>
#include <host/entities/stored_names.hpp>

namespace radd::entities {
namespace {

using config::Context;
using config::MapReader;
using config::Member;
using config::YamlNode;

constexpr std::array<std::string_view, 3> on_delete_names{"keep", "clear", "cascade"};
constexpr std::array role_names{name_of(Role::member), name_of(Role::admin)};
// The check that follows knows the limits and says them; here only the kind is looked at.
constexpr Range any_number{std::numeric_limits<std::int32_t>::min(),
                           std::numeric_limits<std::int32_t>::max()};

/// A YAML scalar as the JSON value that it stands for in a field of this type.
std::optional<JsonText> read_default(const YamlNode& node, const Context& context, FieldType type) {
    if (node.kind == YamlNode::Kind::null) return JsonText{"null"};
    if (type == FieldType::boolean) {
        const auto value = config::read_boolean(node, context);
        return value ? std::optional{JsonText{json(*value)}} : std::nullopt;
    }
    if (type == FieldType::integer) {
        constexpr Range all{std::numeric_limits<std::int64_t>::min(),
                            std::numeric_limits<std::int64_t>::max()};
        const auto value = config::read_integer(node, context, all);
        return value ? std::optional{JsonText{json(*value)}} : std::nullopt;
    }
    const auto value = config::read_text(node, context);
    return value ? std::optional{JsonText{json(*value)}} : std::nullopt;
}

FieldSpec read_field(const Member& member, const Context& context) {
    MapReader reader{member.value, context};
    FieldSpec field{.name = member.key};
    if (const YamlNode* node = reader.require("type", config::listed(field_type_names))) {
        const auto type = config::read_choice(*node, context.below("type"), field_type_names);
        if (type) field.type = static_cast<FieldType>(*type);
    }
    field.label = reader.text("label").value_or("");
    field.nullable = reader.boolean("nullable", false);
    if (const YamlNode* node = reader.find("default"))
        field.default_value = read_default(*node, context.below("default"), field.type);
    field.index = reader.boolean("index", false);
    field.unique = reader.boolean("unique", false);
    const auto number = [&](std::string_view key, auto& value) {
        if (const auto given = reader.integer(key, any_number))
            value = static_cast<std::remove_reference_t<decltype(value)>>(*given);
    };
    number("max", field.max);
    number("precision", field.precision);
    number("scale", field.scale);
    field.values = reader.texts("values");
    field.references = reader.text("references").value_or("");
    if (const auto choice = reader.choice("on_delete", on_delete_names))
        field.on_delete = static_cast<OnDelete>(*choice);
    reader.finish();
    return field;
}

/// The members of a map of named things; a report and none if it is something else.
const std::vector<Member>& members_of(const YamlNode& node,
                                      const Context& context,
                                      std::string_view what) {
    static const std::vector<Member> none;
    if (node.kind == YamlNode::Kind::map) return node.members;
    if (node.kind != YamlNode::Kind::broken)
        context.report("E46",
                       node.place,
                       "expected a map from names to " + std::string{what} + ", got " +
                           config::described(node));
    return none;
}

EntitySpec read_entity(const Member& member, const Context& context) {
    MapReader reader{member.value, context};
    EntitySpec spec{.key = member.key, .label = {}, .plural = {}, .fields = {}};
    const auto required = [&](std::string_view key, std::string_view help) {
        const YamlNode* node = reader.require(key, help);
        return node == nullptr ? std::string{}
                               : config::read_text(*node, context.below(key)).value_or("");
    };
    spec.label = required("label", "what people read");
    spec.plural = required("plural", "in the path of its routes");
    spec.table = reader.text("table").value_or("");
    if (const YamlNode* node = reader.require("fields", "a map from names to fields")) {
        const Context below = context.below("fields");
        for (const Member& field : members_of(*node, below, "fields"))
            spec.fields.push_back(read_field(field, below.below(field.key)));
    }
    spec.searchable = reader.texts("searchable");
    reader.finish();
    return spec;
}

EventTypeSpec read_event_type(const Member& member, const Context& context) {
    MapReader reader{member.value, context};
    EventTypeSpec spec{.type = detail::StoredNames::event(member.key), .label = {}};
    if (const YamlNode* node = reader.require("label", "what people read"))
        spec.label = config::read_text(*node, context.below("label")).value_or("");
    if (auto group = reader.text("group")) spec.group = *std::move(group);
    spec.item_scoped = reader.boolean("item_scoped", false);
    spec.has_changes = reader.boolean("has_changes", false);
    spec.trigger = reader.boolean("trigger", true);
    spec.audited = reader.boolean("audited", true);
    if (const auto role = reader.choice("readable_by", role_names))
        spec.readable_by = static_cast<Role>(*role);
    if (const auto entity = reader.text("entity_type"))
        spec.entity_type = detail::StoredNames::entity(*entity);
    for (const auto& subject : reader.texts("subjects"))
        spec.subjects.push_back(detail::StoredNames::entity(subject));
    spec.aliases = reader.texts("aliases");
    reader.finish();
    return spec;
}

/// "owner.what_happened".
bool is_stored_name(std::string_view name) {
    char before = '.';
    for (const char c : name) {
        const bool is_word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
        if (!is_word && (c != '.' || before == '.')) return false;
        before = c;
    }
    return before != '.' && name.size() <= name_bytes_max &&
           name.find('.') != std::string_view::npos;
}

/// Where a fault is, as deep as the file goes.
config::Place place_of(const YamlNode& root, const std::vector<std::string>& path) {
    const YamlNode* node = &root;
    config::Place place = root.place;
    for (const std::string& key : path) {
        const auto found = std::ranges::find(node->members, key, &Member::key);
        if (found == node->members.end()) break;
        node = &found->value;
        // A map begins below its key, which is what people look for.
        place = node->kind == YamlNode::Kind::map ? found->place : node->place;
    }
    return place;
}

/// Whether what a fault is about could not be read: that has been told, and what stands there
/// instead is nobody's mistake.
bool is_told(const Fault& fault, const Context& entities, const config::Problems& read) {
    if (fault.path.size() < 2) return false;
    constexpr std::size_t of_a_field = 3;
    Context context = entities;
    for (std::size_t i = 0; i < std::min(fault.path.size(), of_a_field); ++i)
        context = context.below(fault.path[i]);
    const std::string missing =
        entities.below(fault.path[0]).path + ": missing required key '" + fault.path[1] + "'";
    return std::ranges::any_of(read, [&](const config::Problem& problem) {
        return problem.message.starts_with(context.path) || problem.message.starts_with(missing);
    });
}

void report_faults(const config::PluginFile& file,
                   const std::vector<EntitySpec>& entities,
                   const Context& top,
                   std::size_t first) {
    const config::Problems read{top.problems->begin() + static_cast<std::ptrdiff_t>(first),
                                top.problems->end()};
    for (const Fault& fault : faults_of(file.id, entities)) {
        if (is_told(fault, top, read)) continue;
        Context context = top;
        for (const std::string& key : fault.path) context = context.below(key);
        context.report(fault.code, place_of(file.entities, fault.path), fault.message, fault.hint);
    }
}

}  // namespace

std::optional<std::vector<std::string>> keys_in(const config::PluginFile& file) {
    if (!file.library.empty()) return std::nullopt;
    std::vector<std::string> keys;
    for (const Member& member : file.entities.members) keys.push_back(member.key);
    return keys;
}

Manifest manifest_of(const config::PluginFile& file, config::Problems& problems) {
    Manifest manifest{.id = file.id,
                      .version = file.own_version.value_or("1.0.0"),
                      .description = file.description,
                      .depends_on = file.depends_on};
    const Context top{.file = file.file, .plugin = file.id, .path = {}, .problems = &problems};
    if (file.event_types.kind != YamlNode::Kind::null) {
        const Context context = top.below("event_types");
        for (const Member& member : members_of(file.event_types, context, "event types")) {
            const Context below = context.below(member.key);
            if (is_stored_name(member.key))
                manifest.event_types.push_back(read_event_type(member, below));
            else
                below.report("E70",
                             member.place,
                             "cannot name an event type",
                             "Write lower-case words joined by dots: " + file.id + ".happened");
        }
    }
    if (file.entities.kind == YamlNode::Kind::null) return manifest;
    const Context context = top.below("entities");
    const std::size_t before = problems.size();
    for (const Member& member : members_of(file.entities, context, "entities"))
        manifest.entities.push_back(read_entity(member, context.below(member.key)));
    report_faults(file, manifest.entities, context, before);
    return manifest;
}

}  // namespace radd::entities
