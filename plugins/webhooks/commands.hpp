#pragma once

/// What an operator does with webhooks from the command line.

#include <vector>

#include <radd/manifest.hpp>

namespace webhooks {

[[nodiscard]] std::vector<radd::CommandSpec> commands();

}  // namespace webhooks
