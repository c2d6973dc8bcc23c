#pragma once

/// What the threads of one queue share.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <list>
#include <mutex>
#include <semaphore>
#include <string>
#include <thread>

#include <host/delivery/queue_runner.hpp>

namespace radd::delivery {

/// A row that counts so many is dead: no schedule is as long, and the column ends.
inline constexpr std::int32_t attempts_max = 1'000'000;

struct Claimed {
    Delivery delivery;
    bool spent = false;  ///< Its process died in its last attempt, or it has had attempts_max: it
                         ///< is dead, and not begun.
    std::chrono::steady_clock::time_point until{};  ///< Of the claim, by this host's clock.
};

/// An attempt that is in the hands of the handler.
struct Begun {
    const Claimed* claimed;  ///< Of the thread that makes the attempt.
    std::chrono::steady_clock::time_point at;
    bool warned = false;
};

struct Thread {
    std::thread thread;
    std::shared_ptr<std::atomic<bool>> done;
};

struct QueueRunner::State {
    State(QueueSetup with, RunnerParts parts_of);

    // queue_claim.cpp
    std::size_t claim();
    /// Goes round all lanes once at most, from `walked_to` on, until a walk has claimed something.
    std::size_t claim_of(Lanes::Kind kind, std::string& walked_to);
    /// Looks at lanes_per_walk_max lanes and moves `walked_to`: empty at the end of the lanes.
    std::size_t walk(const Lanes::Room& room, std::string& walked_to);
    [[nodiscard]] std::vector<std::chrono::seconds> schedule() const;
    void give_back();

    // queue_perform.cpp
    bool perform_one();
    /// Warns, once each, of attempts that have outlived the timeout of the spec.
    void watch();
    [[nodiscard]] bool is_overdue(const Begun& one) const {
        return now() - one.at > setup.spec.timeout;
    }
    AttemptResult attempt(const Claimed& claimed) noexcept;
    void record(const Claimed& claimed, const AttemptResult& result) noexcept;
    [[nodiscard]] bool record_once(const Claimed& claimed, const AttemptResult& result);
    void tell_handler(Transaction& tx, const Claimed& claimed, const Settled& settled);
    void await(std::chrono::milliseconds wait);
    void count(const AttemptResult& result, std::string_view state);

    [[nodiscard]] std::chrono::steady_clock::time_point now() const {
        return parts.clock.steady_now();
    }

    QueueSetup setup;
    RunnerParts parts;

    mutable std::mutex mutex;
    std::condition_variable changed;  ///< Something to claim, to do, or to stop for.
    Lanes lanes;
    std::deque<Claimed> waiting;  ///< Claimed, and not begun.
    std::list<Begun> begun;
    Thread claiming;
    std::list<Thread> workers;
    std::int32_t idle_workers = 0;
    std::chrono::steady_clock::time_point busy_until{};
    std::chrono::steady_clock::time_point awaited_until{};  ///< No attempt is known of past it.
    bool stopping = false;
    QueueTotals totals;

    // Of the claiming thread alone.
    std::string all_walked_to;
    std::string answering_walked_to;
    std::int64_t failures = 0;

    std::counting_semaphore<recording_max> recording{recording_max};
    std::atomic<bool> grace_cut{false};
};

}  // namespace radd::delivery
