#pragma once

/// Getting in: by name and password, or by a one-time link.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <host/accounts/account.hpp>
#include <host/accounts/passwords.hpp>
#include <host/accounts/sign_in_limit.hpp>
#include <host/db/pool.hpp>
#include <radd/clock.hpp>
#include <radd/services.hpp>

namespace radd::accounts {

/// A session ends when nobody was there for the first, and in any case after the second.
inline constexpr std::chrono::hours session_idle_max{12};
inline constexpr std::chrono::hours session_lifetime_max{24 * 7};
/// How long a browser is known to have signed in.
inline constexpr std::chrono::hours device_lifetime{24 * 90};
/// Of one account. One more ends the one that was seen last longest ago.
inline constexpr int sessions_per_account_max = 50;
inline constexpr int devices_per_account_max = 50;

/// Where a request comes from.
struct Browser {
    std::string address;          ///< Of the client.
    std::string device_cookie{};  ///< As SignedIn gave it once; empty: none.
};

/// What a browser gets. The cookies are secrets, and exist nowhere else.
struct SignedIn {
    Account account;
    std::string session_cookie;
    std::string csrf_token;
    std::string device_cookie;
};

/// What a one-time link is for.
struct OpenLink {
    LinkPurpose purpose;
    std::optional<std::string> account_name;  ///< Whose password it sets.
    std::string expires_at;
};

/// Writes one line for each success and failure, without any secret, and without what was typed as
/// a name unless somebody has it. [any-thread]
class SignIn {
public:
    /// For a connection. The pool is small and its own: a request that waits holds a thread.
    static constexpr std::chrono::milliseconds lease_wait{1000};
    /// Of sessions and devices that have expired: what one sign-in clears away.
    static constexpr int expired_rows_max = 100;

    SignIn(db::Pool& pool, Passwords& passwords, Random& random, Log& log)
        : pool_{pool}, passwords_{passwords}, random_{random}, log_{log} {}

    /// Empty: the name is unknown, the account is disabled or has no password, or the password is
    /// another one; these are not told apart, by the answer or by what it costs.
    /// @throws TooManyAttempts; InvalidInput with field "name" as require_name(); Unavailable if
    ///         the database is away or too many passwords are being checked.
    [[nodiscard]] std::optional<SignedIn> sign_in(const std::string& name,
                                                  const std::string& password,
                                                  const Browser& browser);

    /// Empty: unknown, used, replaced or expired, which are not told apart.
    [[nodiscard]] std::optional<OpenLink> find_link(std::string_view code);

    /// Sets the password, and makes the account if the link is for the first administrator, and
    /// signs in. Ends the other sessions of the account. Of many requests with one link exactly
    /// one succeeds; of one that fails the link stays good. Empty as find_link().
    /// @throws InvalidInput with field "password" as require_acceptable(), or "name": missing or
    ///         taken, where the link makes an account; another one than the account's, where it
    ///         does not. Unavailable as sign_in().
    [[nodiscard]] std::optional<SignedIn> use_link(std::string_view code,
                                                   const std::optional<std::string>& name,
                                                   const std::string& password,
                                                   const Browser& browser);

    /// Ends the session of this cookie, if there is one.
    void sign_out(std::string_view session_cookie);

private:
    [[nodiscard]] SignedIn admit(db::Session& session, Account account, const Browser& browser);

    db::Pool& pool_;
    Passwords& passwords_;
    Random& random_;
    Log& log_;
};

}  // namespace radd::accounts
