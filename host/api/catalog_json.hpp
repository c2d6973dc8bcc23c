#pragma once

/// The catalogue of event types and actions as JSON, for `radd catalog` and the API alike.

#include <string>

#include <host/plugins/plugin_set.hpp>

namespace radd::api {

/// `{"event_types": [{type, label, group, plugin, item_scoped, has_changes, trigger, audited,
/// readable_by, entity_type, subjects, payload_schema, aliases}]}`, by name. One document, without
/// a line break at its end.
[[nodiscard]] std::string event_types_json(const loader::PluginSet& plugins);

/// `{"actions": [{action, label, plugin, subject, arguments}]}`, likewise.
[[nodiscard]] std::string actions_json(const loader::PluginSet& plugins);

/// Both lists in one document.
[[nodiscard]] std::string catalog_json(const loader::PluginSet& plugins);

}  // namespace radd::api
