#pragma once

/// Which thread works in a transaction of the host's.

#include <utility>

namespace radd::outbox {

/// While it lives, this thread has been given a transaction: a second one beside it could not see
/// what the first has written, would commit without it, and would wait for a session while holding
/// one, so that as many threads as the pool has sessions would wait for each other.
class Working {
public:
    Working() noexcept : outer_{std::exchange(active_, true)} {}
    Working(const Working&) = delete;
    Working& operator=(const Working&) = delete;
    ~Working() { active_ = outer_; }

    [[nodiscard]] static bool active() noexcept { return active_; }

private:
    static inline thread_local bool active_ = false;
    bool outer_;
};

}  // namespace radd::outbox
