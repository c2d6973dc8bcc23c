#pragma once

/// The thread that keeps the leases of a process, and writes what moved without effects.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <host/consumers/cursors.hpp>
#include <host/consumers/runner.hpp>
#include <host/consumers/task.hpp>
#include <host/db/backoff.hpp>
#include <host/db/session.hpp>
#include <host/outbox/tail.hpp>
#include <radd/clock.hpp>

namespace radd::consumers {

struct KeeperParts {
    db::ConnectOptions connect;
    outbox::Tail& tail;
    Clock& clock;
    Random& random;
    Log& log;
    std::string owner;  ///< host:pid:random, unique to this process.
    std::chrono::milliseconds lease;
    std::string installation;                   ///< The same after a restart.
    std::vector<std::string> unloaded_plugins;  ///< Meant to be here, and not disabled.
};

/// What the keeper holds a lease for.
struct Kept {
    Declaration declaration;
    Position* position;
    ConsumerRunner* runner = nullptr;  ///< Null for a task.
    TaskRunner* task = nullptr;        ///< Null for a consumer.
};

/// Has a session of its own, so that no handler, however slow, costs anybody the lease, and no
/// exhausted pool either. Idle it sends one statement per heartbeat while everything is owned, and
/// three while something is not. run() has a thread of its own; the rest is [any-thread].
class Keeper {
public:
    static constexpr std::chrono::milliseconds heartbeat_max{1000};
    static constexpr std::chrono::milliseconds flush_every{100};
    static constexpr std::chrono::milliseconds backoff_cap{std::chrono::seconds{3}};

    /// `acquired` is called when something may run that could not before.
    Keeper(KeeperParts parts, std::vector<Kept> kept, std::function<void()> acquired);

    /// Declares, then renews, acquires, flushes and watches until finish(); then writes what is
    /// unwritten and releases what is not in `hung`.
    void run();
    void finish(std::set<std::string> hung);
    /// Ends what it waits for the database with: the grace is over. Never waits.
    void cut() noexcept;

    /// Something moved in memory.
    void note_unwritten();

    /// When the last round of renewals came through; empty before the first.
    [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> renewed_at() const noexcept {
        const auto at = last_renewal_.load();
        if (at == Instant::duration{}) return std::nullopt;
        return Instant{at};
    }

    /// Statements that keeping has cost so far.
    [[nodiscard]] std::int64_t statements_sent() const noexcept { return statements_sent_; }

private:
    using Instant = std::chrono::steady_clock::time_point;
    struct Overdue {
        std::optional<std::int64_t> warned{};  ///< Event the log knows about.
        std::optional<std::int64_t> now{};     ///< Event that is overdue; 0: a tick of a task.
        std::optional<std::int64_t> shown{};   ///< As the row says.
    };

    void round();
    void wait_until(Instant when, bool woken_by_moves);
    void declare_all();
    void log_declared(const Declaration& declaration, const Declared& found);
    void renew(ConsumerStore& store);
    void acquire(ConsumerStore& store);
    void log_acquired(const Acquired& taken);
    void flush(ConsumerStore& store);
    void look_at_unwritten(ConsumerStore& store, const std::vector<Move>& moves);
    void watch();
    void watch_task(const TaskRunner& task, Overdue& overdue);
    void show_overdue(ConsumerStore& store);
    void leave();
    void log_outage();
    void let_go_of_tasks();
    void connect();

    KeeperParts parts_;
    std::vector<Kept> kept_;
    std::map<std::string, Kept*, std::less<>> by_name_;
    std::function<void()> acquired_;
    db::Backoff backoff_;

    std::unique_ptr<db::Session> session_;
    std::mutex session_mutex_;          ///< For cut(): the pointer, not the session.
    std::set<std::string> undeclared_;  ///< Not run here before they are.
    bool looked_for_disabled_ = false;
    std::int64_t failures_ = 0;
    Instant next_heartbeat_{};
    Instant renewed_at_{};
    std::atomic<Instant::duration> last_renewal_{};  ///< The same, for others to read.
    Instant next_flush_{};
    std::set<std::string> told_standby_;
    std::map<std::string, Overdue> overdue_;
    std::int64_t statements_before_ = 0;  ///< By sessions that are gone.
    std::atomic<std::int64_t> statements_sent_{0};

    std::mutex mutex_;
    std::condition_variable wake_;
    bool unwritten_ = false;
    bool finishing_ = false;
    std::set<std::string> hung_;
};

}  // namespace radd::consumers
