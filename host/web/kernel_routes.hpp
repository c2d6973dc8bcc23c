#pragma once

/// Route specs of the kernel as routes of the server.

#include <string>
#include <vector>

#include <host/web/route.hpp>

namespace radd::web {

/// Whose handlers bring what they need, so that `host` is lent to who does not use it.
/// @param needs_database As Route's.
[[nodiscard]] std::vector<Route> kernel_routes(std::vector<RouteSpec> specs,
                                               Services& host,
                                               bool needs_database = true);

}  // namespace radd::web
