#pragma once

/// What a manifest brings, told to people and to machines, by `radd check` as by a file's seal.

#include <string>

#include <nlohmann/json.hpp>

#include <radd/manifest.hpp>

namespace radd::loader {

/// `{description, depends_on, entities, events, …}`: the same for the same manifest, wherever and
/// whenever.
[[nodiscard]] nlohmann::ordered_json manifest_report(const Manifest& manifest);

/// The same in one line without a break, as UTF-8 whatever the manifest's texts are.
[[nodiscard]] std::string manifest_json(const Manifest& manifest);

/// For people: indented lines, each ended by a break and harmless to a terminal, whoever made
/// `report`. What it does not have is left out.
/// @throws Error if it is not the report of a manifest.
[[nodiscard]] std::string report_text(const nlohmann::ordered_json& report);

}  // namespace radd::loader
