#pragma once

/// `/api/v1/accounts…` and `/api/v1/tokens…`, for administrators.

#include <vector>

#include <host/accounts/identities.hpp>
#include <host/db/pool.hpp>
#include <radd/clock.hpp>
#include <radd/http.hpp>
#include <radd/services.hpp>

namespace radd::api {

/// Outlives the routes. Each act is logged with who did it, and never with a secret.
struct AccountRoutesParts {
    db::Pool& pool;
    Random& random;
    accounts::Identities& identities;  ///< Forgets after each act what it has ended.
    Log& log;
};
[[nodiscard]] std::vector<RouteSpec> account_routes(const AccountRoutesParts& parts);
[[nodiscard]] std::vector<RouteSpec> token_routes(const AccountRoutesParts& parts);

}  // namespace radd::api
