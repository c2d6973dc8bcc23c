#include <nlohmann/json.hpp>

#include <host/api/catalog_json.hpp>
#include <host/outbox/catalog.hpp>

namespace radd::api {
namespace {

using nlohmann::ordered_json;

ordered_json names_of(const std::vector<EntityType>& types) {
    ordered_json names = ordered_json::array();
    for (const EntityType& type : types) names.push_back(type.name());
    return names;
}

ordered_json json_for(const outbox::Catalog::Type& type) {
    const EventTypeSpec& spec = *type.spec;
    return {
        {"type", spec.type.name()},
        {"label", spec.label},
        {"group", spec.group},
        {"plugin", type.plugin},
        {"item_scoped", spec.item_scoped},
        {"has_changes", spec.has_changes},
        {"trigger", spec.trigger},
        {"audited", spec.audited},
        {"readable_by", name_of(spec.readable_by)},
        {"entity_type", spec.entity_type ? ordered_json(spec.entity_type->name()) : ordered_json()},
        {"subjects", names_of(spec.subjects)},
        // A schema that is no JSON was refused at boot.
        {"payload_schema",
         spec.payload_schema ? ordered_json::parse(spec.payload_schema->text()) : ordered_json()},
        {"aliases", spec.aliases}};
}

ordered_json json_for(const outbox::Catalog::Action& action) {
    const ActionSpec& spec = *action.spec;
    return {{"action", spec.name},
            {"label", spec.label},
            {"plugin", action.plugin},
            {"subject", spec.subject ? ordered_json(spec.subject->name()) : ordered_json()},
            {"arguments", ordered_json::parse(spec.arguments.text())}};
}

template <typename Map>
ordered_json listed(const Map& entries) {
    ordered_json list = ordered_json::array();
    for (const auto& [name, entry] : entries) list.push_back(json_for(entry));
    return list;
}

std::string dumped(const ordered_json& document) {
    return document.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

std::string event_types_json(const loader::PluginSet& plugins) {
    outbox::Catalog catalog;
    plugins.fill(catalog);
    return dumped({{"event_types", listed(catalog.types())}});
}

std::string actions_json(const loader::PluginSet& plugins) {
    outbox::Catalog catalog;
    plugins.fill(catalog);
    return dumped({{"actions", listed(catalog.actions())}});
}

std::string catalog_json(const loader::PluginSet& plugins) {
    outbox::Catalog catalog;
    plugins.fill(catalog);
    return dumped(
        {{"event_types", listed(catalog.types())}, {"actions", listed(catalog.actions())}});
}

}  // namespace radd::api
