#include <algorithm>

#include <host/config/suggest.hpp>
#include <host/consumers/failure.hpp>
#include <host/db/scope.hpp>
#include <host/delivery/listing_sql.hpp>
#include <host/delivery/operations.hpp>
#include <host/delivery/queue_sql.hpp>
#include <host/delivery/stored_queue.hpp>

namespace radd::delivery {
namespace {

StoredDelivery delivery_of(const Row& row) {
    return {.id = row.integer("id"),
            .uid = row.text("uid"),
            .queue = row.text("queue"),
            .lane = row.text("lane"),
            .state = row.text("state"),
            .under_way = row.boolean("under_way"),
            .attempts = row.integer("attempts"),
            .event_id = row.optional_integer("event_id"),
            .created_at = row.text("created_at"),
            .next_attempt_at = row.optional_text("next_attempt_at"),
            .last_attempt_at = row.optional_text("last_attempt_at"),
            .last_error = row.optional_text("last_error"),
            .finished_at = row.optional_text("finished_at"),
            .replay_of = row.optional_integer("replay_of"),
            .replayed_as = row.optional_integer("replayed_as")};
}

[[noreturn]] void refuse_unknown(std::int64_t id) {
    throw UnknownDelivery{"id",
                          "there is no delivery " + std::to_string(id) +
                              ", or it ended so long ago that its row is gone; `radd deliveries "
                              "list` shows the latest"};
}

}  // namespace

std::vector<QueueStatus> DeliveryOperations::queues() {
    std::vector<QueueStatus> all;
    const Rows rows = session_->query(sql::queue_overview, QueueStatus::counted_max + 1);
    for (const Row row : rows) {
        QueueStatus status{.name = row.text("name"),
                           .pending = row.integer("pending"),
                           .due = row.integer("due"),
                           .under_way = row.integer("under_way"),
                           .dead = row.integer("dead"),
                           .oldest_due_s = row.optional_integer("oldest_due_s")};
        status.approximate = std::max(status.pending, status.dead) > QueueStatus::counted_max;
        for (auto* count : {&status.pending, &status.due, &status.under_way, &status.dead})
            *count = std::min(*count, QueueStatus::counted_max);
        all.push_back(std::move(status));
    }
    for (const auto& name : declared_) {
        if (std::ranges::find(all, name, &QueueStatus::name) == all.end())
            all.push_back({.name = name});
    }
    std::ranges::sort(all, {}, &QueueStatus::name);
    return all;
}

void DeliveryOperations::require_known(const std::string& queue) {
    std::vector<std::string> names;
    for (const auto& status : queues()) names.push_back(status.name);
    if (std::ranges::find(names, queue) != names.end()) return;
    const auto nearest = config::nearest(queue, names);
    throw UnknownQueue{"queue",
                       "nothing was ever queued in '" + queue + "'" +
                           (nearest ? "; did you mean '" + std::string{*nearest} + "'?"
                                    : "; `radd deliveries queues` shows all that have some")};
}

std::vector<LaneStatus> DeliveryOperations::lanes(const std::string& queue) {
    std::vector<LaneStatus> all;
    const Rows rows = session_->query(sql::lane_overview, queue, lanes_listed_max);
    for (const Row row : rows) {
        all.push_back({.lane = row.text("lane"),
                       .pending = row.integer("pending"),
                       .due = row.integer("due"),
                       .under_way = row.integer("under_way"),
                       .dead = row.integer("dead"),
                       .next_attempt_at = row.optional_text("next_attempt_at")});
    }
    if (all.empty()) require_known(queue);
    return all;
}

std::vector<StoredDelivery> DeliveryOperations::list(const DeliveryFilter& filter,
                                                     std::int64_t rows_max) {
    std::vector<StoredDelivery> all;
    const Rows rows = session_->query(sql::list_deliveries,
                                      filter.queue,
                                      filter.lane,
                                      filter.state,
                                      filter.event_id,
                                      filter.before,
                                      rows_max,
                                      nullptr);
    for (const Row row : rows) all.push_back(delivery_of(row));
    return all;
}

StoredDelivery DeliveryOperations::find(std::int64_t id) {
    const Rows rows =
        session_->query(sql::list_deliveries, nullptr, nullptr, nullptr, nullptr, nullptr, 1, id);
    if (rows.empty()) refuse_unknown(id);
    return delivery_of(rows[0]);
}

std::string DeliveryOperations::payload_text(std::int64_t id) {
    const Rows rows = session_->query(sql::delivery_payload, id);
    if (rows.empty()) refuse_unknown(id);
    return rows[0].text("payload");
}

std::int64_t DeliveryOperations::replay(std::int64_t id) {
    const auto stored = find(id);
    const Rows rows = session_->query(sql::replay_one, stored.queue, id);
    if (rows.empty())
        throw InvalidInput{
            "id",
            "delivery " + std::to_string(id) + " is not finished; it is attempted again by itself"};
    return rows[0].integer("id");
}

std::int64_t DeliveryOperations::replay_dead(const std::string& queue, const ReplayFilter& filter) {
    db::Scope scope{*session_};
    const Rows dead = session_->query(sql::lock_dead,
                                      queue,
                                      filter.lane,
                                      filter.first_id,
                                      filter.last_id,
                                      deliveries_replayed_max);
    if (dead.empty()) {
        require_known(queue);
        return 0;
    }
    std::string ids = "{";
    for (const Row row : dead) ids += (ids.size() > 1 ? "," : "") + row.text("id");
    const auto count = session_->query(sql::replay_locked, ids + "}").affected();
    scope.commit();
    return count;
}

DeadLetters DeliveryOperations::preview_dead(const std::string& queue, const ReplayFilter& filter) {
    const Rows rows = session_->query(sql::preview_dead,
                                      queue,
                                      filter.lane,
                                      filter.first_id,
                                      filter.last_id,
                                      deliveries_replayed_max);
    DeadLetters letters{.deliveries = rows[0].integer("deliveries"),
                        .lanes = rows[0].integer("lanes"),
                        .first_id = rows[0].optional_integer("first_id"),
                        .last_id = rows[0].optional_integer("last_id")};
    if (letters.deliveries == 0) require_known(queue);
    return letters;
}

void DeliveryOperations::cancel(std::int64_t id, std::string_view reason) {
    const auto cancelled = session_->query(
        sql::cancel_one, id, consumers::single_line(reason, delivery_detail_bytes_max));
    if (cancelled.affected() > 0) return;
    throw InvalidInput{"id",
                       "delivery " + std::to_string(id) + " is finished: it is " + find(id).state};
}

std::int64_t DeliveryOperations::cancel_lane(const std::string& queue,
                                             const std::string& lane,
                                             std::string_view reason) {
    const auto count = session_
                           ->query(sql::cancel_lane,
                                   queue,
                                   lane,
                                   consumers::single_line(reason, delivery_detail_bytes_max),
                                   StoredQueue::cancelled_max)
                           .affected();
    if (count == 0) require_known(queue);
    return count;
}

std::int64_t DeliveryOperations::waiting_in(const std::string& queue, const std::string& lane) {
    const auto waiting = session_->query(sql::count_waiting, queue, lane)[0].integer("waiting");
    if (waiting == 0) require_known(queue);
    return waiting;
}

}  // namespace radd::delivery
