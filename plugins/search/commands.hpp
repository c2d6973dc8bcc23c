#pragma once

/// Searching at a terminal, and building the index anew.

#include <vector>

#include <radd/manifest.hpp>

namespace search {

[[nodiscard]] std::vector<radd::CommandSpec> commands();

}  // namespace search
