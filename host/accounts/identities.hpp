#pragma once

/// Who is asking: from a token or a session's cookie to a principal.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <host/db/pool.hpp>
#include <radd/clock.hpp>
#include <radd/http.hpp>

namespace radd::accounts {

/// Looked up in the database, and remembered for a moment, so that a client's next requests cost no
/// round trip. What ends a right is seen at once by the process it was done in, which calls
/// forget(), and by every other one within `remembered_for`.
///
/// Only what was found is remembered: guesses fill no memory. [any-thread]
class Identities {
public:
    static constexpr std::chrono::milliseconds remembered_for{2000};
    static constexpr std::size_t remembered_max = 4096;
    /// For a connection. See SignIn.
    static constexpr std::chrono::milliseconds lease_wait{1000};
    /// How often the use of a token or a session is written down.
    static constexpr std::chrono::seconds touch_interval{60};

    Identities(db::Pool& pool, Clock& clock) : pool_{pool}, clock_{clock} {}

    /// The account or token behind a bearer token; empty if it is unknown, revoked, expired, or its
    /// account is disabled. The principal's id is the account's, or the token's if it acts for
    /// itself; the role is the lower of both.
    /// @throws Unavailable when the database is away and it is not remembered.
    [[nodiscard]] std::optional<Principal> by_token(std::string_view token);

    /// The account that has signed in with this cookie. Moves the end of the session on.
    /// @throws as by_token().
    [[nodiscard]] std::optional<Principal> by_session(std::string_view cookie);

    /// After anything that ends a token, a session or a role.
    void forget();

private:
    using TimePoint = std::chrono::steady_clock::time_point;
    struct Remembered {
        Principal principal;
        TimePoint until;
    };
    struct Found {
        Principal principal;
        std::optional<std::int64_t> ms_left;
    };
    enum class Kind : std::uint8_t { token, session };

    [[nodiscard]] std::optional<Principal> find(Kind kind, std::string_view secret);
    [[nodiscard]] std::optional<Found> look_up(Kind kind, const std::string& hash);
    void remember(const std::string& key, const Found& found, std::uint64_t generation);

    db::Pool& pool_;
    Clock& clock_;
    std::mutex mutex_;
    std::unordered_map<std::string, Remembered> remembered_;  ///< By kind and hash.
    std::uint64_t generation_ = 0;                            ///< Of forget().
};

}  // namespace radd::accounts
