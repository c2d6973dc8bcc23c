#include "actions.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "message.hpp"
#include "rooms.hpp"

namespace chat {
namespace {

/// By its name, or else by its id. @throws radd::InvalidInput, field "room".
Room room_called(radd::Transaction& tx, radd::Services& host, const std::string& called) {
    const auto all = Rooms{host}.list(tx);
    auto found =
        std::ranges::find_if(all, [&](const Room& room) { return room.draft.name == called; });
    if (found == all.end())
        found = std::ranges::find_if(
            all, [&](const Room& room) { return std::to_string(room.id) == called; });
    if (found == all.end())
        throw radd::InvalidInput{"room",
                                 "there is no room '" + called + "'; `radd chat rooms` shows them"};
    return *found;
}

radd::ActionPlan plan_post(radd::Transaction& tx,
                           radd::Services& host,
                           const radd::ActionCall& call) {
    const auto arguments = radd::json::parse(call.arguments.text());
    const auto room = room_called(tx, host, arguments.at("room").get<std::string>());
    const auto text = arguments.at("text").get<std::string>();
    const bool is_on = room.draft.enabled;
    return {
        .summary = is_on ? "post to " + room.draft.name + ": " + text
                         : "room " + room.draft.name + " is off",
        .details = radd::json{{"room_id", room.id},
                              {"line", line_of(text)},
                              {"event_id",
                               call.event != nullptr ? radd::json(call.event->id) : radd::json()}},
        .has_effect = is_on};
}

void apply_post(radd::Transaction& tx, radd::Services& host, const radd::ActionPlan& plan) {
    const auto details = radd::json::parse(plan.details.text());
    std::optional<std::int64_t> event_id;
    if (details.at("event_id").is_number_integer())
        event_id = details.at("event_id").get<std::int64_t>();
    Rooms{host}.say(tx,
                    details.at("room_id").get<std::int64_t>(),
                    details.at("line").get<std::string>(),
                    event_id,
                    std::nullopt);
}

}  // namespace

std::vector<radd::ActionSpec> actions() {
    return {{.name = "chat.post",
             .label = "Post to a chat room",
             .arguments = R"json({"type":"object","additionalProperties":false,
                "required":["room","text"],"properties":{
                "room":{"type":"string","minLength":1,"description":"Its name, or its id"},
                "text":{"type":"string","minLength":1,"maxLength":10000,
                    "description":"One line; what it would mean to the chat is taken from it"}}})json",
             .plan = plan_post,
             .apply = apply_post}};
}

}  // namespace chat
