#pragma once

/// `/api/v1/session` and `/api/v1/links/{code}`: signing in and out. The only routes that see
/// cookies.

#include <string>
#include <vector>

#include <host/accounts/identities.hpp>
#include <host/accounts/sign_in.hpp>
#include <host/web/route.hpp>

namespace radd::web {

/// Outlives the routes.
struct SessionRoutesParts {
    accounts::SignIn& sign_in;
    accounts::Identities& identities;  ///< Forgets what a sign-out or a link has ended.
    bool public_https = false;         ///< As DispatcherOptions.
    std::vector<std::string>
        plugins{};  ///< Ids of those loaded: a page knows by them what it shows.
};

/// A wrong name or password is 401 without saying which; too many attempts are 429 with
/// Retry-After; a link that is unknown, used, replaced or expired is 404 without saying which.
[[nodiscard]] std::vector<Route> session_routes(const SessionRoutesParts& parts);

}  // namespace radd::web
