#include "commands.hpp"

#include <charconv>
#include <fstream>
#include <ostream>
#include <string>
#include <string_view>

#include "rooms.hpp"
#include "trial.hpp"
#include <radd/terminal_text.hpp>

namespace chat {
namespace {

constexpr int done = 0;
constexpr int failed = 1;
constexpr int wrong_usage = 2;

std::int64_t id_of(std::string_view text) {
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error != std::errc{} || end != text.data() + text.size())
        throw radd::InvalidInput{
            "id", "'" + std::string{text} + "' is no number; `radd chat rooms` shows them"};
    return id;
}

/// The URL, or the first line of the file that @FILE names: others can see a command line.
std::string url_of(const std::string& argument) {
    if (!argument.starts_with('@')) return argument;
    std::ifstream file{argument.substr(1)};
    std::string url;
    if (!std::getline(file, url))
        throw radd::InvalidInput{"url", "the file " + argument.substr(1) + " has no first line"};
    return url;
}

int unknown(radd::CommandContext& command) {
    command.err << "there is no such room; `radd chat rooms` shows them\n";
    return failed;
}

int list(radd::CommandContext& command) {
    if (!command.arguments.empty()) return wrong_usage;
    const auto all = command.host.database().transact(
        [&](radd::Transaction& tx) { return Rooms{command.host}.list(tx); });
    if (command.json) {
        auto array = radd::json::array();
        for (const auto& room : all) array.push_back(to_json(room));
        command.out << array.dump() << '\n';
        return done;
    }
    for (const auto& room : all) {
        const auto state = room.draft.enabled ? "on" : "off: " + *room.disabled_reason;
        command.out << room.id << '\t' << radd::terminal_text(room.draft.name) << '\t'
                    << radd::terminal_text(room.url_host) << '\t' << radd::terminal_text(state)
                    << '\n';
    }
    return done;
}

int add(radd::CommandContext& command) {
    const auto& arguments = command.arguments;
    if (arguments.size() < 2) return wrong_usage;
    RoomDraft draft{.name = arguments[0]};
    draft.event_types.assign(arguments.begin() + 2, arguments.end());
    const auto id = command.host.database().transact([&](radd::Transaction& tx) {
        return Rooms{command.host}.create(tx, draft, url_of(arguments[1]), std::nullopt);
    });
    if (command.json)
        command.out << radd::json{{"id", id}}.dump() << '\n';
    else
        command.out << id << '\n';
    return done;
}

int switch_room(radd::CommandContext& command, bool enabled) {
    if (command.arguments.size() != 1) return wrong_usage;
    const auto id = id_of(command.arguments[0]);
    const bool found = command.host.database().transact([&](radd::Transaction& tx) {
        Rooms rooms{command.host};
        auto room = rooms.find_to_change(tx, id);
        if (!room) return false;
        room->draft.enabled = enabled;
        return rooms.update(tx, id, room->draft, std::nullopt, std::nullopt);
    });
    if (!found) return unknown(command);
    if (command.json) command.out << radd::json{{"id", id}, {"enabled", enabled}}.dump() << '\n';
    command.err << "room " << id << " is " << (enabled ? "on" : "off") << '\n';
    return done;
}

int remove(radd::CommandContext& command) {
    if (command.arguments.size() != 1) return wrong_usage;
    const auto id = id_of(command.arguments[0]);
    const bool found = command.host.database().transact(
        [&](radd::Transaction& tx) { return Rooms{command.host}.remove(tx, id, std::nullopt); });
    if (!found) return unknown(command);
    if (command.json) command.out << radd::json{{"id", id}, {"removed", true}}.dump() << '\n';
    command.err << "room " << id << " is gone\n";
    return done;
}

int test(radd::CommandContext& command) {
    if (command.arguments.size() != 1) return wrong_usage;
    const auto trial = try_room(command.host, id_of(command.arguments[0]));
    if (!trial) return unknown(command);
    if (command.json)
        command.out << radd::json{{"posted", trial->posted}, {"detail", trial->detail}}.dump()
                    << '\n';
    else
        command.err << (trial->posted ? "posted: " : "not posted: ")
                    << radd::terminal_text(trial->detail) << '\n';
    return trial->posted ? done : failed;
}

}  // namespace

std::vector<radd::CommandSpec> commands() {
    return {
        {.words = "chat rooms",
         .usage = "",
         .help = "Shows the rooms that are told of events.",
         .run = list},
        {.words = "chat add",
         .usage = "NAME URL|@FILE [TYPE…]",
         .help =
             "Tells a room of events, and prints its id.\nURL: of its incoming webhook; it is a "
             "secret, so better in a FILE.\nTYPE: item.updated, or 'item.*'; none: all.",
         .run = add},
        {.words = "chat test",
         .usage = "ID",
         .help = "Posts a message to a room, at once.",
         .run = test},
        {.words = "chat enable",
         .usage = "ID",
         .help = "Switches a room on again.",
         .run = [](auto& command) { return switch_room(command, true); }},
        {.words = "chat disable",
         .usage = "ID",
         .help = "Switches a room off and cancels what waits for it.",
         .run = [](auto& command) { return switch_room(command, false); }},
        {.words = "chat remove", .usage = "ID", .help = "Forgets a room.", .run = remove},
    };
}

}  // namespace chat
