#pragma once

/// Secrets by reference: they stay out of manifests, which people commit and paste.

#include <cstddef>
#include <optional>
#include <string>

#include <host/config/environment.hpp>
#include <host/config/fields.hpp>

namespace radd::config {

/// Longest secret that is read from a file.
inline constexpr std::size_t secret_bytes_max = std::size_t{64} * 1024;

/// Follows `{env: NAME}`, a variable that is set and not empty, or `{file: path}`, a regular file
/// that is not empty, relative to the folder of `context.file`; its one trailing line end is
/// dropped. Anything else is reported, and the value is never part of the report.
[[nodiscard]] std::optional<std::string> read_secret(const YamlNode& node,
                                                     const Context& context,
                                                     const EnvLookup& environment);

}  // namespace radd::config
