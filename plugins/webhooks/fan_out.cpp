#include "fan_out.hpp"

#include <map>
#include <vector>

#include "endpoints.hpp"
#include "sql.hpp"
#include <items/events.hpp>
#include <webhooks/events.hpp>

namespace webhooks {
namespace {

bool is_ours(const radd::Event& event) {
    return event.is(WebhookEvent::endpoint_created) || event.is(WebhookEvent::endpoint_updated) ||
           event.is(WebhookEvent::endpoint_deleted) || event.is(WebhookEvent::endpoint_disabled) ||
           event.is(WebhookEvent::delivery_dead);
}

/// What a delivery keeps. A lawful event may be too long for one, as its text stands in a text:
/// its receivers are told of it all the same.
radd::JsonText payload_of(const radd::Event& event,
                          bool ours,
                          Format format,
                          const std::string& source) {
    const auto with = [&](Content content) -> radd::JsonText {
        return radd::json{{"type", event.type},
                          {"ours", ours},
                          {"content_type", content_type_of(format)},
                          {"body", body_of(event, format, source, content)}};
    };
    auto payload = with(Content::whole);
    if (payload.text().size() <= radd::delivery_payload_bytes_max) return payload;
    return with(Content::omitted);
}

}  // namespace

FanOut::FanOut(radd::Services& host)
    : endpoints_{host}, queue_{host.deliveries(queue_name)}, source_{host.public_url()} {}

void FanOut::offer(radd::Transaction& tx, const radd::Event& event) {
    if (!event.silent) tell(tx, event);
    if (event.is(items::ProjectEvent::deleted)) endpoints_.forget_project(tx, event.entity_id);
}

void FanOut::tell(radd::Transaction& tx, const radd::Event& event) {
    const bool ours = is_ours(event);
    const auto endpoints = tx.query(sql::matching_endpoints,
                                    event.type,
                                    event.entity_type,
                                    event.project_id,
                                    ours,
                                    ours ? std::optional{event.entity_id} : std::nullopt);
    std::map<Format, radd::JsonText> payloads;
    std::vector<radd::NewDelivery> deliveries;
    for (const auto endpoint : endpoints) {
        const auto format = format_of(endpoint.text("format"));
        auto payload = payloads.find(format);
        if (payload == payloads.end())
            payload = payloads.emplace(format, payload_of(event, ours, format, source_)).first;
        const auto& id = endpoint.text("id");
        deliveries.push_back({.lane = id,
                              .payload = payload->second,
                              .event_id = event.id,
                              .key = std::to_string(event.id) + "/" + id});
    }
    if (!deliveries.empty()) queue_.enqueue(tx, deliveries);
}

}  // namespace webhooks
