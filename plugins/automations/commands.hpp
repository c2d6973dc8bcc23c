#pragma once

/// radd automations …

#include <vector>

#include <radd/manifest.hpp>

namespace automations {

[[nodiscard]] std::vector<radd::CommandSpec> commands();

}  // namespace automations
