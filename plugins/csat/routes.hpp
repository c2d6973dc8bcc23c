#pragma once

/// `/csat/{token}` for whoever was asked, `/api/v1/csat` for programs.
///
/// Who holds the token may answer, once, and needs no account; nobody else learns whether there is
/// a survey. Reading the page answers nothing, because mail scanners follow links.

#include <vector>

#include <radd/manifest.hpp>

namespace csat {

[[nodiscard]] std::vector<radd::RouteSpec> routes();

}  // namespace csat
