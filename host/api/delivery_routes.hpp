#pragma once

/// What an operator sees of deliveries and does to them over HTTP.

#include <string>
#include <vector>

#include <host/db/pool.hpp>
#include <radd/http.hpp>
#include <radd/services.hpp>

namespace radd::api {

/// `/api/v1/deliveries…` and `/api/v1/delivery-queues…`, for administrators. Each act is logged
/// with who did it.
struct DeliveryRoutesParts {
    db::Pool& pool;
    std::vector<std::string> declared;  ///< Queues of the loaded plugins, by name.
    Log& log;
};
[[nodiscard]] std::vector<RouteSpec> delivery_routes(const DeliveryRoutesParts& parts);

}  // namespace radd::api
