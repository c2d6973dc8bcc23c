#pragma once

/// The catalogue of event types as JSON, for `radd catalog` and the API alike.

#include <string>

#include <host/plugins/plugin_set.hpp>

namespace radd::api {

/// `{"event_types": [{type, label, group, plugin, item_scoped, has_changes, trigger, audited,
/// entity_type, subjects, payload_schema, aliases}]}`, by name. One document, without a line break
/// at its end.
[[nodiscard]] std::string event_types_json(const loader::PluginSet& plugins);

}  // namespace radd::api
