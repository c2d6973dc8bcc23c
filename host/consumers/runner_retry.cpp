// Planning skipped events again, outside the cursor, when an operator asks for it.

#include <array>
#include <utility>

#include <host/consumers/failure.hpp>
#include <host/consumers/runner.hpp>
#include <host/consumers/sql.hpp>
#include <host/db/errors.hpp>

namespace radd::consumers {
namespace {

Event to_event(const Row& row) {
    const auto instant = [&](std::string_view column) {
        return Timestamp{std::chrono::microseconds{row.integer(column)}};
    };
    const auto text = [&](std::string_view column) {
        return row.optional_text(column).value_or("");
    };
    Event event;
    event.id = row.integer("event_id");
    event.type = text("event_type");
    event.entity_type = text("entity_type");
    event.entity_id = text("entity_id");
    event.actor_id = row.optional_text("actor_id");
    event.payload_text = row.optional_text("payload").value_or("{}");
    event.changes_text = row.optional_text("changes");
    event.project_id = row.optional_integer("project_id");
    event.silent = row.boolean("silent");
    event.automated_cause = row.optional_text("automated_cause");
    event.traceparent = row.optional_text("traceparent");
    event.occurred_at = instant("occurred_us");
    event.recorded_at = instant("recorded_us");
    return event;
}

SkipPhase to_phase(const std::string& text) {
    if (text == to_text(SkipPhase::quarantine)) return SkipPhase::quarantine;
    if (text == to_text(SkipPhase::sweep)) return SkipPhase::sweep;
    return text == to_text(SkipPhase::deliver) ? SkipPhase::deliver : SkipPhase::plan;
}

}  // namespace

bool ConsumerRunner::run_retries() {
    const auto round = retry_round_.load();
    for (auto wanted = requested_retries(); !wanted.empty(); wanted = requested_retries()) {
        for (Retry& one : wanted) {
            // Paused, sought or taken over: what is left waits for whoever runs it next.
            const auto current = position_.current();
            if (finishing_ || !current || current->epoch != standing_.epoch) return true;
            retry(one);
            if (retry_doubt_) return false;
        }
    }
    retries_done_ = round;
    return true;
}

std::vector<ConsumerRunner::Retry> ConsumerRunner::requested_retries() {
    auto lease = parts_.pool.lease("consumer " + setup_.declaration.name);
    std::vector<Retry> wanted;
    const Rows rows = lease->query(sql::requested_retries, setup_.declaration.name);
    for (const auto row : rows)
        wanted.push_back({row.integer("record_id"), to_phase(row.text("phase")), to_event(row)});
    return wanted;
}

void ConsumerRunner::retry(const Retry& wanted) {
    // What has killed an owner may kill this one: the request is used up before the attempt, or
    // every owner to come would die of it.
    if (wanted.phase == SkipPhase::quarantine || after_death_)
        end_retry(wanted, "its last retry was started and not finished");

    const auto error = try_work([&] { plan_retry(wanted); });
    if (!error) return;
    end_retry(wanted, *error);
    log_skip({wanted.event.id, wanted.event.type, SkipPhase::plan, *error});
}

void ConsumerRunner::plan_retry(const Retry& wanted) {
    const std::array<Param, 1> record{Param{wanted.record_id}};
    const Rows resolved = tx_.host_query(sql::resolve_retried, record);
    if (resolved.empty()) return roll_back();
    offer(wanted.event);
    setup_.consumer->keep();
    hand_over(wanted.event.id);
    const bool emitted = tx_.events_emitted() > 0;
    try {
        tx_.commit();
    } catch (const CommitInDoubt&) {
        log_doubt("asking the database whether it landed");
        tx_.rollback();
        // The plan stays with the consumer until the answer is known.
        retry_doubt_ = {wanted.record_id, wanted.event.id, resolved[0].text("resolved_at")};
        return;
    }
    if (emitted) parts_.tail.wake();
    retried(wanted.event.id);
}

void ConsumerRunner::retried(std::int64_t event_id) {
    parts_.log.info("consumer " + setup_.declaration.name + ": event " + std::to_string(event_id) +
                    " was planned again");
    deliver();
}

void ConsumerRunner::resolve_retry_doubt() {
    bool landed = false;
    {
        auto lease = parts_.pool.lease("consumer " + setup_.declaration.name);
        landed =
            !lease->query(sql::settle_retry_doubt, retry_doubt_->record_id, retry_doubt_->stamp)
                 .empty();
    }
    const RetryDoubt doubt = *std::exchange(retry_doubt_, std::nullopt);
    if (landed) return retried(doubt.event_id);
    setup_.consumer->forget();
    parts_.log.info("consumer " + setup_.declaration.name + ": the retry of event " +
                    std::to_string(doubt.event_id) + " did not land; its record stays open");
}

void ConsumerRunner::end_retry(const Retry& wanted, const std::string& error) {
    auto lease = parts_.pool.lease("consumer " + setup_.declaration.name);
    lease->query(sql::retry_failed, wanted.record_id, error, setup_.declaration.plugin_version);
}

}  // namespace radd::consumers
