#pragma once

/// `radd project …`, `radd person …` and `radd item …`.

#include <vector>

#include <radd/manifest.hpp>

namespace items {

[[nodiscard]] std::vector<radd::CommandSpec> commands();

}  // namespace items
