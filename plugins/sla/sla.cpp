/// Promises by the clock: who is answered and helped within which working time.
///
/// Read in this order: calendar.hpp is when time counts, clock.hpp how far an item's time has run,
/// clocks.hpp what is kept of it, follower.hpp where changes come from, alarm.hpp when it is told.

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "alarm.hpp"
#include "commands.hpp"
#include "follower.hpp"
#include "routes.hpp"
#include "schemas.hpp"
#include <items/events.hpp>
#include <radd/plugin.hpp>
#include <sla/events.hpp>

namespace sla {
namespace {

using namespace std::chrono_literals;
using items::CommentEvent;
using items::ItemEvent;

radd::EventTypeSpec event(radd::EventType type, std::string label) {
    return {.type = type,
            .label = std::move(label),
            .group = "Service levels",
            .item_scoped = true,
            .entity_type = radd::EntityType{items::ItemEntity::item},
            .subjects = {items::ItemEntity::item},
            .payload_schema = event_schema()};
}

/// Each event is a kind of its own, under its name.
radd::NotificationKindSpec notification(radd::EventType type,
                                        std::string label,
                                        radd::Audience audience,
                                        radd::NotificationDefaults defaults) {
    return {.name = std::string{type.name()},
            .label = std::move(label),
            .event_type = type,
            .audience = audience,
            .defaults = defaults};
}

radd::Manifest manifest() {
    return {
        .id = RADD_PLUGIN_ID,
        .version = RADD_PLUGIN_VERSION,
        .description = "Tells when a promised time is nearly over, and when it is.",
        .depends_on = {"items"},
        .event_types = {event(SlaEvent::due_soon, "Service level due soon"),
                        event(SlaEvent::breached, "Service level breached")},
        .settings = {radd::duration(
            "check_interval", 5s, {100ms, 1h}, "How often the clock looks what has become due.")},
        .consumers = {{.name = "sla.follower",
                       .resume = radd::Resume::cursor,
                       .listens_to = {ItemEvent::created,
                                      ItemEvent::updated,
                                      ItemEvent::deleted,
                                      CommentEvent::created},
                       .make =
                           [](radd::Services& host) { return std::make_unique<Follower>(host); }}},
        .periodic_tasks =
            {{.name = "sla.alarm",
              .make = [](radd::Services& host) { return std::make_unique<Alarm>(host); }}},
        .notification_kinds = {notification(SlaEvent::due_soon,
                                            "Service level due soon",
                                            radd::Audience::assignee,
                                            {}),
                               notification(SlaEvent::breached,
                                            "Service level breached",
                                            radd::Audience::watchers,
                                            {.mail = true})},
        .commands = commands(),
        .routes = routes(),
        .migrations = radd::plugin_migrations(),
    };
}

}  // namespace
}  // namespace sla

RADD_PLUGIN(sla::manifest)
