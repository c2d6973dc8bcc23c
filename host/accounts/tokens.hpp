#pragma once

/// Bearer tokens of programs, as an administrator manages them.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <host/accounts/accounts.hpp>
#include <host/db/session.hpp>
#include <radd/clock.hpp>

namespace radd::accounts {

struct NewToken {
    std::string name;
    Role role;
    std::optional<std::string> account_id{};         ///< Whom it acts for; empty: for itself.
    std::optional<std::chrono::seconds> lifetime{};  ///< Empty: until it is revoked.
};

/// "90d", and what manifests know: "12h", "30m". @throws InvalidInput with field "lifetime".
[[nodiscard]] std::chrono::seconds lifetime_from(std::string_view text);

struct MadeToken {
    Token token;
    std::string secret;  ///< The token itself, `radd_…`: it exists nowhere else.
};

/// Each call is a transaction of its own. @throws Unavailable, SqlError as Session::query().
class Tokens {
public:
    static constexpr std::chrono::seconds lifetime_min{60};
    static constexpr std::chrono::seconds lifetime_max{std::chrono::hours{24} * 3660};

    Tokens(db::Session& session, Random& random) : session_{session}, random_{random} {}

    /// @throws InvalidInput with field "name", "lifetime", or "account_id" if there is no such
    ///         account, it is disabled, or it has fewer rights than the token would.
    [[nodiscard]] MadeToken create(const NewToken& token);

    /// Newest first, revoked and expired ones included. `after`: the id of the last one seen.
    [[nodiscard]] Page<Token> list(const std::optional<std::string>& after,
                                   std::int64_t rows_max = list_rows_max);

    /// Ends it; again does nothing. Empty: no such id.
    std::optional<Token> revoke(const std::string& id);

private:
    db::Session& session_;
    Random& random_;
};

}  // namespace radd::accounts
