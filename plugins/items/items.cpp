/// Projects, people, items and comments: the domain that other plugins act on.
///
/// Read in this order: include/items/events.hpp says what happens here, include/items/service.hpp
/// what others may do, directory_items.cpp how a change and its event land together, routes.hpp who
/// may do it over HTTP.

#include <memory>

#include "actions.hpp"
#include "catalog.hpp"
#include "commands.hpp"
#include "directory.hpp"
#include "routes.hpp"
#include <items/service.hpp>
#include <radd/plugin.hpp>

namespace items {
namespace {

radd::Manifest manifest() {
    return {
        .id = RADD_PLUGIN_ID,
        .version = RADD_PLUGIN_VERSION,
        .description = "Projects, people, items and comments",
        .event_types = event_types(),
        .entity_refs = entity_refs(),
        .services = {radd::provide<Directory>(
            [](radd::Services&) { return std::make_unique<SqlDirectory>(); })},
        .actions = actions(),
        .commands = commands(),
        .routes = routes(),
        .migrations = radd::plugin_migrations(),
    };
}

}  // namespace
}  // namespace items

RADD_PLUGIN(items::manifest)
