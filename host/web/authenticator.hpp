#pragma once

/// Who is asking: how the server learns it, without knowing what an account is.

#include <optional>
#include <string>
#include <string_view>

#include <radd/http.hpp>

namespace radd::web {

struct Identity {
    Principal principal;
    bool by_session = false;   ///< By a cookie, which a browser also sends when a stranger asks.
    std::string csrf_token{};  ///< Of the session: what an unsafe request must repeat.
};

/// [any-thread: the web threads] Compares in constant time; logs no secret.
class Authenticator {
public:
    virtual ~Authenticator() = default;

    /// The holder of a bearer token, or of the session a cookie names; empty if it is unknown,
    /// revoked or expired, without saying which. @throws Unavailable when the database is away.
    [[nodiscard]] virtual std::optional<Identity> by_token(std::string_view token) = 0;
    [[nodiscard]] virtual std::optional<Identity> by_session(std::string_view cookie) = 0;
};

}  // namespace radd::web
