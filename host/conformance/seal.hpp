#pragma once

/// What a build seals a plugin with.

#include <filesystem>

namespace radd::conformance {

/// Asks `plugin` in a child process what it brings, as `radd inspect --live` does, and writes that
/// into `file`. Who may write to the library is left to the hosts that will open it.
/// @throws Error with a line for each problem, as the host would tell them.
void write_manifest(const std::filesystem::path& plugin, const std::filesystem::path& file);

}  // namespace radd::conformance
