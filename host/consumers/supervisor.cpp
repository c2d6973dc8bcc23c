#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <set>
#include <thread>

#include <host/consumers/keeper.hpp>
#include <host/consumers/supervisor.hpp>
#include <host/db/backoff.hpp>
#include <unistd.h>

namespace radd::consumers {
namespace {

constexpr std::chrono::milliseconds standby_wait{1000};
constexpr std::chrono::milliseconds idle_wait{500};
/// After the grace, for what only had to notice that it is over.
constexpr std::chrono::milliseconds last_wait{200};
/// At least so long the keeper may write and release, however much of the grace is left.
constexpr std::chrono::milliseconds keeper_wait{500};

std::string make_owner(Random& random) {
    std::array<char, 256> host{};
    if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
    std::array<char, 32> tail{};
    std::snprintf(tail.data(),
                  tail.size(),
                  ":%d:%08x",
                  static_cast<int>(getpid()),
                  static_cast<unsigned>(random.bits() & 0xffffffffU));
    return std::string{host.data()} + tail.data();
}

/// Whether to go on, and something to wait on that a stop cuts short.
class Halt {
public:
    [[nodiscard]] bool requested() const {
        const std::scoped_lock lock{mutex_};
        return requested_;
    }
    void request() {
        {
            const std::scoped_lock lock{mutex_};
            requested_ = true;
        }
        changed_.notify_all();
    }
    /// Leases came: who waits for one looks again.
    void ring() {
        {
            const std::scoped_lock lock{mutex_};
            ++rings_;
        }
        changed_.notify_all();
    }
    [[nodiscard]] std::uint64_t rings() const {
        const std::scoped_lock lock{mutex_};
        return rings_;
    }
    void wait(std::chrono::milliseconds timeout) {
        std::unique_lock lock{mutex_};
        changed_.wait_for(lock, timeout, [&] { return requested_; });
    }
    void wait_for_ring(std::uint64_t seen, std::chrono::milliseconds timeout) {
        std::unique_lock lock{mutex_};
        changed_.wait_for(lock, timeout, [&] { return requested_ || rings_ != seen; });
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool requested_ = false;
    std::uint64_t rings_ = 0;
};

/// A thread, and whether it still runs.
struct Worker {
    std::string name;
    std::thread thread;
    std::shared_ptr<std::atomic<bool>> done;
};

}  // namespace

struct Workers::Shared {
    Shared(WorkersParts with, WorkersOptions how)
        : parts{with}, options{how}, owner{make_owner(with.random)} {}

    WorkersParts parts;
    WorkersOptions options;
    std::string owner;
    Halt halt;
    std::vector<std::unique_ptr<ConsumerRunner>> consumers;
    std::vector<std::unique_ptr<TaskRunner>> tasks;
    std::unique_ptr<Keeper> keeper;
    std::vector<Worker> workers;
    Worker keeping;
    std::vector<std::shared_ptr<std::atomic<bool>>> ends;  ///< Of the workers; fixed by start().
    std::chrono::steady_clock::time_point started_at{};
    std::vector<std::string> hung;
    bool started = false;
    bool stopped = false;
    std::atomic<bool> grace_cut{false};

    void run_consumer(ConsumerRunner& runner);
    void run_task(TaskRunner& runner);
    void wait_for_workers(std::chrono::milliseconds timeout);
    void join_finished();
    void stop_keeper(std::chrono::milliseconds timeout);
    [[nodiscard]] bool keeper_ends_within(std::chrono::milliseconds timeout);
};

namespace {

template <typename Work>
Worker worker(std::string name, Work work) {
    auto done = std::make_shared<std::atomic<bool>>(false);
    return {std::move(name),
            std::thread{[work = std::move(work), done] {
                work();
                *done = true;
            }},
            done};
}

}  // namespace

void Workers::Shared::run_consumer(ConsumerRunner& runner) {
    const db::Backoff backoff{parts.random, db::Backoff::first_default, options.backoff_cap};
    std::int64_t failures = 0;
    while (!halt.requested()) {
        const auto rings = halt.rings();
        const Tick tick = runner.tick();
        const auto current = runner.position().current();
        if (runner.position().unwritten()) keeper->note_unwritten();
        failures = tick == Tick::unavailable ? failures + 1 : 0;
        switch (tick) {
            case Tick::progressed:
                break;
            case Tick::standby:
                halt.wait_for_ring(rings, standby_wait);
                break;
            case Tick::unavailable:
                halt.wait(backoff.after(failures));
                break;
            case Tick::idle:
                if (current && !halt.requested()) parts.tail.wait(current->cursor, idle_wait);
                break;
        }
    }
}

void Workers::Shared::run_task(TaskRunner& runner) {
    const auto go_on = [&] { return !halt.requested() && runner.position().current(); };
    bool sleep_first = runner.sleep_first();
    while (!halt.requested()) {
        const auto rings = halt.rings();
        if (!runner.position().current()) {
            halt.wait_for_ring(rings, standby_wait);
            continue;
        }
        if (sleep_first) {
            sleep_first = false;
        } else {
            runner.tick(go_on);
        }
        halt.wait(runner.interval());
    }
}

void Workers::Shared::wait_for_workers(std::chrono::milliseconds timeout) {
    const auto end = parts.clock.steady_now() + timeout;
    const auto running = [](const Worker& worker) { return !*worker.done; };
    while (std::ranges::any_of(workers, running) && parts.clock.steady_now() < end &&
           (!grace_cut || timeout <= last_wait)) {
        // Again and again: a waiter may have begun just after the last call.
        parts.tail.interrupt_waiters();
        std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
}

void Workers::Shared::join_finished() {
    for (Worker& worker : workers) {
        if (*worker.done) {
            worker.thread.join();
            continue;
        }
        parts.log.error("worker " + worker.name +
                        ": its handler did not return within the grace; left behind, its lease "
                        "ends by itself");
        hung.push_back(worker.name);
        worker.thread.detach();
    }
    workers.clear();
}

/// Cut short as the grace is, but for the moment that a database that answers needs.
bool Workers::Shared::keeper_ends_within(std::chrono::milliseconds timeout) {
    const auto begin = parts.clock.steady_now();
    const auto end = begin + timeout;
    for (auto now = begin; !*keeping.done && now < end; now = parts.clock.steady_now()) {
        if (grace_cut && now >= begin + last_wait) break;
        std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
    return *keeping.done;
}

void Workers::Shared::stop_keeper(std::chrono::milliseconds timeout) {
    keeper->finish({hung.begin(), hung.end()});
    if (!keeper_ends_within(timeout)) {
        // A statement that hangs: cut off, the keeper finds its session lost and ends.
        keeper->cut();
        if (!keeper_ends_within(last_wait)) {
            parts.log.error(
                "keeper: the database did not answer within the grace; left behind, the leases "
                "end by themselves");
            hung.push_back("keeper");
            return keeping.thread.detach();
        }
    }
    keeping.thread.join();
}

Workers::Workers(WorkersParts parts,
                 WorkersOptions options,
                 std::vector<ConsumerSetup> consumers,
                 std::vector<TaskSetup> tasks)
    : shared_{std::make_shared<Shared>(parts, options)} {
    const RunnerParts runner_parts{
        parts.pool, parts.tail, parts.catalog, parts.policy, parts.clock, parts.log, options.lease};
    std::vector<Kept> kept;
    for (ConsumerSetup& setup : consumers) {
        shared_->consumers.push_back(
            std::make_unique<ConsumerRunner>(std::move(setup), runner_parts));
        ConsumerRunner& runner = *shared_->consumers.back();
        kept.push_back({runner.declaration(), &runner.position(), &runner});
    }
    for (TaskSetup& setup : tasks) {
        shared_->tasks.push_back(
            std::make_unique<TaskRunner>(std::move(setup), parts.clock, parts.log));
        TaskRunner& runner = *shared_->tasks.back();
        kept.push_back({runner.declaration(), &runner.position(), nullptr, &runner});
    }
    KeeperParts keeper_parts{parts.pool.options(),
                             parts.tail,
                             parts.clock,
                             parts.random,
                             parts.log,
                             shared_->owner,
                             options.lease,
                             options.installation,
                             options.unloaded_plugins};
    shared_->keeper = std::make_unique<Keeper>(std::move(keeper_parts),
                                               std::move(kept),
                                               [shared = shared_.get()] { shared->halt.ring(); });
}

Workers::~Workers() {
    stop(std::chrono::milliseconds{0});
}

void Workers::start() {
    if (!shared_->options.run_workers || shared_->started) return;
    shared_->started = true;
    shared_->started_at = shared_->parts.clock.steady_now();
    shared_->keeping = worker("keeper", [shared = shared_] { shared->keeper->run(); });
    for (const auto& runner : shared_->consumers) {
        shared_->workers.push_back(
            worker(runner->declaration().name,
                   [shared = shared_, one = runner.get()] { shared->run_consumer(*one); }));
    }
    for (const auto& runner : shared_->tasks) {
        shared_->workers.push_back(
            worker(runner->declaration().name,
                   [shared = shared_, one = runner.get()] { shared->run_task(*one); }));
    }
    for (const Worker& one : shared_->workers) shared_->ends.push_back(one.done);
}

std::vector<std::string> Workers::stop(std::chrono::milliseconds grace) {
    if (!shared_->started || shared_->stopped) return shared_->hung;
    shared_->stopped = true;
    const auto end = shared_->parts.clock.steady_now() + grace;
    request_stop();
    shared_->wait_for_workers(grace);
    for (const auto& runner : shared_->consumers) runner->abandon();
    shared_->wait_for_workers(last_wait);
    shared_->join_finished();

    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - shared_->parts.clock.steady_now());
    shared_->stop_keeper(std::max(left, keeper_wait));
    return shared_->hung;
}

void Workers::request_stop() {
    for (const auto& runner : shared_->consumers) runner->finish();
    shared_->halt.request();
}

bool Workers::stopping() const {
    return shared_->halt.requested();
}

void Workers::cut_grace() noexcept {
    shared_->grace_cut = true;
}

const std::string& Workers::owner() const noexcept {
    return shared_->owner;
}

bool Workers::owns(const std::string& name) const {
    return std::ranges::any_of(shared_->consumers, [&](const auto& runner) {
        return runner->declaration().name == name && runner->position().current();
    });
}

std::size_t Workers::owned_count() const {
    const auto owned = [](const auto& runner) { return runner->position().current().has_value(); };
    return static_cast<std::size_t>(std::ranges::count_if(shared_->consumers, owned) +
                                    std::ranges::count_if(shared_->tasks, owned));
}

std::int64_t Workers::keeper_statements() const noexcept {
    return shared_->keeper->statements_sent();
}

std::vector<Workers::Totals> Workers::totals() const {
    std::vector<Totals> list;
    for (const auto& runner : shared_->consumers) {
        const RunnerCounters& counters = runner->counters();
        list.push_back({runner->declaration().name,
                        counters.batches,
                        counters.planned,
                        counters.delivered,
                        counters.skipped,
                        counters.deliveries_failed,
                        counters.plan.counts(),
                        counters.deliver.counts()});
    }
    return list;
}

Workers::Pulse Workers::pulse() const {
    Pulse pulse{.threads = shared_->ends.size(), .leases_held = owned_count()};
    pulse.renewed_at = shared_->keeper->renewed_at();
    if (stopping() || shared_->ends.empty()) return pulse;
    pulse.threads_ended = static_cast<std::size_t>(
        std::ranges::count_if(shared_->ends, [](const auto& ended) { return ended->load(); }));
    const auto now = shared_->parts.clock.steady_now();
    for (const auto& runner : shared_->consumers) {
        const std::chrono::steady_clock::time_point ticked{runner->counters().ticked_at.load()};
        const auto silent_for = now - std::max(ticked, shared_->started_at);
        if (silent_for > stuck_after && !runner->busy()) ++pulse.threads_stuck;
    }
    // Nothing of a task lags behind where it could be seen, so its own thread tells of it.
    pulse.threads_stuck += static_cast<std::size_t>(std::ranges::count_if(
        shared_->tasks, [&](const auto& runner) { return runner->overdue(now); }));
    return pulse;
}

}  // namespace radd::consumers
