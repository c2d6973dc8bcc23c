#pragma once

/// What may stand in manifests/*.yaml, as JSON Schema 2020-12, for editors.

#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include <host/plugins/plugin_set.hpp>

namespace radd::cli {

/// host.yaml; keys may be nested or dotted, as the host reads them.
[[nodiscard]] nlohmann::ordered_json host_schema();

/// The manifest of a plugin about which nothing else is known.
[[nodiscard]] nlohmann::ordered_json plugin_schema();

/// The manifest of this one: with its id, its settings, and the names of its consumers.
[[nodiscard]] nlohmann::ordered_json plugin_schema(const loader::LoadedPlugin& plugin);

/// The same, of a library that is not loaded, by what its build has sealed.
/// @throws Error if that is not the report of a manifest.
[[nodiscard]] nlohmann::ordered_json sealed_schema(const std::string& id,
                                                   const nlohmann::ordered_json& seal);

/// Any file of the folder: host.yaml, a plugin that is loaded, another plugin.
[[nodiscard]] nlohmann::ordered_json manifests_schema(const loader::PluginSet& set);

}  // namespace radd::cli
