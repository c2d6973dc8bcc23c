/// Tells chat rooms of events, by their incoming webhooks.

#include <chrono>
#include <map>
#include <memory>
#include <thread>

#include "actions.hpp"
#include "commands.hpp"
#include "planner.hpp"
#include "poster.hpp"
#include "retention.hpp"
#include "rooms.hpp"
#include "routes.hpp"
#include "sql.hpp"
#include <chat/events.hpp>
#include <radd/plugin.hpp>

namespace chat {
namespace {

using namespace std::chrono_literals;

// So many rooms can be behind before one waits for another.
constexpr std::int32_t concurrency = 32;

std::vector<std::optional<radd::JsonText>> describe(radd::Transaction& tx,
                                                    std::span<const std::string> ids) {
    std::map<std::string, radd::JsonText> known;
    for (const auto row : tx.query(sql::describe_rooms, radd::text_array(ids))) {
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
            .group = "Chat",
            .trigger = trigger,
            .readable_by = radd::Role::admin,  // As the list of rooms.
            .entity_type = radd::EntityType{ChatEntity::room}};
}

radd::DeliveryQueueSpec queue() {
    return {.name = std::string{queue_name},
            // Who reads a room wants to know it now or not at all.
            .schedule =
                [](radd::Services&) {
                    return std::vector<std::chrono::seconds>{5s, 30s, 2min, 10min, 30min};
                },
            .timeout = Poster::timeout + 3 * Poster::pause_max + 5s,
            .concurrency = concurrency,
            .lane_concurrency = 1,
            .make =
                [](radd::Services& host) {
                    return std::make_unique<Poster>(
                        host, [](auto time) { std::this_thread::sleep_for(time); });
                }};
}

radd::Manifest manifest() {
    return {
        .id = "chat",
        .version = RADD_PLUGIN_VERSION,
        .description = "Tells chat rooms of events, by their incoming webhooks.",
        .event_types = {event(ChatEvent::room_created, "Chat room added", false),
                        event(ChatEvent::room_updated, "Chat room changed", false),
                        event(ChatEvent::room_deleted, "Chat room removed", false),
                        event(ChatEvent::room_disabled, "Chat room disabled", true)},
        .entity_refs = {{.entity_type = ChatEntity::room, .label = "Chat room", .ref = describe}},
        .consumers = {{.name = "chat.planner",
                       .resume = radd::Resume::head,
                       .make =
                           [](radd::Services& host) { return std::make_unique<Planner>(host); }}},
        .periodic_tasks =
            {{.name = "chat.retention",
              .make = [](radd::Services& host) { return std::make_unique<Retention>(host); }}},
        .actions = actions(),
        .delivery_queues = {queue()},
        .commands = commands(),
        .routes = routes(),
        .migrations = radd::plugin_migrations(),
    };
}

}  // namespace
}  // namespace chat

RADD_PLUGIN(chat::manifest)
