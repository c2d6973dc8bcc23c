#pragma once

/// Policies and calendars for administrators, clocks for everybody.

#include <vector>

#include <radd/manifest.hpp>

namespace sla {

[[nodiscard]] std::vector<radd::RouteSpec> routes();

}  // namespace sla
