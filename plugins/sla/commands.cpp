#include "commands.hpp"

#include <optional>
#include <ostream>
#include <string>

#include "clocks.hpp"
#include "list_json.hpp"
#include "policies.hpp"
#include "sql.hpp"
#include <radd/terminal_text.hpp>

namespace sla {
namespace {

constexpr int done = 0;
constexpr int wrong_usage = 2;

std::string promises_text(const Promises& promises) {
    std::string text;
    for (const auto& [target, promise] : promises)
        text += (text.empty() ? "" : " ") + std::string{name_of(target)} + "=" +
                std::to_string(promise.within.count()) + "min";
    return text;
}

int policies(radd::CommandContext& command) {
    if (command.arguments.size() > 1) return wrong_usage;
    std::optional<std::string> project;
    if (!command.arguments.empty()) project = command.arguments.front();
    const auto all = command.host.database().transact(
        [&](radd::Transaction& tx) { return list_policies(tx, project); });
    if (command.json) {
        command.out << list_json(all).dump() << '\n';
        return done;
    }
    for (const Policy& policy : all)
        command.out << policy.id << '\t' << policy.draft.project << '\t'
                    << (policy.draft.enabled ? "on" : "off") << '\t'
                    << radd::terminal_text(policy.draft.name) << '\t'
                    << radd::terminal_text(policy.calendar_name) << '\t'
                    << promises_text(policy.draft.targets) << '\n';
    if (all.empty()) command.err << "there are no policies; POST /api/v1/sla/policies makes one\n";
    return done;
}

std::vector<ClockLine> clocks_asked_for(radd::Transaction& tx,
                                        const std::optional<std::string>& name) {
    if (!name) return list_open(tx, {});
    if (const auto item = tx.query_one(sql::find_item, *name))
        return list_of_item(tx, item->integer("id"));
    if (!tx.query_one(sql::find_project, *name))
        throw radd::InvalidInput{
            "name", "no project or item has the key '" + *name + "'; keys are upper case"};
    return list_open(tx, {.project = name});
}

int clocks(radd::CommandContext& command) {
    if (command.arguments.size() > 1) return wrong_usage;
    std::optional<std::string> name;
    if (!command.arguments.empty()) name = command.arguments.front();
    const auto all = command.host.database().transact(
        [&](radd::Transaction& tx) { return clocks_asked_for(tx, name); });
    if (command.json) {
        command.out << list_json(all).dump() << '\n';
        return done;
    }
    for (const ClockLine& clock : all)
        command.out << clock.item_key << '\t' << clock.target << '\t' << clock.state << '\t'
                    << clock.due_at.value_or("-") << '\t' << radd::terminal_text(clock.policy_name)
                    << '\t' << radd::terminal_text(clock.item_title) << '\n';
    if (all.empty()) command.err << "no clock runs\n";
    return done;
}

int check(radd::CommandContext& command) {
    if (!command.arguments.empty()) return wrong_usage;
    auto& database = command.host.database();
    while (!command.host.stop_requested() && refresh(database, command.host.log())) {}
    Told total;
    std::optional<Place> place = Place{};
    while (place && !command.host.stop_requested()) {
        const auto told =
            database.transact([&](radd::Transaction& tx) { return tell(tx, *place); });
        total.taken += told.taken;
        total.due_soon += told.due_soon;
        total.breached += told.breached;
        place = told.next;
    }
    const auto left = total.taken - total.due_soon - total.breached;
    if (command.json)
        command.out << radd::json{{"due_soon", total.due_soon},
                                  {"breached", total.breached},
                                  {"left", left}}
                           .dump()
                    << '\n';
    else
        command.err << total.due_soon << " due soon, " << total.breached << " breached, " << left
                    << " left for later\n";
    return done;
}

}  // namespace

std::vector<radd::CommandSpec> commands() {
    return {
        {.words = "sla policies",
         .usage = "[PROJECT]",
         .help = "Shows what is promised, in the order in which policies are tried.",
         .run = policies},
        {.words = "sla clocks",
         .usage = "[PROJECT|ITEM]",
         .help = "Shows what runs or is overdue, the most urgent first.\nOf one item also what has "
                 "ended. At most 500.",
         .run = clocks},
        {.words = "sla check",
         .usage = "",
         .help = "Tells now of what is due, as the host does every few seconds.\nHarmless beside a "
                 "host: each clock is told of once. What is left for later belongs to items that "
                 "somebody is changing, or whose events have not been read.",
         .run = check},
    };
}

}  // namespace sla
