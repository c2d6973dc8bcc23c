#pragma once

/// The routes as an OpenAPI 3.1 document, for people and for generators of clients.

#include <span>
#include <string>
#include <vector>

#include <host/web/route.hpp>

namespace radd::web {

struct OpenApiInfo {
    std::string version;     ///< Of this host.
    std::string public_url;  ///< The server that the document names.
    std::string session_cookie;
};

/// One JSON document with every route: its parameters, body, answers and the errors that it may
/// give as any other. Operation ids follow from method and path and so stay as long as these do.
/// @throws ConfigError naming the route whose schema is not JSON.
[[nodiscard]] std::string openapi_document(std::span<const Route> routes, const OpenApiInfo& info);

/// Adds GET /api/v1/openapi.json, which describes `routes` and itself. Not on the thread of probes:
/// anyone may ask for it, it is large, and a probe must not wait behind a flood of it. `host` is
/// lent to a handler that does not use it.
void add_openapi_route(std::vector<Route>& routes, Services& host, const OpenApiInfo& info);

}  // namespace radd::web
