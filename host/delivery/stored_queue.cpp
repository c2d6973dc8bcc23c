#include <utility>

#include <host/consumers/failure.hpp>
#include <host/delivery/queue_sql.hpp>
#include <host/delivery/stored_queue.hpp>
#include <host/outbox/json_check.hpp>

namespace radd::delivery {
namespace {

void check(const NewDelivery& delivery) {
    if (delivery.lane.empty()) throw InvalidInput{"lane", "is empty"};
    outbox::check_text("lane", delivery.lane, delivery_lane_bytes_max);
    if (delivery.key && delivery.key->empty()) throw InvalidInput{"key", "is empty"};
    if (delivery.key) outbox::check_text("key", *delivery.key, delivery_key_bytes_max);
    const std::string& payload = delivery.payload.text();
    if (payload.size() > delivery_payload_bytes_max)
        throw InvalidInput{"payload",
                           "has " + std::to_string(payload.size()) + " bytes, at most " +
                               std::to_string(delivery_payload_bytes_max) + " fit"};
    outbox::check_json("payload", payload);
}

/// The columns of some rows, as PostgreSQL reads arrays.
struct Columns {
    std::vector<std::string> lanes{};
    std::vector<std::string> payloads{};
    std::string event_ids = "{";
    std::string keys = "{";
    std::size_t bytes = 0;

    void add(const NewDelivery& delivery) {
        const char* comma = lanes.empty() ? "" : ",";
        lanes.push_back(delivery.lane);
        payloads.push_back(delivery.payload.text());
        bytes += delivery.payload.text().size();
        event_ids += comma;
        event_ids += delivery.event_id ? std::to_string(*delivery.event_id) : "NULL";
        keys += comma;
        if (!delivery.key) {
            keys += "NULL";
            return;
        }
        const std::vector<std::string> one{*delivery.key};
        const std::string quoted = text_array(one);
        keys += quoted.substr(1, quoted.size() - 2);
    }

    [[nodiscard]] std::int64_t insert(Transaction& tx, const std::string& queue) const {
        return tx.execute(sql::enqueue,
                          queue,
                          text_array(lanes),
                          text_array(payloads),
                          event_ids + "}",
                          keys + "}");
    }
};

std::string id_array(const Rows& rows) {
    std::string array = "{";
    for (const Row row : rows) array += (array.size() > 1 ? "," : "") + row.text("id");
    return array + "}";
}

}  // namespace

void StoredQueue::when_queued(std::function<void()> heard) {
    const std::scoped_lock lock{mutex_};
    heard_ = std::move(heard);
}

void StoredQueue::tell() const {
    const std::scoped_lock lock{mutex_};
    if (heard_) heard_();
}

std::int64_t StoredQueue::do_enqueue(Transaction& tx, std::span<const NewDelivery> deliveries) {
    for (const NewDelivery& delivery : deliveries) check(delivery);
    std::int64_t queued = 0;
    for (std::size_t next = 0; next < deliveries.size();) {
        Columns columns;
        while (next < deliveries.size() && columns.lanes.size() < rows_per_statement_max &&
               columns.bytes < bytes_per_statement_max)
            columns.add(deliveries[next++]);
        queued += columns.insert(tx, name_);
    }
    if (queued > 0) tell();
    return queued;
}

std::optional<std::int64_t> StoredQueue::replay_one(Transaction& tx, std::int64_t id) {
    const auto row = tx.query_one(sql::replay_one, name_, id);
    if (!row) return std::nullopt;
    tell();
    return row->integer("id");
}

std::int64_t StoredQueue::replay_dead(Transaction& tx, const ReplayFilter& filter) {
    const Rows dead = tx.query(sql::lock_dead,
                               name_,
                               filter.lane,
                               filter.first_id,
                               filter.last_id,
                               deliveries_replayed_max);
    if (dead.empty()) return 0;
    const auto count = tx.execute(sql::replay_locked, id_array(dead));
    tell();
    return count;
}

std::int64_t StoredQueue::cancel_lane(Transaction& tx,
                                      std::string_view lane,
                                      std::string_view reason) {
    return tx.execute(sql::cancel_lane,
                      name_,
                      lane,
                      consumers::single_line(reason, delivery_detail_bytes_max),
                      cancelled_max);
}

StoredQueue& Queues::add(const std::string& name) {
    auto& slot = queues_[name];
    if (!slot) slot = std::make_unique<StoredQueue>(name);
    return *slot;
}

StoredQueue& Queues::find(std::string_view name) {
    const auto found = queues_.find(name);
    if (found == queues_.end()) {
        throw ConfigError{"delivery queue '" + std::string{name} +
                          "': no loaded plugin declares it; add it to .delivery_queues"};
    }
    return *found->second;
}

std::vector<std::string> Queues::names() const {
    std::vector<std::string> names;
    for (const auto& [name, queue] : queues_) names.push_back(name);
    return names;
}

}  // namespace radd::delivery
