#pragma once

/// How often sign-in may be tried, over all hosts and restarts.
///
/// Guessing is bounded three ways. One address at one name: a few attempts, then one a minute. One
/// address at all names, so that it cannot try one password with each. All addresses at one name,
/// so that many machines together guess no faster. The last is what an attacker could use to keep
/// somebody out, and is why it counts strangers alone: a browser that has signed in as somebody
/// carries a device cookie and has a bucket to itself, which nobody else can fill. One address
/// can fill the bucket of a name no faster than that empties, so it takes several machines to hold
/// up even a new browser; and a one-time link, made by another administrator or on the command
/// line, is counted nowhere, so nobody is locked out for ever.

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <host/db/session.hpp>
#include <radd/error.hpp>

namespace radd::accounts {

/// Holds `depth` attempts and loses one every `step`.
struct BucketSize {
    std::int64_t depth;
    std::chrono::milliseconds step;
};

inline constexpr BucketSize per_name_and_address{5, std::chrono::minutes{1}};
inline constexpr BucketSize per_address{20, std::chrono::seconds{15}};
inline constexpr BucketSize per_name{30, std::chrono::seconds{10}};
inline constexpr BucketSize per_device{10, std::chrono::seconds{30}};

/// Sign-in was tried too often; right and wrong passwords are refused alike and unseen.
class TooManyAttempts : public Error {
public:
    explicit TooManyAttempts(std::chrono::seconds retry_after)
        : Error{"too many attempts to sign in; try again in " +
                std::to_string(retry_after.count()) + " s"},
          retry_after_{retry_after} {}

    /// When the next attempt will be taken, if nobody else comes first.
    [[nodiscard]] std::chrono::seconds retry_after() const noexcept { return retry_after_; }

private:
    std::chrono::seconds retry_after_;
};

/// One attempt to sign in. Counted before the password is looked at, so that attempts at once do
/// not pass together, and taken back when it was right.
class CountedAttempt {
public:
    /// Empty buckets that one attempt clears away.
    static constexpr int idle_buckets_max = 10;

    /// `device_hash`: of a browser that is known to have signed in under this name.
    /// @throws TooManyAttempts; Unavailable, SqlError as Session::query().
    CountedAttempt(db::Session& session,
                   const std::string& name,
                   std::string_view address,
                   const std::optional<std::string>& device_hash);

    /// It was right: counts no more.
    void take_back(db::Session& session) const;

private:
    struct Bucket {
        std::string kind;
        std::string name;
        std::string place;
        BucketSize size;
    };
    static void charge(db::Session& session, const Bucket& bucket);

    std::vector<Bucket> buckets_;
};

}  // namespace radd::accounts
