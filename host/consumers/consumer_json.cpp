#include <nlohmann/json.hpp>

#include <host/consumers/consumer_json.hpp>
#include <host/outbox/json_check.hpp>

namespace radd::consumers {
namespace {

using nlohmann::ordered_json;

template <typename Value>
ordered_json or_null(const std::optional<Value>& value) {
    return value ? ordered_json(*value) : ordered_json();
}

void append_text(std::string& json, std::string_view key, std::string_view text) {
    json.append(",\"").append(key).append("\":");
    outbox::append_quoted(json, text);
}

}  // namespace

ordered_json to_json(const std::optional<outbox::StreamHolder>& holder) {
    if (!holder) return {};
    return {{"event_id", holder->hole_id},
            {"pid", or_null(holder->pid)},
            {"age_ms", holder->age.count()},
            {"application_name", holder->application_name},
            {"query", holder->query}};
}

ordered_json to_json(const ConsumerStatus& status) {
    return {{"name", status.name},
            {"plugin", status.plugin},
            {"kind", status.task ? "task" : "consumer"},
            {"state", status.state},
            {"last_event_id", status.last_event_id},
            {"stream_head", status.stream_head},
            {"lag", status.lag},
            {"approximate", status.approximate},
            {"seconds_since_update", status.seconds_since_update},
            {"oldest_age_s", or_null(status.oldest_age_s)},
            {"skipped", status.skipped},
            {"handled_count", status.handled_count},
            {"owner", or_null(status.owner)},
            {"overdue_event_id", or_null(status.overdue_event_id)},
            {"paused_until", or_null(status.paused_until)},
            {"pause_reason", or_null(status.pause_reason)},
            {"waiting_on", to_json(status.waiting_on)}};
}

ordered_json to_json(const std::string& name, const Seek& seek) {
    return {{"name", name},
            {"from", seek.from},
            {"to", seek.to},
            {"events", seek.events},
            {"approximate", seek.approximate},
            {"direction", seek.to < seek.from ? "replay" : "pass"}};
}

std::string json_text(const SkippedEvent& skipped) {
    std::string json = "{\"id\":" + std::to_string(skipped.id);
    append_text(json, "consumer", skipped.consumer);
    json.append(",\"event_id\":").append(std::to_string(skipped.event_id));
    append_text(json, "event_type", skipped.event_type);
    append_text(json, "phase", skipped.phase);
    append_text(json, "error", skipped.error);
    append_text(json, "plugin", skipped.plugin);
    append_text(json, "plugin_version", skipped.plugin_version);
    json.append(",\"attempts\":").append(std::to_string(skipped.attempts));
    append_text(json, "skipped_at", skipped.skipped_at);
    json.append(",\"retry_requested\":").append(skipped.retry_requested ? "true" : "false");
    json.append(",\"event\":").append(skipped.event_text);
    return json += '}';
}

}  // namespace radd::consumers
