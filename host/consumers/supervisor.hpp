#pragma once

/// The workers of one process: a thread per consumer and task, and one that keeps their leases.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <host/consumers/runner.hpp>
#include <host/consumers/task.hpp>
#include <host/db/pool.hpp>
#include <host/outbox/tail.hpp>
#include <radd/clock.hpp>

namespace radd::consumers {

/// What the workers use; all of it outlives them.
struct WorkersParts {
    db::Pool& pool;
    outbox::Tail& tail;
    const outbox::Catalog& catalog;
    outbox::EmitPolicy policy;
    Clock& clock;
    Random& random;
    Log& log;
};

struct WorkersOptions {
    bool run_workers = true;  ///< False: nothing is seeded, nothing runs.
    std::chrono::milliseconds lease{std::chrono::seconds{10}};
    std::chrono::milliseconds backoff_cap{std::chrono::seconds{5}};
    /// Names this host and its set of plugins over restarts (installation.name): what another one
    /// ran is not disabled because it is missing here.
    std::string installation{};
    /// Plugins that could not be loaded: what they declared is not disabled either.
    std::vector<std::string> unloaded_plugins{};
};

/// A thread per consumer, because a handler that hangs must block itself alone. Any number of
/// processes may run the same consumers: each is owned by one of them at a time.
class Workers {
public:
    /// The tail must have been started before start(), and is stopped after stop().
    Workers(WorkersParts parts,
            WorkersOptions options,
            std::vector<ConsumerSetup> consumers,
            std::vector<TaskSetup> tasks);
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;
    ~Workers();  ///< As stop() without grace.

    /// Returns at once: declaring and acquiring is done by a thread of its own, which goes on
    /// trying while the database is away. Once only.
    void start();

    /// Plans no further event; lets current handlers finish, commits and delivers what they have
    /// planned, writes what is unwritten and releases the leases. Handlers that are not back
    /// within `grace` are left behind: their names are returned, their threads still run, and the
    /// process must end without destroying what they use (std::_Exit). Their leases are not
    /// released. So is the keeper, when the database does not answer. Returns within `grace` and
    /// a second, whatever hangs. Safe twice, and without start().
    std::vector<std::string> stop(std::chrono::milliseconds grace);

    /// Nobody begins anything more; what is at work goes on. Before a stop() that comes later.
    void request_stop();

    /// Whether stop() has begun and every runner knows it.
    [[nodiscard]] bool stopping() const;

    /// The grace of a stop() that is under way is over now.
    void cut_grace() noexcept;

    [[nodiscard]] const std::string& owner() const noexcept;

    /// Whether this process owns `name` now.
    [[nodiscard]] bool owns(const std::string& name) const;
    [[nodiscard]] std::size_t owned_count() const;

    /// Statements that keeping the leases has cost so far; handlers' own are not in it.
    [[nodiscard]] std::int64_t keeper_statements() const noexcept;

    struct Totals {
        std::string name;
        std::int64_t batches;
        std::int64_t planned;
        std::int64_t delivered;
        std::int64_t skipped;
        std::int64_t deliveries_failed;  ///< Each is in `skipped` as well.
        Latency::Counts plan;
        Latency::Counts deliver;
    };
    /// Since the start of the process, for metrics.
    [[nodiscard]] std::vector<Totals> totals() const;

    /// A consumer's thread that has not come round for so long, and is not in a plugin's hands,
    /// makes no progress. Longer than a lease from the pool and a statement may take together.
    static constexpr std::chrono::seconds stuck_after{60};

    /// Whether the threads do what they are for. [any-thread]
    struct Pulse {
        std::size_t threads = 0;        ///< Of consumers and tasks.
        std::size_t threads_ended = 0;  ///< Though nobody has asked them to.
        std::size_t threads_stuck = 0;  ///< See stuck_after; and tasks past their deadline.
        std::size_t leases_held = 0;
        std::optional<std::chrono::steady_clock::time_point> renewed_at{};  ///< As Keeper's.
    };
    [[nodiscard]] Pulse pulse() const;

private:
    struct Shared;
    // Also owned by each thread, which may outlive a handler's grace and this.
    std::shared_ptr<Shared> shared_;
};

}  // namespace radd::consumers
