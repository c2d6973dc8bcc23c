#pragma once

/// A route with what the server must know of it besides.

#include <functional>
#include <optional>
#include <string>

#include <radd/http.hpp>
#include <radd/services.hpp>
#include <radd/stream.hpp>

namespace radd::web {

/// What only the routes of sessions may see: they make, use up and end what others only hold.
struct Credentials {
    std::string session_cookie{};      ///< The value of the session's cookie; empty: none.
    std::string session_csrf_token{};  ///< Of the session that the cookie names, once checked.
    std::string device_cookie{};  ///< Says that this browser has signed in before; empty: none.
    bool is_https = false;  ///< How the client asked, as far as configured proxies vouch for it.
};

struct Route {
    RouteSpec spec;
    std::string owner;         ///< The plugin's id, or "radd".
    Services* host = nullptr;  ///< The owner's. Null: the kernel's, whose handler does not use it.

    /// False, of a route for anyone: it answers while the database is away, and on a thread of its
    /// own, so that it answers as well while every other web thread waits. Who may call any other
    /// route only the database knows.
    bool needs_database = true;

    /// Called instead of spec.handle where it is set. [any-thread: a web thread]
    std::function<HttpResponse(const HttpRequest&, const Credentials&)> handle_session{};

    /// Set: `spec` is route_of() it, and it is opened instead.
    std::optional<StreamSpec> stream{};
};

}  // namespace radd::web
