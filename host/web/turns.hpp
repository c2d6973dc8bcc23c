#pragma once

/// Whose turn it is: what one caller asks for slowly keeps nobody else waiting.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace radd::web {

enum class Turn : std::uint8_t {
    now,    ///< The job may begin; give_back() when it has ended.
    later,  ///< It is kept: some give_back() returns it.
    never,  ///< Too many of this caller's wait, or the turns have been stopped.
};

/// Knows the callers who have something under way, and no others. [any-thread]
class Turns {
public:
    /// Of one caller each.
    Turns(std::size_t running_max, std::size_t waiting_max);

    [[nodiscard]] Turn take(const std::string& caller, const std::function<void()>& job);

    /// A job of `caller` has ended. The one of theirs that has waited longest, whose turn it is
    /// now; empty: none waits.
    [[nodiscard]] std::function<void()> give_back(const std::string& caller);

    /// Drops what waits; from now on it is nobody's turn.
    void stop();

private:
    struct Caller {
        std::size_t running = 0;
        std::deque<std::function<void()>> waiting{};
    };

    const std::size_t running_max_;
    const std::size_t waiting_max_;
    std::mutex mutex_;
    std::map<std::string, Caller> callers_;
    bool stopped_ = false;
};

}  // namespace radd::web
