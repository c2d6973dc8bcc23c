#pragma once

/// The host's connections, lent one at a time.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <host/db/session.hpp>

namespace radd::db {

class Pool;

/// A session for as long as this lives. What comes back with an open transaction is rolled back;
/// what comes back dead is discarded and opened anew at the next use.
class Lease {
public:
    Lease(Lease&& other) noexcept;
    Lease& operator=(Lease&&) = delete;
    ~Lease();
    [[nodiscard]] Session& operator*() const noexcept { return *session_; }
    [[nodiscard]] Session* operator->() const noexcept { return session_.get(); }

private:
    friend class Pool;
    Lease(Pool& pool, std::unique_ptr<Session> session, std::size_t slot);
    Pool* pool_;
    std::unique_ptr<Session> session_;
    std::size_t slot_;
};

/// Opens lazily, at most `size` sessions. Components that must go on while others hold everything
/// (leases, the tail) own a Session of their own and do not lease. [any-thread]
class Pool {
public:
    static constexpr std::size_t size_max = 200;
    static constexpr std::chrono::seconds lease_timeout{10};

    /// @throws ConfigError unless `size` is in 1 … size_max.
    Pool(ConnectOptions options, std::size_t size);
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    ~Pool();  ///< No lease may outlive it.

    /// Waits at most `timeout`, first come, first served. `purpose` is who asks: it is named when
    /// others wait in vain.
    /// @throws Unavailable if none became free, naming the holders and since when; or as Session().
    [[nodiscard]] Lease lease(std::string purpose,
                              std::chrono::milliseconds timeout = lease_timeout);

    /// Sessions that are lent at this moment.
    [[nodiscard]] std::size_t leased() const;

    struct Counts {
        std::size_t leased = 0;
        std::uint64_t leases = 0;    ///< Lent so far.
        std::uint64_t waits = 0;     ///< Leases that could not be had at once.
        std::uint64_t timeouts = 0;  ///< And those that waited in vain.
    };
    /// For metrics.
    [[nodiscard]] Counts counts() const;
    [[nodiscard]] std::size_t size() const noexcept { return slots_.size(); }
    [[nodiscard]] const ConnectOptions& options() const noexcept { return options_; }

private:
    friend class Lease;
    struct Slot {
        std::unique_ptr<Session> idle{};  ///< Kept open from the last lease, if it survived it.
        bool is_leased = false;
        std::string holder{};
        std::chrono::steady_clock::time_point since{};
    };
    [[nodiscard]] Slot* find_free();
    [[nodiscard]] std::string describe_holders() const;
    void give_back(std::size_t slot, std::unique_ptr<Session> session) noexcept;

    ConnectOptions options_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Slot> slots_;
    std::set<std::uint64_t> waiting_;  ///< By arrival: without it, a newcomer may starve others.
    std::uint64_t arrivals_ = 0;
    Counts counts_;  ///< But for `leased`.
};

}  // namespace radd::db
