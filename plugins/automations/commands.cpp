#include "commands.hpp"

#include <charconv>
#include <optional>
#include <ostream>
#include <string>

#include "dry_run.hpp"
#include "rules.hpp"
#include <radd/terminal_text.hpp>

namespace automations {
namespace {

using radd::json;

constexpr int done = 0;
constexpr int failed = 1;
constexpr int wrong_usage = 2;

std::int64_t number_of(const char* field, const std::string& text) {
    std::int64_t number = 0;
    const auto* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, number);
    if (result.ec != std::errc{} || result.ptr != end)
        throw radd::InvalidInput{field, "'" + text + "' is no number"};
    return number;
}

std::optional<Rule> find(radd::CommandContext& command, const std::string& id_or_name) {
    auto rule = command.host.database().transact(
        [&](radd::Transaction& tx) { return Rules{command.host}.find(tx, id_or_name); });
    if (!rule)
        command.err << "there is no rule '" << radd::terminal_text(id_or_name)
                    << "'; `radd automations list` shows them\n";
    return rule;
}

std::string state_of(const json& rule) {
    std::string text = rule.at("state").get<std::string>();
    if (text == "off") text += ": " + rule.at("disabled_reason").get<std::string>();
    for (const auto& problem : rule.at("problems")) text += ": " + problem.get<std::string>();
    return text;
}

int list(radd::CommandContext& command) {
    if (!command.arguments.empty()) return wrong_usage;
    const auto all = command.host.database().transact(
        [&](radd::Transaction& tx) { return Rules{command.host}.list(tx); });
    auto array = json::array();
    for (const auto& rule : all) array.push_back(to_json(rule));
    if (command.json) {
        command.out << array.dump() << '\n';
        return done;
    }
    for (const auto& rule : array)
        command.out << rule.at("id") << '\t'
                    << radd::terminal_text(rule.at("name").get<std::string>()) << '\t'
                    << radd::terminal_text(state_of(rule)) << '\n';
    if (array.empty()) command.err << "there are no rules\n";
    return done;
}

int show(radd::CommandContext& command) {
    if (command.arguments.size() != 1) return wrong_usage;
    const auto rule = find(command, command.arguments[0]);
    if (!rule) return failed;
    command.out << to_json(*rule).dump(command.json ? -1 : 2) << '\n';
    return done;
}

int add(radd::CommandContext& command) {
    if (command.arguments.size() != 2) return wrong_usage;
    const auto definition = json::parse(command.arguments[1], nullptr, false);
    if (definition.is_discarded()) throw radd::InvalidInput{"rule", "is no JSON"};
    RuleDraft draft{.name = command.arguments[0]};
    read_definition(definition, draft);
    const auto id = command.host.database().transact(
        [&](radd::Transaction& tx) { return Rules{command.host}.create(tx, draft, std::nullopt); });
    if (command.json)
        command.out << json{{"id", id}}.dump() << '\n';
    else
        command.out << id << '\n';
    return done;
}

int remove(radd::CommandContext& command) {
    if (command.arguments.size() != 1) return wrong_usage;
    const auto rule = find(command, command.arguments[0]);
    if (!rule) return failed;
    command.host.database().transact([&](radd::Transaction& tx) {
        (void)Rules{command.host}.remove(tx, rule->id, std::nullopt);
    });
    if (command.json) command.out << json{{"id", rule->id}}.dump() << '\n';
    command.err << "rule " << rule->id << " is gone\n";
    return done;
}

int turn(radd::CommandContext& command, bool enabled) {
    if (command.arguments.size() != 1) return wrong_usage;
    const auto named = find(command, command.arguments[0]);
    if (!named) return failed;
    const bool found = command.host.database().transact([&](radd::Transaction& tx) {
        Rules rules{command.host};
        auto rule = rules.find_to_change(tx, named->id);
        if (!rule) return false;
        rule->draft.enabled = enabled;
        return rules.update(tx, rule->id, rule->draft, std::nullopt);
    });
    if (!found) {
        command.err << "rule " << named->id << " has just been removed\n";
        return failed;
    }
    if (command.json) command.out << json{{"id", named->id}, {"enabled", enabled}}.dump() << '\n';
    command.err << "rule " << named->id << " is " << (enabled ? "on" : "off") << '\n';
    return done;
}

int test(radd::CommandContext& command) {
    const auto& words = command.arguments;
    const bool by_event = words.size() == 3 && words[1] == "--event";
    if (words.size() != 1 && !by_event) return wrong_usage;
    const auto rule = find(command, words[0]);
    if (!rule) return failed;
    const auto event_id =
        by_event ? std::optional{number_of("event", words[2])} : std::optional<std::int64_t>{};
    const auto answer = dry_run(command.host, *rule, event_id);
    if (command.json) {
        command.out << answer.dump() << '\n';
        return done;
    }
    command.out << answer.at("would").get<std::string>();
    const auto reason = answer.at("reason").get<std::string>();
    if (!reason.empty()) command.out << ": " << radd::terminal_text(reason);
    command.out << '\n';
    for (const auto& action : answer.at("plan"))
        command.out << action.at("action").get<std::string>() << '\t'
                    << radd::terminal_text(action.at("summary").get<std::string>()) << '\n';
    return done;
}

void print_run(std::ostream& out, const json& run) {
    out << run.at("id") << '\t' << run.at("at").get<std::string>() << '\t'
        << radd::terminal_text(run.at("rule").get<std::string>()) << '\t' << run.at("event_id")
        << '\t' << run.at("outcome").get<std::string>() << '\t'
        << radd::terminal_text(run.at("detail").get<std::string>()) << '\n';
    for (const auto& action : run.at("plan"))
        out << "    " << radd::terminal_text(action.at("summary").get<std::string>()) << '\n';
}

int list_runs(radd::CommandContext& command) {
    if (command.arguments.size() > 1) return wrong_usage;
    std::optional<std::int64_t> rule_id;
    if (command.arguments.size() == 1) {
        const auto rule = find(command, command.arguments[0]);
        if (!rule) return failed;
        rule_id = rule->id;
    }
    const auto array = command.host.database().transact(
        [&](radd::Transaction& tx) { return runs(tx, rule_id, std::nullopt, runs_listed_max); });
    if (command.json) {
        command.out << array.dump() << '\n';
        return done;
    }
    for (const auto& run : array) print_run(command.out, run);
    if (array.empty()) command.err << "nothing has run yet\n";
    return done;
}

}  // namespace

std::vector<radd::CommandSpec> commands() {
    return {
        {.words = "automations list", .usage = "", .help = "Shows the rules.", .run = list},
        {.words = "automations show", .usage = "RULE", .help = "Prints a rule.", .run = show},
        {.words = "automations add",
         .usage = "NAME RULE",
         .help = "Makes a rule and prints its id.\nRULE is JSON: '{\"trigger\": {\"events\": "
                 "[\"item.updated\"]}, \"then\": [{\"action\": \"items.add_label\", "
                 "\"arguments\": {\"label\": \"seen\"}}]}'",
         .run = add},
        {.words = "automations remove",
         .usage = "RULE",
         .help = "Deletes a rule and its runs.",
         .run = remove},
        {.words = "automations enable",
         .usage = "RULE",
         .help = "Switches a rule on, with a new budget.",
         .run = [](auto& command) { return turn(command, true); }},
        {.words = "automations disable",
         .usage = "RULE",
         .help = "Switches a rule off.",
         .run = [](auto& command) { return turn(command, false); }},
        {.words = "automations test",
         .usage = "RULE [--event ID]",
         .help = "Shows what a rule would do on an event that has happened.\nWithout one: by the "
                 "clock. Nothing is written.",
         .run = test},
        {.words = "automations runs",
         .usage = "[RULE]",
         .help = "Shows the latest runs, with what they did or why they did not.",
         .run = list_runs},
    };
}

}  // namespace automations
