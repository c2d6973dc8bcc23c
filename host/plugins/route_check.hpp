#pragma once

/// Do the routes of plugins make sense, each by itself and next to each other and to the kernel's?

#include <cstddef>
#include <string>
#include <vector>

#include <host/config/problem.hpp>
#include <radd/manifest.hpp>

namespace radd::loader {

/// "GET /api/v1/items/{key}", as it is called everywhere.
[[nodiscard]] std::string shown_route(const RouteSpec& route);

/// Its routes, and its streams as routes without a handler.
[[nodiscard]] std::vector<RouteSpec> all_routes(const Manifest& manifest);

/// What is wrong with the routes and streams of one manifest by themselves: E21, E33, E34, E35,
/// E37, E38, E39.
[[nodiscard]] config::Problems check_routes(const Manifest& manifest);

/// A route of one plugin that means the same requests as a route of one before it.
struct RouteClash {
    std::size_t later;    ///< Index into the manifests.
    std::size_t earlier;  ///< The same.
    std::string message;  ///< Names both routes, without their plugins.
};

/// Of plugins alone; within one check_routes() says it. A null manifest has no routes.
[[nodiscard]] std::vector<RouteClash> route_clashes(const std::vector<const Manifest*>& manifests);

}  // namespace radd::loader
