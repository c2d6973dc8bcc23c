#pragma once

/// /api/v1/webhooks: endpoints, their attempts, and replay. Admins only.

#include <vector>

#include <radd/http.hpp>

namespace webhooks {

[[nodiscard]] std::vector<radd::RouteSpec> routes();

}  // namespace webhooks
