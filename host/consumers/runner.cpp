#include <algorithm>
#include <array>

#include <host/consumers/cautious_turn.hpp>
#include <host/consumers/failure.hpp>
#include <host/consumers/runner.hpp>
#include <host/consumers/runner_watch.hpp>
#include <host/consumers/sql.hpp>
#include <host/db/errors.hpp>
#include <host/db/failpoint.hpp>
#include <host/outbox/working.hpp>

namespace radd::consumers {

ConsumerRunner::ConsumerRunner(ConsumerSetup setup, RunnerParts parts)
    : setup_{std::move(setup)},
      parts_{parts},
      traits_{setup_.consumer->traits()},
      tx_{parts.pool,
          parts.catalog,
          parts.policy,
          parts.log,
          "consumer " + setup_.declaration.name} {
    for (const auto& [name, type] : parts_.catalog.types()) {
        for (const auto& alias : type.spec->aliases) new_names_.emplace(alias, name);
    }
    for (const EventType& type : setup_.listens_to) listens_to_.emplace(type.name());
    if (listens_to_.empty()) return;
    for (const auto& [alias, name] : new_names_) {
        if (listens_to_.contains(name)) listens_to_.insert(alias);
    }
}

std::optional<ConsumerRunner::Busy> ConsumerRunner::busy() const {
    const auto event_id = busy_event_.load();
    const auto since = busy_since_.load();
    // Another event since: its time is its own.
    if (event_id == 0 || busy_event_.load() != event_id) return std::nullopt;
    return Busy{event_id, std::chrono::steady_clock::time_point{since}};
}

bool ConsumerRunner::attempt_open() const {
    return attempt_ && *attempt_ > standing_.cursor;
}

Tick ConsumerRunner::tick() {
    Tick result = Tick::unavailable;
    try {
        result = run_tick();
    } catch (...) {
        // Nothing of a plugin comes here: it is the host's own reading and bookkeeping.
        give_up();
    }
    if (away_ && (result == Tick::idle || result == Tick::progressed)) {
        away_ = false;
        parts_.log.info("consumer " + setup_.declaration.name + ": goes on at " +
                        std::to_string(standing_.cursor));
    }
    counters_.ticked_at = parts_.clock.steady_now().time_since_epoch();
    return result;
}

Tick ConsumerRunner::run_tick() {
    if (!unrecorded_.empty()) record_failed_deliveries();
    // Whoever owns the consumer by now: only here is the plan known.
    if (retry_doubt_) resolve_retry_doubt();
    const auto acquired = position_.acquired();
    if (!acquired) {
        owned_ = false;
        return Tick::standby;
    }
    if (!owned_ || standing_.epoch != acquired->standing.epoch) begin_ownership(*acquired);
    if (doubt_) {
        const auto outcome = resolve_doubt();
        if (outcome) return *outcome == Outcome::done ? Tick::progressed : Tick::standby;
    }
    if (finishing_) return Tick::idle;
    if (retry_round_ != retries_done_ && !run_retries()) return Tick::unavailable;
    if (standing_.cursor >= parts_.tail.position()) {
        write_through_ = false;
        return Tick::idle;
    }

    const auto events = read();
    if (events.empty()) return Tick::idle;
    switch (run_events(events)) {
        case Outcome::unavailable:
            return Tick::unavailable;
        case Outcome::fenced:
            return Tick::standby;
        case Outcome::done:
        case Outcome::one_at_a_time:
            break;
    }
    return Tick::progressed;
}

void ConsumerRunner::begin_ownership(const Acquired& acquired) {
    if (doubt_) log_doubt("another owner came; nothing is delivered");
    doubt_.reset();
    roll_back();
    ahead_.clear();
    owned_ = true;
    standing_ = acquired.standing;
    backlog_until_ = acquired.backlog_until;
    after_death_ = acquired.expired;
    single_until_ = 0;
    attempt_.reset();
    retries_done_ = 0;
    request_retries(acquired.retry_round);
    const bool unfinished =
        acquired.attempt_event_id && *acquired.attempt_event_id > standing_.cursor;
    cautious_left_ = acquired.expired || unfinished ? static_cast<std::int64_t>(setup_.batch) : 0;
    // The owner before may have died far beyond what it had written. If this one dies there as
    // well, the next begins within a batch of the spot, and counts.
    write_through_ = cautious_left_ > 0;
}

std::vector<outbox::SharedEvent> ConsumerRunner::read() {
    if (auto events = parts_.tail.read_buffered(standing_.cursor, setup_.batch)) {
        ahead_.clear();
        return *std::move(events);
    }
    if (auto events = ahead_.take(standing_.cursor, setup_.batch); !events.empty()) return events;
    auto lease = parts_.pool.lease("consumer " + setup_.declaration.name);
    auto found = parts_.tail.read(*lease, standing_.cursor, read_ahead_rows).events;
    ahead_.keep(standing_.cursor, std::move(found));
    return ahead_.take(standing_.cursor, setup_.batch);
}

ConsumerRunner::Outcome ConsumerRunner::run_events(Events events) {
    while (!events.empty() && !finishing_) {
        const bool single = traits_.transaction_per_event || cautious_left_ > 0 ||
                            events.front()->id <= single_until_;
        const Outcome outcome = single ? run_single(*events.front()) : run_batch(events);
        if (outcome == Outcome::one_at_a_time) continue;
        if (outcome != Outcome::done) return outcome;
        if (single && cautious_left_ > 0) --cautious_left_;
        events = events.subspan(single ? 1 : events.size());
    }
    return Outcome::done;
}

ConsumerRunner::Outcome ConsumerRunner::run_batch(Events events) {
    try {
        Unit unit{.next = standing_};
        for (const auto& event : events) {
            if (finishing_) break;
            plan_in_batch(*event, unit);
        }
        return settle(std::move(unit));
    } catch (const Unavailable&) {
        // On its own it can be told from its neighbours.
        if (overslept_ > standing_.cursor) single_until_ = std::max(single_until_, overslept_);
        return give_up();
    } catch (...) {
        parts_.log.warn("consumer " + setup_.declaration.name + ": events " +
                        std::to_string(events.front()->id) + " to " +
                        std::to_string(events.back()->id) + ": " + describe_current_exception() +
                        "; undone together, now they run one at a time");
        roll_back();
        single_until_ = events.back()->id;
        return Outcome::one_at_a_time;
    }
}

void ConsumerRunner::plan_in_batch(const Event& event, Unit& unit) {
    if (!wants(event)) return unit.pass(event.id);
    for (int attempt = 0;; ++attempt) {
        std::string error;
        bool again = false;
        tx_.begin_event();
        try {
            offer(event);
            tx_.end_event();
            setup_.consumer->keep();
            return unit.pass(event.id);
        } catch (const Unavailable&) {
            throw;
        } catch (const Contention&) {
            error = describe_current_exception();
            again = attempt < contention_retries;
        } catch (...) {
            error = describe_current_exception();
        }
        setup_.consumer->drop();
        tx_.undo_event();
        if (!again) return unit.skip({event.id, event.type, SkipPhase::plan, std::move(error)});
    }
}

ConsumerRunner::Outcome ConsumerRunner::run_single(const Event& event) {
    try {
        if (!wants(event)) {
            Unit unit{.next = standing_};
            unit.pass(event.id);
            return settle(std::move(unit));
        }
        std::optional<CautiousTurn> turn;
        if (cautious_left_ > 0) {
            turn.emplace();
            if (const auto ended = count_attempt(event)) return *ended;
        }
        return plan_single(event);
    } catch (...) {
        // Whatever the event did is settled inside; this is the host's own bookkeeping.
        return give_up();
    }
}

ConsumerRunner::Outcome ConsumerRunner::plan_single(const Event& event) {
    Outcome outcome{};
    auto error = try_work([&] {
        offer(event);
        setup_.consumer->keep();
        Unit unit{.next = standing_};
        unit.pass(event.id);
        outcome = settle(std::move(unit));
    });
    if (!error) return outcome;
    Unit unit{.next = standing_};
    unit.skip({event.id, event.type, SkipPhase::plan, *std::move(error)});
    return settle(std::move(unit));
}

std::optional<std::string> ConsumerRunner::try_work(const std::function<void()>& work) {
    for (int again = contention_retries;; --again) {
        std::string error;
        bool may_pass = false;
        try {
            work();
            return std::nullopt;
        } catch (const Unavailable&) {
            throw;
        } catch (const Contention&) {
            error = describe_current_exception();
            may_pass = true;
        } catch (const db::CommitFailed&) {
            error = describe_current_exception();
            may_pass = true;
        } catch (...) {
            error = describe_current_exception();
        }
        roll_back();
        if (!may_pass || again == 0) return error;
    }
}

std::optional<ConsumerRunner::Outcome> ConsumerRunner::count_attempt(const Event& event) {
    // An attempt that this process lived to abandon counts once.
    if (attempt_ == event.id) return std::nullopt;
    std::optional<std::int64_t> started;
    {
        auto lease = parts_.pool.lease("consumer " + setup_.declaration.name);
        started =
            ConsumerStore{*lease}.start_attempt(setup_.declaration.name, standing_.epoch, event.id);
    }
    RADD_FAILPOINT("consumer.attempt_counted", setup_.declaration.name);
    if (!started) return fenced();
    attempt_ = event.id;
    if (*started <= deaths_max) return std::nullopt;

    Unit unit{.next = standing_};
    unit.skip({event.id,
               event.type,
               SkipPhase::quarantine,
               "the process died " + std::to_string(deaths_max) + " times while planning it"});
    return settle(std::move(unit));
}

bool ConsumerRunner::wants(const Event& event) const {
    if (event.silent && !traits_.sees_silent) return false;
    return listens_to_.empty() || listens_to_.contains(event.type);
}

/// PostgreSQL ends a transaction that idles too long. That looks like an outage, and would come
/// again with each attempt: the second time it is the event that fails.
void ConsumerRunner::refuse_overslept(std::int64_t event_id,
                                      std::chrono::steady_clock::time_point began) {
    const auto limit = parts_.pool.options().idle_in_transaction_timeout;
    if (limit.count() == 0 || parts_.clock.steady_now() - began < limit) return;
    if (std::exchange(overslept_, event_id) != event_id) return;
    throw Error{"its transaction was idle for more than " + std::to_string(limit.count()) +
                " ms and was ended twice; do slow work before the first statement, or deliver it"};
}

void ConsumerRunner::deal(const Event& event) {
    if (traits_.bootstraps && event.id <= backlog_until_)
        setup_.consumer->offer_backlog(tx_, event);
    else
        setup_.consumer->offer(tx_, event);
}

void ConsumerRunner::offer(const Event& event) {
    const outbox::Working working;
    const Watch watch{*this, event.id, counters_.plan};
    const auto began = watch.began();
    const auto renamed = new_names_.find(event.type);
    try {
        if (renamed == new_names_.end()) {
            deal(event);
        } else {
            // Under its present name, or is() would not know it.
            Event current{event};
            current.type = renamed->second;
            deal(current);
        }
    } catch (const Unavailable&) {
        refuse_overslept(event.id, began);
        throw;
    } catch (...) {
        if (!tx_.lost()) throw;
        // Whatever the plugin made of it, it was not this event's fault.
        refuse_overslept(event.id, began);
        throw Unavailable{describe_current_exception()};
    }
    if (tx_.lost()) {
        refuse_overslept(event.id, began);
        throw Unavailable{"the database was away and the plugin went on as if it had not been"};
    }
    if (tx_.failed()) throw Error{"a statement failed and the plugin went on as if it had not"};
    ++counters_.planned;
}

}  // namespace radd::consumers
