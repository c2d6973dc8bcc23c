#pragma once

/// `radd sla …`

#include <vector>

#include <radd/manifest.hpp>

namespace sla {

[[nodiscard]] std::vector<radd::CommandSpec> commands();

}  // namespace sla
