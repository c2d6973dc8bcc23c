#pragma once

/// Running one periodic task: by the clock, under a lease, and never in a tight loop.

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>

#include <host/consumers/cursors.hpp>
#include <host/consumers/position.hpp>
#include <radd/clock.hpp>
#include <radd/consumer.hpp>
#include <radd/services.hpp>

namespace radd::consumers {

/// One task as its plugin declares it.
struct TaskSetup {
    Declaration declaration;
    bool sleep_first = false;
    /// Of one call of the task. Slices are short; past it others' rules and alarms wait unseen.
    std::chrono::milliseconds deadline{std::chrono::seconds{60}};
    PeriodicTask* task = nullptr;  ///< Lent; outlives the runner.
};

/// One thread calls tick() and interval(); everything else is [any-thread].
class TaskRunner {
public:
    /// When the task's own answer is a throw.
    static constexpr std::chrono::milliseconds interval_fallback{std::chrono::seconds{60}};
    /// What means "never" must not overflow where it is added to the clock.
    static constexpr std::chrono::milliseconds interval_max{std::chrono::hours{24 * 365}};

    TaskRunner(TaskSetup setup, Clock& clock, Log& log)
        : setup_{std::move(setup)}, clock_{clock}, log_{log} {}

    /// Ticks once if the task is enabled, and again as long as it has more to do and `go_on` says
    /// so. Never throws.
    void tick(const std::function<bool()>& go_on);

    /// Time until the next tick, at least PeriodicTask::interval_min. Never throws.
    [[nodiscard]] std::chrono::milliseconds interval();

    [[nodiscard]] const Declaration& declaration() const noexcept { return setup_.declaration; }
    [[nodiscard]] bool sleep_first() const noexcept { return setup_.sleep_first; }
    [[nodiscard]] Position& position() noexcept { return position_; }
    [[nodiscard]] std::chrono::milliseconds deadline() const noexcept { return setup_.deadline; }

    /// Since when the task has had the thread; empty while it waits for its next tick.
    [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> busy_since() const noexcept {
        const auto since = busy_since_.load();
        if (since == std::chrono::steady_clock::duration{}) return std::nullopt;
        return std::chrono::steady_clock::time_point{since};
    }
    [[nodiscard]] bool overdue(std::chrono::steady_clock::time_point now) const noexcept {
        const auto since = busy_since();
        return since && now - *since > setup_.deadline;
    }

private:
    class Watch;  ///< Shows in busy_since() that the task has the thread.

    void log_failure();

    TaskSetup setup_;
    Clock& clock_;
    Log& log_;
    Position position_;
    std::atomic<std::chrono::steady_clock::duration> busy_since_{};  ///< Zero: it is not.
};

}  // namespace radd::consumers
