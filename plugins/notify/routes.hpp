#pragma once

/// `/api/v1/notify`: the inbox, the preferences and the watches of whoever calls. Nobody reads or
/// changes another's.

#include <vector>

#include <radd/manifest.hpp>

namespace notify {

[[nodiscard]] std::vector<radd::RouteSpec> routes();

}  // namespace notify
