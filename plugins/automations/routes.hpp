#pragma once

/// /api/v1/automations: rules, their dry run and their log, for administrators.

#include <vector>

#include <radd/http.hpp>

namespace automations {

[[nodiscard]] std::vector<radd::RouteSpec> routes();

}  // namespace automations
