#pragma once

/// Making the attempts of one queue.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <host/db/pool.hpp>
#include <host/delivery/lanes.hpp>
#include <host/delivery/stored_queue.hpp>
#include <radd/clock.hpp>
#include <radd/services.hpp>

namespace radd::delivery {

/// What a queue is run with; all of it outlives the runner.
struct RunnerParts {
    db::Pool& pool;
    Database& database;
    Clock& clock;
    Random& random;
    Log& log;
};

/// One queue as its plugin declares it.
struct QueueSetup {
    DeliveryQueueSpec spec;
    Services* services = nullptr;  ///< Of the plugin; for the schedule.
    StoredQueue* queue = nullptr;
    DeliveryHandler* handler = nullptr;
};

/// Since the start of the process, for metrics.
struct QueueTotals {
    std::string name;
    std::int64_t attempts = 0;
    std::int64_t delivered = 0;
    std::int64_t failed = 0;  ///< And to be tried again.
    std::int64_t dead = 0;
    std::int64_t cancelled = 0;
    std::int64_t late = 0;  ///< Results that came too late to count.
    std::int32_t in_flight = 0;
    std::int64_t overdue = 0;  ///< Of these, those that have outlived the timeout of the spec.
    std::size_t lanes_resting = 0;
};

/// A thread that claims due rows, and as many as are needed, up to the spec's concurrency, that
/// make the attempts. Any number of processes may run the same queue.
class QueueRunner {
public:
    /// Time between looks for due rows when this process knows of none: so late may be what another
    /// one has queued, and so often each queue costs an idle database a statement.
    static constexpr std::chrono::milliseconds poll_idle{2000};
    /// While an attempt that this process has put off is to come: so late may that one be.
    static constexpr std::chrono::milliseconds poll_awaited{500};
    /// For a second after this process has queued something, whose commit may still be under way.
    static constexpr std::chrono::milliseconds poll_busy{10};
    static constexpr std::chrono::seconds busy_for{1};
    /// A claim outlasts the attempt by this: time to record the result.
    static constexpr std::chrono::seconds claim_margin{30};
    static constexpr std::chrono::seconds idle_thread_ends_after{10};
    /// Granted by every stop: time for a thread that is in nobody's hands to end.
    static constexpr std::chrono::milliseconds last_wait{500};
    static constexpr int lanes_per_walk_max = 200;
    static constexpr std::ptrdiff_t recording_max = 4;  ///< Sessions used at once for results.

    QueueRunner(QueueSetup setup, RunnerParts parts);
    QueueRunner(const QueueRunner&) = delete;
    QueueRunner& operator=(const QueueRunner&) = delete;
    ~QueueRunner();  ///< As stop() without grace.

    void start();

    /// Claims no further row. Rows that were claimed and not begun are given back. Returns at once.
    void request_stop();

    /// After request_stop(): waits for the attempts under way until `deadline`, or last_wait. How
    /// many threads were left behind; the process must then end without destroying what they use.
    /// What they attempt is due again when their claim has passed.
    std::size_t stop(std::chrono::steady_clock::time_point deadline);
    /// The deadline of a stop() that is under way is now.
    void cut_grace() noexcept;

    /// One look for due rows: how many attempts were begun. For tests and for the runner's thread.
    std::size_t claim();
    /// Makes one attempt that was claimed, on the caller's thread. False: there was none.
    bool perform_one();

    [[nodiscard]] QueueTotals totals() const;

private:
    struct State;
    // Also owned by each thread, which may outlive the grace and this.
    std::shared_ptr<State> state_;
};

}  // namespace radd::delivery
