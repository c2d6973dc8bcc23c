#pragma once

/// A plugin that is one YAML file: its manifest as the same value that a library would return.

#include <optional>
#include <string>
#include <vector>

#include <host/config/manifest_file.hpp>
#include <host/config/problem.hpp>
#include <radd/manifest.hpp>

namespace radd::entities {

/// The entities that a file without a library declares, as they stand there; empty for one with.
[[nodiscard]] std::optional<std::vector<std::string>> keys_in(const config::PluginFile& file);

/// Of a file without a library. Each problem has its place in the file: keys that nobody knows
/// (E43), missing ones (E45), values of another type (E46, E47, E48), and what faults_of() says.
/// What is wrong is left out of the result.
[[nodiscard]] Manifest manifest_of(const config::PluginFile& file, config::Problems& problems);

}  // namespace radd::entities
