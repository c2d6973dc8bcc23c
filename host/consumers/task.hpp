#pragma once

/// Running one periodic task: by the clock, under a lease, and never in a tight loop.

#include <chrono>
#include <functional>

#include <host/consumers/cursors.hpp>
#include <host/consumers/position.hpp>
#include <radd/consumer.hpp>
#include <radd/services.hpp>

namespace radd::consumers {

/// One task as its plugin declares it.
struct TaskSetup {
    Declaration declaration;
    bool sleep_first = false;
    PeriodicTask* task = nullptr;  ///< Lent; outlives the runner.
};

/// One thread calls tick() and interval(); position() is [any-thread].
class TaskRunner {
public:
    /// When the task's own answer is a throw.
    static constexpr std::chrono::milliseconds interval_fallback{std::chrono::seconds{60}};
    /// What means "never" must not overflow where it is added to the clock.
    static constexpr std::chrono::milliseconds interval_max{std::chrono::hours{24 * 365}};

    TaskRunner(TaskSetup setup, Log& log) : setup_{std::move(setup)}, log_{log} {}

    /// Ticks once if the task is enabled, and again as long as it has more to do and `go_on` says
    /// so. Never throws.
    void tick(const std::function<bool()>& go_on);

    /// Time until the next tick, at least PeriodicTask::interval_min. Never throws.
    [[nodiscard]] std::chrono::milliseconds interval();

    [[nodiscard]] const Declaration& declaration() const noexcept { return setup_.declaration; }
    [[nodiscard]] bool sleep_first() const noexcept { return setup_.sleep_first; }
    [[nodiscard]] Position& position() noexcept { return position_; }

private:
    void log_failure();

    TaskSetup setup_;
    Log& log_;
    Position position_;
};

}  // namespace radd::consumers
