#pragma once

/// Rooms over HTTP, for administrators.

#include <vector>

#include <radd/http.hpp>

namespace chat {

[[nodiscard]] std::vector<radd::RouteSpec> routes();

}  // namespace chat
