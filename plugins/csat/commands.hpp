#pragma once

/// What an operator does with surveys from the command line.

#include <vector>

#include <radd/manifest.hpp>

namespace csat {

[[nodiscard]] std::vector<radd::CommandSpec> commands();

}  // namespace csat
