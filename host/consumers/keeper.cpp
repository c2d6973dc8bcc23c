#include <algorithm>
#include <utility>

#include <host/consumers/failure.hpp>
#include <host/consumers/keeper.hpp>
#include <host/db/failpoint.hpp>

namespace radd::consumers {

Keeper::Keeper(KeeperParts parts, std::vector<Kept> kept, std::function<void()> acquired)
    : parts_{std::move(parts)},
      kept_{std::move(kept)},
      acquired_{std::move(acquired)},
      backoff_{parts_.random, db::Backoff::first_default, backoff_cap} {
    for (Kept& one : kept_) {
        by_name_.emplace(one.declaration.name, &one);
        undeclared_.insert(one.declaration.name);
    }
}

void Keeper::run() {
    for (;;) {
        {
            const std::scoped_lock lock{mutex_};
            if (finishing_) break;
        }
        watch();
        try {
            round();
            if (failures_ > 0)
                parts_.log.info("keeper: the database is back; leases are kept again");
            failures_ = 0;
            wait_until(next_heartbeat_, true);
        } catch (...) {
            ++failures_;
            log_outage();
            let_go_of_tasks();
            wait_until(parts_.clock.steady_now() + backoff_.after(failures_), false);
        }
    }
    leave();
}

void Keeper::round() {
    if (!session_ || !session_->usable()) connect();
    if (!undeclared_.empty() || !looked_for_disabled_) declare_all();
    ConsumerStore store{*session_, parts_.installation};
    if (parts_.clock.steady_now() >= next_heartbeat_) {
        const auto now = parts_.clock.steady_now();
        renew(store);
        acquire(store);
        renewed_at_ = now;
        last_renewal_ = now.time_since_epoch();
        show_overdue(store);
        next_heartbeat_ = now + std::min(heartbeat_max, parts_.lease / 3);
    }
    flush(store);
    statements_sent_ = statements_before_ + session_->statements_sent();
}

void Keeper::connect() {
    auto fresh = std::make_unique<db::Session>(parts_.connect);
    statements_before_ = statements_sent_;
    const std::scoped_lock lock{session_mutex_};
    session_ = std::move(fresh);
}

void Keeper::wait_until(Instant when, bool woken_by_moves) {
    std::unique_lock lock{mutex_};
    const auto stop = [&] { return finishing_; };
    const auto duration = [&](Instant end) { return end - parts_.clock.steady_now(); };
    if (!woken_by_moves) {
        wake_.wait_for(lock, duration(when), stop);
        return;
    }
    if (!wake_.wait_for(lock, duration(when), [&] { return finishing_ || unwritten_; })) return;
    // Moves are collected for a while, so that many consumers cost one statement.
    wake_.wait_for(lock, duration(std::min(when, next_flush_)), stop);
}

void Keeper::note_unwritten() {
    {
        const std::scoped_lock lock{mutex_};
        if (unwritten_) return;
        unwritten_ = true;
    }
    wake_.notify_all();
}

void Keeper::finish(std::set<std::string> hung) {
    {
        const std::scoped_lock lock{mutex_};
        finishing_ = true;
        hung_ = std::move(hung);
    }
    wake_.notify_all();
}

void Keeper::cut() noexcept {
    const std::scoped_lock lock{session_mutex_};
    if (session_) session_->cut();
}

void Keeper::renew(ConsumerStore& store) {
    std::vector<ConsumerStore::Held> held;
    for (const Kept& one : kept_) {
        if (const auto current = one.position->current())
            held.push_back({one.declaration.name, current->epoch});
    }
    if (held.empty()) return;
    const auto owned = store.renew(held, parts_.lease);
    RADD_FAILPOINT("keeper.renewed", "");
    for (const auto& lease : held) {
        const Kept& one = *by_name_.find(lease.name)->second;
        const auto found = owned.find(lease.name);
        if (found != owned.end()) {
            if (one.runner != nullptr) one.runner->request_retries(found->second);
            continue;
        }
        one.position->lose(lease.epoch);
        parts_.log.info("keeper: the lease on " + lease.name +
                        " is lost: another host or an operator has taken it; standing by");
    }
}

void Keeper::acquire(ConsumerStore& store) {
    std::vector<std::string> missing;
    for (const Kept& one : kept_) {
        if (!one.position->current() && !undeclared_.contains(one.declaration.name))
            missing.push_back(one.declaration.name);
    }
    if (missing.empty()) return;
    for (const auto& held : store.hold_beyond_head(missing)) {
        parts_.log.error("consumer " + held.name + ": its cursor " + std::to_string(held.cursor) +
                         " lies beyond the end of the stream (an older backup was restored?); it "
                         "is held, `radd consumers seek " +
                         held.name + " head` or an id lets it go on");
    }
    const auto taken = store.acquire(missing, parts_.owner, parts_.lease);
    RADD_FAILPOINT("keeper.acquired", "");
    for (const Acquired& one : taken) {
        by_name_.find(one.name)->second->position->take(one);
        told_standby_.erase(one.name);
        overdue_.erase(one.name);
        log_acquired(one);
    }
    for (const std::string& name : missing) {
        if (by_name_.find(name)->second->position->current()) continue;
        if (told_standby_.insert(name).second)
            parts_.log.info("keeper: standby for " + name +
                            ": another host runs it, or it is held");
    }
    if (!taken.empty()) acquired_();
}

void Keeper::log_acquired(const Acquired& taken) {
    std::string line = "keeper: runs " + taken.name + " from " +
                       std::to_string(taken.standing.cursor) + " in epoch " +
                       std::to_string(taken.standing.epoch);
    if (!taken.expired) return parts_.log.info(line);
    parts_.log.warn(line + ": the owner before did not release it, so it begins with caution");
}

void Keeper::flush(ConsumerStore& store) {
    {
        const std::scoped_lock lock{mutex_};
        if (!unwritten_) return;
        unwritten_ = false;
    }
    next_flush_ = parts_.clock.steady_now() + flush_every;
    std::vector<Move> moves;
    std::vector<std::unique_lock<std::mutex>> writing;
    bool left = false;
    for (const Kept& one : kept_) {
        if (!one.position->unwritten()) continue;
        // Its runner is at it, and writes these moves along with its own.
        std::unique_lock lock{one.position->persisting(), std::try_to_lock};
        left = left || !lock.owns_lock();
        if (!lock.owns_lock()) continue;
        if (auto move = one.position->unwritten()) {
            moves.push_back(*std::move(move));
            writing.push_back(std::move(lock));
        }
    }
    if (!moves.empty()) {
        RADD_FAILPOINT("keeper.flushing", "");
        const auto written = store.advance_many(moves);
        RADD_FAILPOINT("keeper.flushed", "");
        std::erase_if(moves, [&](const Move& move) {
            if (std::ranges::find(written, move.name) == written.end()) return false;
            by_name_.find(move.name)->second->position->persist(
                {move.epoch, move.new_cursor, move.receipt});
            return true;
        });
        left = left || !moves.empty();
        if (!moves.empty()) look_at_unwritten(store, moves);
    }
    const std::scoped_lock lock{mutex_};
    unwritten_ = unwritten_ || left;
}

/// Mostly somebody holds the row for a moment. But a write whose answer was lost has moved it, and
/// a failover that lost commits has moved it back: then no later write would find it either.
void Keeper::look_at_unwritten(ConsumerStore& store, const std::vector<Move>& moves) {
    std::vector<std::string> names;
    for (const Move& move : moves) names.push_back(move.name);
    const auto rows = store.rows(names);
    for (const Move& move : moves) {
        const auto found = rows.find(move.name);
        if (found == rows.end() || found->second.epoch != move.epoch) continue;
        Position& position = *by_name_.find(move.name)->second->position;
        const auto cursor = found->second.cursor;
        if (cursor > move.old_cursor && cursor <= move.new_cursor)
            position.persist({move.epoch, cursor, move.receipt});
        if (cursor >= move.old_cursor) continue;
        position.lose(move.epoch);
        parts_.log.error("keeper: the cursor of " + move.name + " went back from " +
                         std::to_string(move.old_cursor) + " to " + std::to_string(cursor) +
                         " (the database lost commits, or somebody wrote it by hand); it goes on "
                         "from there");
    }
}

void Keeper::watch() {
    for (const Kept& one : kept_) {
        Overdue& overdue = overdue_[one.declaration.name];
        if (one.task != nullptr) watch_task(*one.task, overdue);
        if (one.runner == nullptr) continue;
        const auto busy = one.runner->busy();
        const auto took = busy ? parts_.clock.steady_now() - busy->since : Instant::duration{};
        overdue.now.reset();
        if (!busy || took <= one.runner->deadline()) continue;
        overdue.now = busy->event_id;
        if (overdue.warned == busy->event_id) continue;
        overdue.warned = busy->event_id;
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(took).count();
        parts_.log.warn("consumer " + one.declaration.name + ": event " +
                        std::to_string(busy->event_id) + ": its handler has run for " +
                        std::to_string(seconds) +
                        " s and outlives its deadline; the consumer is "
                        "stalled until it returns, the others are not");
    }
}

/// A task has no event: it is shown as 0, which no event has.
void Keeper::watch_task(const TaskRunner& task, Overdue& overdue) {
    const auto since = task.busy_since();
    const auto took = since ? parts_.clock.steady_now() - *since : Instant::duration{};
    overdue.now.reset();
    if (took <= task.deadline()) {
        overdue.warned.reset();
        return;
    }
    overdue.now = 0;
    if (std::exchange(overdue.warned, 0)) return;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(took).count();
    parts_.log.warn("task " + task.declaration().name + ": its tick has run for " +
                    std::to_string(seconds) +
                    " s and outlives its deadline; the task is stalled until it returns, the "
                    "others are not");
}

void Keeper::show_overdue(ConsumerStore& store) {
    for (auto& [name, overdue] : overdue_) {
        if (overdue.now == overdue.shown) continue;
        const auto current = by_name_.find(name)->second->position->current();
        if (!current) continue;
        store.set_overdue(name, current->epoch, overdue.now);
        overdue.shown = overdue.now;
    }
}

void Keeper::leave() {
    try {
        if (!session_ || !session_->usable()) return;
        ConsumerStore store{*session_};
        note_unwritten();
        flush(store);
        std::vector<ConsumerStore::Held> held;
        for (const Kept& one : kept_) {
            const auto current = one.position->current();
            // A handler that still runs may still act: its lease ends by itself.
            if (!current || hung_.contains(one.declaration.name)) continue;
            held.push_back({one.declaration.name,
                            current->epoch,
                            one.runner != nullptr && one.runner->attempt_open()});
        }
        RADD_FAILPOINT("keeper.releasing", "");
        if (!held.empty()) store.release(held);
        RADD_FAILPOINT("keeper.released", "");
        for (const auto& one : held) by_name_.find(one.name)->second->position->lose(one.epoch);
    } catch (...) {
        parts_.log.warn("keeper: leases could not be released: " + describe_current_exception() +
                        "; they end by themselves within " + std::to_string(parts_.lease.count()) +
                        " ms");
    }
}

/// A consumer is fenced by its cursor, a task by nothing: once its lease has run out another host
/// may be at it, and ours must not tick when the database is back before the renewal is.
void Keeper::let_go_of_tasks() {
    if (parts_.clock.steady_now() - renewed_at_ < parts_.lease) return;
    for (const Kept& one : kept_) {
        const auto current = one.position->current();
        if (one.runner == nullptr && current) one.position->lose(current->epoch);
    }
}

void Keeper::log_outage() {
    const std::string line = "keeper: " + describe_current_exception() +
                             "; leases are not renewed, trying again (" +
                             std::to_string(failures_) + ")";
    parts_.log.write(failures_ == 1 ? LogLevel::warn : LogLevel::debug, line);
}

}  // namespace radd::consumers
