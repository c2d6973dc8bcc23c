#include "commands.hpp"

#include <charconv>
#include <ostream>
#include <string>
#include <string_view>

#include "endpoints.hpp"
#include <radd/terminal_text.hpp>

namespace webhooks {
namespace {

constexpr int done = 0;
constexpr int failed = 1;
constexpr int wrong_usage = 2;

std::int64_t id_of(std::string_view text) {
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error != std::errc{} || end != text.data() + text.size())
        throw radd::InvalidInput{
            "id", "'" + std::string{text} + "' is no number; `radd webhooks list` shows them"};
    return id;
}

int unknown(radd::CommandContext& command) {
    command.err << "there is no such endpoint; `radd webhooks list` shows them\n";
    return failed;
}

int list(radd::CommandContext& command) {
    if (!command.arguments.empty()) return wrong_usage;
    const auto all = command.host.database().transact(
        [&](radd::Transaction& tx) { return Endpoints{command.host}.list(tx); });
    if (command.json) {
        auto array = radd::json::array();
        for (const auto& endpoint : all) array.push_back(to_json(endpoint));
        command.out << array.dump() << '\n';
        return done;
    }
    for (const auto& endpoint : all) {
        const auto state = endpoint.draft.enabled ? "on" : "off: " + *endpoint.disabled_reason;
        command.out << endpoint.id << '\t' << radd::terminal_text(endpoint.draft.name) << '\t'
                    << radd::terminal_text(endpoint.draft.url) << '\t' << radd::terminal_text(state)
                    << '\n';
    }
    return done;
}

int add(radd::CommandContext& command) {
    const auto& arguments = command.arguments;
    if (arguments.size() < 2) return wrong_usage;
    EndpointDraft draft{.name = arguments[0], .url = arguments[1]};
    for (std::size_t i = 2; i < arguments.size(); ++i) {
        if (arguments[i] == "--plain")
            draft.format = Format::plain;
        else
            draft.event_types.push_back(arguments[i]);
    }
    const auto made = command.host.database().transact([&](radd::Transaction& tx) {
        return Endpoints{command.host}.create(tx, draft, std::nullopt, std::nullopt);
    });
    if (command.json)
        command.out << radd::json{{"id", made.id}, {"secret", made.secret}}.dump() << '\n';
    else
        command.out << made.id << '\t' << made.secret << '\n';
    command.err << "keep the secret now: it is not shown again\n";
    return done;
}

int switch_endpoint(radd::CommandContext& command, bool enabled) {
    if (command.arguments.size() != 1) return wrong_usage;
    const auto id = id_of(command.arguments[0]);
    const bool found = command.host.database().transact([&](radd::Transaction& tx) {
        Endpoints endpoints{command.host};
        auto endpoint = endpoints.find_to_change(tx, id);
        if (!endpoint) return false;
        endpoint->draft.enabled = enabled;
        return endpoints.update(tx, id, endpoint->draft, std::nullopt);
    });
    if (!found) return unknown(command);
    if (command.json) command.out << radd::json{{"id", id}, {"enabled", enabled}}.dump() << '\n';
    command.err << "endpoint " << id << " is " << (enabled ? "on" : "off") << '\n';
    return done;
}

int remove(radd::CommandContext& command) {
    if (command.arguments.size() != 1) return wrong_usage;
    const auto id = id_of(command.arguments[0]);
    const bool found = command.host.database().transact([&](radd::Transaction& tx) {
        return Endpoints{command.host}.remove(tx, id, std::nullopt);
    });
    if (!found) return unknown(command);
    if (command.json) command.out << radd::json{{"id", id}, {"removed", true}}.dump() << '\n';
    command.err << "endpoint " << id << " is gone\n";
    return done;
}

int rotate(radd::CommandContext& command) {
    if (command.arguments.size() != 1) return wrong_usage;
    const auto id = id_of(command.arguments[0]);
    const auto overlap = command.host.settings().duration("rotation_overlap");
    const auto secret = command.host.database().transact([&](radd::Transaction& tx) {
        return Endpoints{command.host}.rotate(tx, id, std::nullopt, overlap, std::nullopt);
    });
    if (!secret) return unknown(command);
    if (command.json)
        command.out << radd::json{{"secret", *secret}}.dump() << '\n';
    else
        command.out << *secret << '\n';
    return done;
}

int replay(radd::CommandContext& command) {
    if (command.arguments.size() != 1) return wrong_usage;
    const auto id = id_of(command.arguments[0]);
    auto& queue = command.host.deliveries(queue_name);
    const auto endpoint = command.host.database().transact(
        [&](radd::Transaction& tx) { return Endpoints{command.host}.find(tx, id); });
    if (!endpoint) return unknown(command);
    std::int64_t replayed = 0;
    for (std::int64_t last = radd::deliveries_replayed_max;
         last == radd::deliveries_replayed_max;) {
        last = command.host.database().transact([&](radd::Transaction& tx) {
            return queue.replay_dead(tx, {.lane = std::to_string(id)});
        });
        replayed += last;
    }
    if (command.json)
        command.out << radd::json{{"replayed", replayed}}.dump() << '\n';
    else
        command.err << replayed << " deliveries are queued again\n";
    return done;
}

}  // namespace

std::vector<radd::CommandSpec> commands() {
    return {
        {.words = "webhooks list", .usage = "", .help = "Shows the endpoints.", .run = list},
        {.words = "webhooks add",
         .usage = "NAME URL [TYPE…] [--plain]",
         .help =
             "Makes an endpoint and prints its id and secret.\nTYPE: item.updated, or 'item.*'; "
             "none: all. --plain: no CloudEvents.",
         .run = add},
        {.words = "webhooks enable",
         .usage = "ID",
         .help = "Switches an endpoint on again.",
         .run = [](auto& command) { return switch_endpoint(command, true); }},
        {.words = "webhooks disable",
         .usage = "ID",
         .help = "Switches an endpoint off and cancels what waits for it.",
         .run = [](auto& command) { return switch_endpoint(command, false); }},
        {.words = "webhooks remove", .usage = "ID", .help = "Deletes an endpoint.", .run = remove},
        {.words = "webhooks rotate",
         .usage = "ID",
         .help = "Prints a new secret.\nThe old one signs beside it for a while.",
         .run = rotate},
        {.words = "webhooks replay",
         .usage = "ID",
         .help = "Repeats the dead deliveries of an endpoint.",
         .run = replay},
    };
}

}  // namespace webhooks
