#pragma once

/// Running one consumer: plan, move the cursor, commit, deliver.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <host/consumers/cursors.hpp>
#include <host/consumers/latency.hpp>
#include <host/consumers/position.hpp>
#include <host/consumers/read_ahead.hpp>
#include <host/outbox/tail.hpp>
#include <radd/manifest.hpp>

namespace radd::consumers {

/// What every runner of a process works with; all of it outlives them.
struct RunnerParts {
    db::Pool& pool;
    outbox::Tail& tail;
    const outbox::Catalog& catalog;
    outbox::EmitPolicy policy;
    Clock& clock;
    Log& log;
    std::chrono::milliseconds lease{std::chrono::seconds{10}};
};

/// One consumer as its plugin declares it and the manifest overrides it.
struct ConsumerSetup {
    Declaration declaration;
    std::vector<EventType> listens_to{};
    std::size_t batch = 100;
    std::chrono::milliseconds deadline{std::chrono::seconds{30}};
    Consumer* consumer = nullptr;  ///< Lent; outlives the runner.
};

/// How a tick ended, and so what its caller waits for.
enum class Tick : std::uint8_t {
    standby,      ///< Owned by somebody else, or nobody: wait for the lease.
    idle,         ///< At the head: wait for the tail.
    progressed,   ///< The cursor moved, or may move at once: tick again.
    unavailable,  ///< Nothing was done: back off, then tick again.
};

/// Totals since the start of the process. [any-thread]
struct RunnerCounters {
    std::atomic<std::int64_t> batches{0};
    std::atomic<std::int64_t> planned{0};
    std::atomic<std::int64_t> delivered{0};
    std::atomic<std::int64_t> skipped{0};
    std::atomic<std::int64_t> deliveries_failed{0};  ///< Each is in `skipped` as well.
    Latency plan;                                    ///< Of one event in the plugin's hands.
    Latency deliver;                                 ///< Of one delivery, whether it failed or not.
    /// When tick() last returned: a runner that never comes round makes no progress.
    std::atomic<std::chrono::steady_clock::duration> ticked_at{};
};

/// One thread calls tick(); everything else is [any-thread].
///
/// What it promises is design §5, kept by three things: the cursor is written in the transaction
/// of the effects it settles, compared with its old value and fenced by the epoch; deliveries
/// begin after that commit and are forgotten before they are tried; and whatever a plugin throws
/// ends in this class, as a record and a log line.
class ConsumerRunner {
public:
    /// After an owner that died, so many starts of one event may die before it is set aside.
    static constexpr std::int64_t deaths_max = 3;
    /// Beside the first attempt, for work that lost a race in the database.
    static constexpr int contention_retries = 3;
    /// Failed deliveries that could not be recorded yet.
    static constexpr std::size_t unrecorded_max = 1000;
    /// Far behind, a statement reads so many events, whatever the batch.
    static constexpr std::size_t read_ahead_rows = 1000;

    ConsumerRunner(ConsumerSetup setup, RunnerParts parts);

    /// Takes one batch from the tail and settles it, in as many units of work as its shape, a
    /// failure or caution demand. Never throws.
    Tick tick();

    [[nodiscard]] const Declaration& declaration() const noexcept { return setup_.declaration; }
    [[nodiscard]] Position& position() noexcept { return position_; }
    [[nodiscard]] const RunnerCounters& counters() const noexcept { return counters_; }
    [[nodiscard]] std::chrono::milliseconds deadline() const noexcept { return setup_.deadline; }

    /// Skipped events are to be planned again, up to the request numbered `round`.
    void request_retries(std::int64_t round) noexcept { retry_round_ = round; }

    /// The event a handler is busy with, and since when.
    struct Busy {
        std::int64_t event_id;
        std::chrono::steady_clock::time_point since;
    };
    [[nodiscard]] std::optional<Busy> busy() const;

    /// No further event is planned; what is planned is committed, what is committed is delivered.
    void finish() noexcept { finishing_ = true; }
    /// Not even that: deliveries that have not begun are given up.
    void abandon() noexcept { abandoned_ = true; }
    /// Whether it stopped with an attempt started that it did not finish. After the last tick().
    [[nodiscard]] bool attempt_open() const;

private:
    enum class Outcome : std::uint8_t { done, one_at_a_time, unavailable, fenced };
    using Events = std::span<const outbox::SharedEvent>;

    /// A stretch of the stream that is settled by one move of the cursor.
    struct Unit {
        Standing next;
        std::vector<Skip> skips{};

        void pass(std::int64_t event_id) {
            next.cursor = event_id;
            next.receipt.add(event_id);
        }
        void skip(Skip skipped) {
            next.cursor = skipped.event_id;
            skips.push_back(std::move(skipped));
        }
    };
    /// A skipped event that is planned once more.
    struct Retry {
        std::int64_t record_id;
        SkipPhase phase;
        Event event;
    };
    /// A retry whose commit got no answer.
    struct RetryDoubt {
        std::int64_t record_id;
        std::int64_t event_id;
        std::string stamp;  ///< The time it was to be resolved at, which no other retry has.
    };
    class Watch;  ///< Shows the event in busy() while a handler has it.

    Tick run_tick();
    void begin_ownership(const Acquired& acquired);
    [[nodiscard]] std::vector<outbox::SharedEvent> read();
    Outcome run_events(Events events);
    Outcome run_batch(Events events);
    void plan_in_batch(const Event& event, Unit& unit);
    Outcome run_single(const Event& event);
    Outcome plan_single(const Event& event);
    /// Does `work`, again when it lost a race. What it failed with, rolled back. @throws
    /// Unavailable.
    std::optional<std::string> try_work(const std::function<void()>& work);
    std::optional<Outcome> count_attempt(const Event& event);
    [[nodiscard]] bool wants(const Event& event) const;
    void offer(const Event& event);
    void deal(const Event& event);
    void hand_over(std::int64_t event_id);
    void refuse_overslept(std::int64_t event_id, std::chrono::steady_clock::time_point began);

    Outcome settle(Unit unit);
    void settled(const Unit& unit);
    std::optional<Outcome> resolve_doubt();
    Outcome fenced();
    Outcome give_up();
    void roll_back() noexcept;
    void deliver();
    void record_failed_deliveries() noexcept;
    void log_skip(const Skip& skip);
    void log_doubt(const char* what);

    bool run_retries();  ///< False: a commit is in doubt.
    [[nodiscard]] std::vector<Retry> requested_retries();
    void retry(const Retry& wanted);
    void plan_retry(const Retry& wanted);
    void retried(std::int64_t event_id);
    void resolve_retry_doubt();
    void end_retry(const Retry& wanted, const std::string& error);

    ConsumerSetup setup_;
    RunnerParts parts_;
    ConsumerTraits traits_;
    std::unordered_set<std::string> listens_to_;              ///< Aliases included. Empty: all.
    std::unordered_map<std::string, std::string> new_names_;  ///< Of types, by alias.
    Position position_;
    RunnerCounters counters_;
    outbox::OutboxTransaction tx_;

    bool owned_ = false;  ///< The fields below belong to the lease of standing_.epoch.
    Standing standing_;
    std::int64_t backlog_until_ = 0;       ///< Of a consumer that bootstraps.
    bool after_death_ = false;             ///< The owner before did not release.
    bool write_through_ = false;           ///< Until it was at the head: no move waits in memory.
    std::int64_t cautious_left_ = 0;       ///< Events to run one at a time and counted.
    std::int64_t single_until_ = 0;        ///< A batch failed as a whole: one at a time up to here.
    std::int64_t overslept_ = 0;           ///< Its transaction idled until the server ended it.
    std::optional<std::int64_t> attempt_;  ///< Counted as started by this owner.
    ReadAhead ahead_;                      ///< Not yet planned.
    std::optional<Unit> doubt_;            ///< A commit whose answer never came.
    std::optional<RetryDoubt> retry_doubt_;
    std::vector<Skip> unrecorded_;
    std::int64_t retries_done_ = 0;
    Latency handed_over_;  ///< Not shown: nearly every call has nothing to hand over.

    std::atomic<std::int64_t> retry_round_{0};
    std::atomic<bool> finishing_{false};
    std::atomic<bool> abandoned_{false};
    bool away_ = false;  ///< The database, as far as this consumer has told the log.
    std::atomic<std::int64_t> busy_event_{0};  ///< 0: none.
    std::atomic<std::chrono::steady_clock::duration> busy_since_{};
};

}  // namespace radd::consumers
