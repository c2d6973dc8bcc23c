#include <algorithm>

#include <host/consumers/failure.hpp>
#include <host/db/backoff.hpp>
#include <host/delivery/queue_state.hpp>

namespace radd::delivery {
namespace {

template <typename Work>
Thread thread_of(Work work) {
    auto done = std::make_shared<std::atomic<bool>>(false);
    return {std::thread{[work = std::move(work), done] {
                work();
                *done = true;
            }},
            done};
}

template <typename State>
void run_worker(State& state) {
    for (;;) {
        while (state.perform_one()) {}
        std::unique_lock lock{state.mutex};
        ++state.idle_workers;
        const bool called = state.changed.wait_for(lock, QueueRunner::idle_thread_ends_after, [&] {
            return state.stopping || !state.waiting.empty();
        });
        --state.idle_workers;
        if (state.waiting.empty() && (state.stopping || !called)) return;
    }
}

/// Threads for what was claimed; those that have ended are joined.
template <typename StatePointer>
void employ(const StatePointer& state) {
    const std::scoped_lock lock{state->mutex};
    std::erase_if(state->workers, [](Thread& worker) {
        if (!*worker.done) return false;
        worker.thread.join();
        return true;
    });
    const auto limit = static_cast<std::size_t>(state->setup.spec.concurrency);
    auto free = static_cast<std::size_t>(state->idle_workers);
    for (; free < state->waiting.size() && state->workers.size() < limit; ++free)
        state->workers.push_back(thread_of([state] { run_worker(*state); }));
}

template <typename State>
std::chrono::milliseconds look(State& state) {
    try {
        const auto begun = state.claim();
        state.failures = 0;
        const std::scoped_lock lock{state.mutex};
        if (begun > 0) state.busy_until = state.now() + QueueRunner::busy_for;
        if (begun > 0) return std::chrono::milliseconds{0};
        if (state.now() < state.busy_until) return QueueRunner::poll_busy;
        return state.now() < state.awaited_until ? QueueRunner::poll_awaited
                                                 : QueueRunner::poll_idle;
    } catch (...) {
        ++state.failures;
        if (state.failures == 1) {
            state.parts.log.warn("queue " + state.setup.spec.name + ": " +
                                 consumers::describe_current_exception() +
                                 "; looking again until it works");
        }
        return db::Backoff{state.parts.random, QueueRunner::poll_awaited, std::chrono::seconds{10}}
            .after(state.failures);
    }
}

template <typename StatePointer>
void run_claims(const StatePointer& state) {
    for (;;) {
        const auto wait = look(*state);
        state->watch();
        employ(state);
        std::unique_lock lock{state->mutex};
        if (state->stopping) return;
        if (wait.count() == 0) continue;
        const auto in_flight = state->lanes.in_flight();
        const auto busy_until = state->busy_until;
        // What has ended makes room, and what was queued may be due.
        state->changed.wait_for(lock, wait, [&] {
            return state->stopping || state->busy_until != busy_until ||
                   state->lanes.in_flight() < in_flight;
        });
        if (state->stopping) return;
    }
}

}  // namespace

QueueRunner::QueueRunner(QueueSetup setup, RunnerParts parts)
    : state_{std::make_shared<State>(std::move(setup), parts)} {}

QueueRunner::~QueueRunner() {
    request_stop();
    stop(state_->now());
    state_->setup.queue->when_queued({});
}

void QueueRunner::start() {
    state_->setup.queue->when_queued([state = std::weak_ptr{state_}] {
        const auto alive = state.lock();
        if (!alive) return;
        {
            const std::scoped_lock lock{alive->mutex};
            alive->busy_until = alive->now() + busy_for;
        }
        alive->changed.notify_all();
    });
    const std::scoped_lock lock{state_->mutex};
    state_->claiming = thread_of([state = state_] { run_claims(state); });
}

void QueueRunner::request_stop() {
    {
        const std::scoped_lock lock{state_->mutex};
        state_->stopping = true;
    }
    state_->changed.notify_all();
    state_->give_back();
}

std::size_t QueueRunner::stop(std::chrono::steady_clock::time_point deadline) {
    std::list<Thread> threads;
    {
        const std::scoped_lock lock{state_->mutex};
        if (state_->claiming.thread.joinable()) threads.push_back(std::move(state_->claiming));
    }
    constexpr std::chrono::milliseconds look_every{2};
    const auto wait = [&] {
        const auto at_least = state_->now() + last_wait;
        while (std::ranges::any_of(threads, [](const Thread& one) { return !*one.done; }) &&
               (state_->now() < at_least || (state_->now() < deadline && !state_->grace_cut)))
            std::this_thread::sleep_for(look_every);
    };
    wait();  // The claiming thread first: until it has ended, it may employ another.
    {
        const std::scoped_lock lock{state_->mutex};
        threads.splice(threads.end(), state_->workers);
    }
    state_->give_back();
    wait();
    std::size_t left = 0;
    for (Thread& one : threads) {
        if (*one.done) {
            one.thread.join();
            continue;
        }
        one.thread.detach();
        ++left;
    }
    return left;
}

void QueueRunner::cut_grace() noexcept {
    state_->grace_cut = true;
    state_->changed.notify_all();
}

std::size_t QueueRunner::claim() {
    return state_->claim();
}

bool QueueRunner::perform_one() {
    return state_->perform_one();
}

QueueTotals QueueRunner::totals() const {
    const std::scoped_lock lock{state_->mutex};
    QueueTotals totals = state_->totals;
    totals.in_flight = state_->lanes.in_flight();
    totals.overdue = std::ranges::count_if(
        state_->begun, [&](const Begun& one) { return state_->is_overdue(one); });
    totals.lanes_resting = state_->lanes.resting(state_->now());
    return totals;
}

}  // namespace radd::delivery
