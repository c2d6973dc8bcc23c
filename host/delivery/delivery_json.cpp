#include <nlohmann/json.hpp>

#include <host/delivery/delivery_json.hpp>

namespace radd::delivery {
namespace {

using nlohmann::ordered_json;

template <typename Value>
ordered_json or_null(const std::optional<Value>& value) {
    return value ? ordered_json(*value) : ordered_json();
}

}  // namespace

ordered_json to_json(const QueueStatus& status) {
    return {{"name", status.name},
            {"pending", status.pending},
            {"due", status.due},
            {"under_way", status.under_way},
            {"dead", status.dead},
            {"oldest_due_s", or_null(status.oldest_due_s)},
            {"approximate", status.approximate}};
}

ordered_json to_json(const LaneStatus& status) {
    return {{"lane", status.lane},
            {"pending", status.pending},
            {"due", status.due},
            {"under_way", status.under_way},
            {"dead", status.dead},
            {"next_attempt_at", or_null(status.next_attempt_at)}};
}

ordered_json to_json(const StoredDelivery& delivery) {
    return {{"id", delivery.id},
            {"uid", delivery.uid},
            {"queue", delivery.queue},
            {"lane", delivery.lane},
            {"state", delivery.state},
            {"under_way", delivery.under_way},
            {"attempts", delivery.attempts},
            {"event_id", or_null(delivery.event_id)},
            {"created_at", delivery.created_at},
            {"next_attempt_at", or_null(delivery.next_attempt_at)},
            {"last_attempt_at", or_null(delivery.last_attempt_at)},
            {"last_error", or_null(delivery.last_error)},
            {"finished_at", or_null(delivery.finished_at)},
            {"replay_of", or_null(delivery.replay_of)},
            {"replayed_as", or_null(delivery.replayed_as)}};
}

ordered_json to_json(const DeadLetters& letters) {
    return {{"deliveries", letters.deliveries},
            {"lanes", letters.lanes},
            {"first_id", or_null(letters.first_id)},
            {"last_id", or_null(letters.last_id)}};
}

std::string json_text(const StoredDelivery& delivery, const std::string& payload_text) {
    std::string text =
        to_json(delivery).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    text.pop_back();
    return text.append(",\"payload\":").append(payload_text).append("}");
}

}  // namespace radd::delivery
