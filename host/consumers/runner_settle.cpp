// The second half of a unit of work: cursor, commit, delivery, and what may go wrong in them.

#include <host/consumers/failure.hpp>
#include <host/consumers/runner.hpp>
#include <host/consumers/runner_watch.hpp>
#include <host/db/errors.hpp>
#include <host/db/failpoint.hpp>

namespace radd::consumers {

ConsumerRunner::Outcome ConsumerRunner::settle(Unit unit) {
    if (unit.next.cursor == standing_.cursor) return Outcome::done;
    RADD_FAILPOINT("consumer.planned", setup_.declaration.name);
    hand_over(unit.next.cursor);
    RADD_FAILPOINT("consumer.handed_over", setup_.declaration.name);
    const bool effects = write_through_ || tx_.touched_sql() || !unit.skips.empty() ||
                         setup_.consumer->next_delivery().has_value();
    if (!effects) {
        position_.pass(unit.next);
        standing_ = unit.next;
        ++counters_.batches;
        return Outcome::done;
    }

    std::unique_lock writing{position_.persisting()};
    const auto move = position_.move_to(unit.next);
    if (!move) return fenced();
    for (const Skip& skip : unit.skips) record_in(tx_, setup_.declaration, skip);
    if (!advance(tx_, *move, parts_.lease)) return fenced();
    const bool emitted = tx_.events_emitted() > 0;
    RADD_FAILPOINT("consumer.advanced", setup_.declaration.name);
    try {
        tx_.commit();
    } catch (const CommitInDoubt&) {
        log_doubt("asking the database whether it landed");
        tx_.rollback();
        // The plans stay with the consumer until the answer is known.
        doubt_ = std::move(unit);
        return Outcome::unavailable;
    }
    RADD_FAILPOINT("consumer.committed", setup_.declaration.name);
    position_.persist(unit.next);
    writing.unlock();

    if (emitted) parts_.tail.wake();
    settled(unit);
    return Outcome::done;
}

/// Before anything is written on behalf of these events: it may take as long as the network does.
void ConsumerRunner::hand_over(std::int64_t event_id) {
    const Watch watch{*this, event_id, handed_over_};
    setup_.consumer->hand_over();
}

void ConsumerRunner::settled(const Unit& unit) {
    standing_ = unit.next;
    ++counters_.batches;
    counters_.skipped += static_cast<std::int64_t>(unit.skips.size());
    for (const Skip& skip : unit.skips) log_skip(skip);
    deliver();
}

std::optional<ConsumerRunner::Outcome> ConsumerRunner::resolve_doubt() {
    std::optional<ConsumerStore::Row> row;
    {
        auto lease = parts_.pool.lease("consumer " + setup_.declaration.name);
        row = ConsumerStore{*lease}.settled_row(setup_.declaration.name);
    }
    const Unit unit = *std::exchange(doubt_, std::nullopt);
    if (row && row->epoch == unit.next.epoch && row->cursor == unit.next.cursor) {
        position_.persist(unit.next);
        settled(unit);
        return Outcome::done;
    }
    setup_.consumer->forget();
    if (row && row->epoch == unit.next.epoch) return std::nullopt;
    return fenced();
}

ConsumerRunner::Outcome ConsumerRunner::fenced() {
    roll_back();
    position_.lose(standing_.epoch);
    owned_ = false;
    parts_.log.info("consumer " + setup_.declaration.name + ": the lease of epoch " +
                    std::to_string(standing_.epoch) +
                    " is over, another host or an operator has it; standing by");
    return Outcome::fenced;
}

ConsumerRunner::Outcome ConsumerRunner::give_up() {
    const std::string line = "consumer " + setup_.declaration.name + ": " +
                             describe_current_exception() + "; nothing was done, trying again at " +
                             std::to_string(standing_.cursor);
    // Once per outage: dozens of consumers in each step of the backoff would bury the rest.
    parts_.log.write(away_ ? LogLevel::debug : LogLevel::warn, line);
    away_ = true;
    ahead_.clear();  // What comes back may be a database that was restored.
    // Asking about a commit in doubt has failed: its plans must outlive this.
    if (!doubt_ && !retry_doubt_) roll_back();
    return Outcome::unavailable;
}

void ConsumerRunner::roll_back() noexcept {
    tx_.rollback();
    setup_.consumer->drop();
    setup_.consumer->forget();
}

void ConsumerRunner::deliver() {
    while (const auto event_id = setup_.consumer->next_delivery()) {
        if (abandoned_) {
            parts_.log.warn("consumer " + setup_.declaration.name + ": deliveries from event " +
                            std::to_string(*event_id) + " on are given up: the host stops");
            return setup_.consumer->forget();
        }
        try {
            const Watch watch{*this, *event_id, counters_.deliver};
            RADD_FAILPOINT("consumer.delivering", setup_.declaration.name);
            setup_.consumer->deliver_next();
            RADD_FAILPOINT("consumer.delivered", setup_.declaration.name);
            ++counters_.delivered;
        } catch (...) {
            Skip failed{*event_id, {}, SkipPhase::deliver, describe_current_exception()};
            log_skip(failed);
            ++counters_.skipped;
            ++counters_.deliveries_failed;
            if (unrecorded_.size() < unrecorded_max) unrecorded_.push_back(std::move(failed));
            // A shape that kept the plan would deliver it for ever.
            if (setup_.consumer->next_delivery() == event_id) setup_.consumer->forget();
        }
    }
    if (!unrecorded_.empty()) record_failed_deliveries();
}

void ConsumerRunner::record_failed_deliveries() noexcept {
    try {
        auto lease = parts_.pool.lease("consumer " + setup_.declaration.name);
        while (!unrecorded_.empty()) {
            ConsumerStore{*lease}.record(setup_.declaration, unrecorded_.front());
            unrecorded_.erase(unrecorded_.begin());
        }
    } catch (...) {
        // The log has each of them already; the next tick tries again.
        parts_.log.debug(
            "consumer " + setup_.declaration.name + ": " + std::to_string(unrecorded_.size()) +
            " failed deliveries are not recorded yet: " + describe_current_exception());
    }
}

void ConsumerRunner::log_skip(const Skip& skip) {
    const std::string& name = setup_.declaration.name;
    std::string line = "consumer " + name + ": event " + std::to_string(skip.event_id);
    if (!skip.event_type.empty()) line += " (" + single_line(skip.event_type, 200) + ")";
    // The remedy must survive the cut that a log line is subject to.
    line += ": " + single_line(skip.error, 2000);
    line += skip.phase == SkipPhase::deliver ? "; delivery lost" : "; skipped";
    line += ", `radd consumers retry " + name + " --event " + std::to_string(skip.event_id) +
            "` plans it again";
    parts_.log.error(line);
}

void ConsumerRunner::log_doubt(const char* what) {
    parts_.log.warn("consumer " + setup_.declaration.name +
                    ": the connection was lost during COMMIT; " + what);
}

}  // namespace radd::consumers
