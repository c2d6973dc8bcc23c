/// Tells other systems of events, by signed HTTP requests.

#include <chrono>
#include <map>
#include <memory>

#include "actions.hpp"
#include "commands.hpp"
#include "endpoints.hpp"
#include "fan_out.hpp"
#include "retention.hpp"
#include "routes.hpp"
#include "sender.hpp"
#include "sql.hpp"
#include <radd/plugin.hpp>
#include <webhooks/events.hpp>

namespace webhooks {
namespace {

using namespace std::chrono_literals;

// So many that fifty receivers which never answer leave room for those that do.
constexpr std::int32_t concurrency = 72;
constexpr std::int32_t endpoint_concurrency = 8;

std::vector<std::optional<radd::JsonText>> describe(radd::Transaction& tx,
                                                    std::span<const std::string> ids) {
    std::map<std::string, radd::JsonText> known;
    for (const auto row : tx.query(sql::describe_endpoints, radd::text_array(ids))) {
        known.emplace(row.text("id"),
                      radd::json{{"id", row.integer("id")},
                                 {"name", row.text("name")},
                                 {"enabled", row.boolean("enabled")}});
    }
    std::vector<std::optional<radd::JsonText>> refs;
    for (const std::string& id : ids) {
        const auto found = known.find(id);
        refs.push_back(found == known.end() ? std::nullopt : std::optional{found->second});
    }
    return refs;
}

radd::EventTypeSpec event(radd::EventType type, std::string label, bool trigger) {
    return {.type = type,
            .label = std::move(label),
            .group = "Webhooks",
            .trigger = trigger,
            .readable_by = radd::Role::admin,  // As the list of endpoints.
            .entity_type = radd::EntityType{WebhookEntity::endpoint}};
}

radd::DeliveryQueueSpec queue() {
    return {.name = std::string{queue_name},
            .schedule = [](radd::Services& host) { return host.retry_schedule(); },
            .timeout = Sender::timeout + 5s,
            .concurrency = concurrency,
            .lane_concurrency = endpoint_concurrency,
            .make = [](radd::Services& host) { return std::make_unique<Sender>(host); }};
}

radd::Manifest manifest() {
    return {
        .id = "webhooks",
        .version = RADD_PLUGIN_VERSION,
        .description = "Tells other systems of events, by signed HTTP requests.",
        .event_types = {event(WebhookEvent::endpoint_created, "Webhook endpoint created", false),
                        event(WebhookEvent::endpoint_updated, "Webhook endpoint changed", false),
                        event(WebhookEvent::endpoint_deleted, "Webhook endpoint deleted", false),
                        event(WebhookEvent::endpoint_disabled, "Webhook endpoint disabled", true),
                        event(WebhookEvent::delivery_dead, "Webhook delivery given up", true)},
        .entity_refs = {{.entity_type = WebhookEntity::endpoint,
                         .label = "Webhook endpoint",
                         .ref = describe}},
        .settings = {radd::duration("disable_after",
                                    120h,
                                    {1min, 24h * 365},
                                    "An endpoint is disabled when a delivery dies and none has "
                                    "succeeded for so long."),
                     radd::duration("rotation_overlap",
                                    24h,
                                    {0ms, 24h * 90},
                                    "How long the old secret signs beside a new one."),
                     radd::duration("attempts_kept",
                                    24h * 30,
                                    {1h, 24h * 3650},
                                    "How long the log of attempts goes back.")},
        .consumers = {{.name = "webhooks.fan_out",
                       .resume = radd::Resume::head,
                       .make =
                           [](radd::Services& host) { return std::make_unique<FanOut>(host); }}},
        .periodic_tasks =
            {{.name = "webhooks.retention",
              .make = [](radd::Services& host) { return std::make_unique<Retention>(host); }}},
        .actions = actions(),
        .delivery_queues = {queue()},
        .commands = commands(),
        .routes = routes(),
        .migrations = radd::plugin_migrations(),
    };
}

}  // namespace
}  // namespace webhooks

RADD_PLUGIN(webhooks::manifest)
