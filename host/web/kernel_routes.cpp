#include <utility>

#include <host/web/kernel_routes.hpp>

namespace radd::web {

std::vector<Route> kernel_routes(std::vector<RouteSpec> specs,
                                 Services& host,
                                 bool needs_database) {
    std::vector<Route> routes;
    for (RouteSpec& spec : specs) {
        routes.push_back({.spec = std::move(spec),
                          .owner = "radd",
                          .host = &host,
                          .needs_database = needs_database});
    }
    return routes;
}

}  // namespace radd::web
