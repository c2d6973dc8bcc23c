#include <algorithm>

#include <host/consumers/failure.hpp>
#include <host/db/backoff.hpp>
#include <host/db/failpoint.hpp>
#include <host/delivery/queue_sql.hpp>
#include <host/delivery/queue_state.hpp>
#include <host/delivery/schedule.hpp>

namespace radd::delivery {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

std::string name_of(const Claimed& claimed, const std::string& queue) {
    return "queue " + queue + ": delivery " + std::to_string(claimed.delivery.id) + " to " +
           consumers::single_line(claimed.delivery.lane, delivery_lane_bytes_max);
}

}  // namespace

bool QueueRunner::State::perform_one() {
    Claimed claimed;
    std::list<Begun>::iterator mine;
    {
        const std::scoped_lock lock{mutex};
        if (waiting.empty()) return false;
        claimed = std::move(waiting.front());
        waiting.pop_front();
        totals.attempts += claimed.spent ? 0 : 1;
        mine = begun.insert(begun.end(), {.claimed = &claimed, .at = now()});
    }
    RADD_FAILPOINT("delivery.attempting", setup.spec.name);
    AttemptResult result = attempt(claimed);
    RADD_FAILPOINT("delivery.attempted", setup.spec.name);
    const auto took = duration_cast<milliseconds>(now() - mine->at);
    {
        const std::scoped_lock lock{mutex};
        begun.erase(mine);
    }
    if (took > setup.spec.timeout) {
        parts.log.warn(name_of(claimed, setup.spec.name) + ": the attempt took " +
                       std::to_string(took.count()) + " ms, more than its " +
                       std::to_string(setup.spec.timeout.count()) +
                       "; its handler must end in time, or it is made twice");
    }
    result.detail = consumers::single_line(result.detail, delivery_detail_bytes_max);
    record(claimed, result);
    {
        const std::scoped_lock lock{mutex};
        const bool reachable = result.outcome != AttemptResult::Outcome::unreachable;
        lanes.end(claimed.delivery.lane, reachable, took, now());
    }
    changed.notify_all();
    return true;
}

void QueueRunner::State::watch() {
    const std::scoped_lock lock{mutex};
    for (Begun& one : begun) {
        if (one.warned || !is_overdue(one)) continue;
        one.warned = true;
        parts.log.warn(name_of(*one.claimed, setup.spec.name) + ": attempt " +
                       std::to_string(one.claimed->delivery.attempt) + " has run for " +
                       std::to_string(duration_cast<milliseconds>(now() - one.at).count()) +
                       " ms and outlives its " + std::to_string(setup.spec.timeout.count()) +
                       "; its handler keeps a thread of the queue until it returns, and it is made "
                       "again when its claim has passed");
    }
}

AttemptResult QueueRunner::State::attempt(const Claimed& claimed) noexcept {
    if (claimed.delivery.attempt >= attempts_max)
        return AttemptResult::dead("its attempts are past counting");
    if (claimed.spent)
        return AttemptResult::dead(
            "the process ended during the last attempt, whose result is unknown");
    try {
        return setup.handler->attempt(claimed.delivery);
    } catch (const Unavailable&) {
        return AttemptResult::unreachable(consumers::describe_current_exception());
    } catch (...) {
        return AttemptResult::failed(consumers::describe_current_exception());
    }
}

/// Tries as long as the claim holds: after that another attempt may have begun, and its result
/// is the one that counts.
void QueueRunner::State::record(const Claimed& claimed, const AttemptResult& result) noexcept {
    const db::Backoff backoff{parts.random, milliseconds{50}, milliseconds{2000}};
    for (std::int64_t failures_so_far = 1;; ++failures_so_far) {
        try {
            recording.acquire();
            const struct Permit {
                std::counting_semaphore<recording_max>& permits;
                ~Permit() { permits.release(); }
            } permit{recording};
            if (!record_once(claimed, result)) {
                const std::scoped_lock lock{mutex};
                ++totals.late;
            }
            return;
        } catch (const Unavailable&) {
            if (now() < claimed.until && !grace_cut) {
                std::unique_lock lock{mutex};
                changed.wait_for(
                    lock, backoff.after(failures_so_far), [&] { return grace_cut.load(); });
                continue;
            }
            parts.log.error(name_of(claimed, setup.spec.name) +
                            ": its result could not be recorded: " +
                            consumers::describe_current_exception() + "; it is attempted again");
        } catch (...) {
            parts.log.error(
                name_of(claimed, setup.spec.name) +
                ": its result could not be recorded: " + consumers::describe_current_exception() +
                "; it is attempted again when its claim has passed");
        }
        return;
    }
}

bool QueueRunner::State::record_once(const Claimed& claimed, const AttemptResult& result) {
    const auto rungs = schedule();
    const Decision decision =
        decide(result, claimed.delivery.attempt, rungs, setup.spec.jitter, parts.random);
    const bool counted = parts.database.transact([&](Transaction& tx) {
        if (tx.execute(sql::settle,
                       claimed.delivery.id,
                       claimed.delivery.attempt,
                       decision.state,
                       result.detail,
                       decision.wait.count()) == 0)
            return false;
        tell_handler(
            tx,
            claimed,
            {.result = result, .is_final = decision.is_final(), .is_dead = decision.is_dead()});
        RADD_FAILPOINT("delivery.recording", setup.spec.name);
        return true;
    });
    RADD_FAILPOINT("delivery.recorded", setup.spec.name);
    if (!counted) return false;
    count(result, decision.state);
    if (!decision.is_final()) await(decision.wait);
    if (decision.is_dead()) {
        parts.log.warn(name_of(claimed, setup.spec.name) + ": dead after " +
                       std::to_string(claimed.delivery.attempt) + " attempts: " + result.detail +
                       "; it stays in radd.deliveries as a dead letter");
    }
    return true;
}

void QueueRunner::State::await(milliseconds wait) {
    const std::scoped_lock lock{mutex};
    // A look more, because it is the database's clock that makes the attempt due.
    awaited_until = std::max(awaited_until, now() + wait + poll_awaited);
}

void QueueRunner::State::tell_handler(Transaction& tx,
                                      const Claimed& claimed,
                                      const Settled& settled) {
    try {
        tx.in_savepoint([&] { setup.handler->settled(tx, claimed.delivery, settled); });
    } catch (const Unavailable&) {
        throw;
    } catch (...) {
        parts.log.error(name_of(claimed, setup.spec.name) +
                        ": settled() failed: " + consumers::describe_current_exception() +
                        "; the result is recorded without its work");
    }
}

void QueueRunner::State::count(const AttemptResult&, std::string_view state) {
    const std::scoped_lock lock{mutex};
    if (state == "delivered") ++totals.delivered;
    if (state == "pending") ++totals.failed;
    if (state == "dead") ++totals.dead;
    if (state == "cancelled") ++totals.cancelled;
}

}  // namespace radd::delivery
