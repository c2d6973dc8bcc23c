#include "fan_out.hpp"

#include <map>
#include <vector>

#include "endpoints.hpp"
#include "sql.hpp"
#include <webhooks/events.hpp>

namespace webhooks {
namespace {

bool is_ours(const radd::Event& event) {
    return event.is(WebhookEvent::endpoint_created) || event.is(WebhookEvent::endpoint_updated) ||
           event.is(WebhookEvent::endpoint_deleted) || event.is(WebhookEvent::endpoint_disabled) ||
           event.is(WebhookEvent::delivery_dead);
}

}  // namespace

FanOut::FanOut(radd::Services& host)
    : queue_{host.deliveries(queue_name)}, source_{host.public_url()} {}

void FanOut::offer(radd::Transaction& tx, const radd::Event& event) {
    const bool ours = is_ours(event);
    const auto endpoints = tx.query(sql::matching_endpoints,
                                    event.type,
                                    event.entity_type,
                                    event.project_id,
                                    ours,
                                    ours ? std::optional{event.entity_id} : std::nullopt);
    std::map<Format, std::string> bodies;
    std::vector<radd::NewDelivery> deliveries;
    for (const auto endpoint : endpoints) {
        const auto format = format_of(endpoint.text("format"));
        auto& body = bodies[format];
        if (body.empty()) body = body_of(event, format, source_);
        const auto& id = endpoint.text("id");
        deliveries.push_back({.lane = id,
                              .payload = radd::json{{"type", event.type},
                                                    {"ours", ours},
                                                    {"content_type", content_type_of(format)},
                                                    {"body", body}},
                              .event_id = event.id,
                              .key = std::to_string(event.id) + "/" + id});
    }
    if (!deliveries.empty()) queue_.enqueue(tx, deliveries);
}

}  // namespace webhooks
