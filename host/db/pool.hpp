#pragma once

/// The host's connections, lent one at a time.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <host/db/session.hpp>

namespace radd::db {

class Pool;

/// A session for as long as this lives. What comes back with an open transaction is rolled back;
/// what comes back dead is discarded and opened anew at the next use.
class Lease {
public:
    Lease(Lease&&) noexcept;
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

    Pool(ConnectOptions options, std::size_t size);
    ~Pool();

    /// Waits at most `timeout`. `purpose` is who asks: it is named when others wait in vain.
    /// @throws Unavailable if none became free, naming the holders and since when; or as Session().
    [[nodiscard]] Lease lease(std::string purpose,
                              std::chrono::milliseconds timeout = lease_timeout);

    [[nodiscard]] const ConnectOptions& options() const noexcept { return options_; }

private:
    friend class Lease;
    struct Slot;
    void give_back(std::size_t slot, std::unique_ptr<Session> session) noexcept;

    ConnectOptions options_;
    std::mutex mutex_;
    std::condition_variable free_;
    std::vector<Slot> slots_;
};

}  // namespace radd::db
