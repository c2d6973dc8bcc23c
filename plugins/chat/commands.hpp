#pragma once

/// What an operator does with rooms from the command line.

#include <vector>

#include <radd/manifest.hpp>

namespace chat {

[[nodiscard]] std::vector<radd::CommandSpec> commands();

}  // namespace chat
