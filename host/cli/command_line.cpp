#include <algorithm>
#include <iterator>
#include <optional>
#include <sstream>

#include <nlohmann/json.hpp>

#include <host/cli/command_line.hpp>
#include <host/cli/grammar.hpp>
#include <host/cli/manual.hpp>
#include <host/config/suggest.hpp>

namespace radd::cli {
namespace {

/// The command that was met last: "consumers", or "consumers seek".
const CLI::App& deepest(const CLI::App& app) {
    const auto met = app.get_subcommands();
    return met.empty() ? app : deepest(*met.back());
}

std::vector<std::string> flags_of(const CLI::App& root, const CLI::App& command) {
    std::vector<std::string> flags;
    for (const CLI::App* app : {&command, &root}) {
        for (const auto* option : app->get_options()) {
            for (const auto& name : option->get_lnames()) flags.push_back("--" + name);
            for (const auto& name : option->get_snames()) flags.push_back("-" + name);
        }
    }
    return flags;
}

std::vector<std::string> commands_below(const CLI::App& app) {
    std::vector<std::string> names;
    for (const auto* sub :
         app.get_subcommands([](const CLI::App* one) { return !one->get_name().empty(); }))
        names.push_back(sub->get_name());
    return names;
}

std::string with_suggestion(const std::string& what, const std::string& suggestion) {
    return suggestion.empty() ? what : what + ". " + suggestion;
}

/// What is wrong with a word that a kernel command does not know; empty if there is none.
std::optional<std::string> complaint(const CLI::App& root, const std::vector<std::string>& extras) {
    const CLI::App& command = deepest(root);
    if (extras.empty() || command.get_parent() == nullptr) return std::nullopt;
    const auto path = command_path(command);
    const std::string& word = extras.front();
    if (word.starts_with('-')) {
        const auto flag = word.substr(0, word.find('='));
        return with_suggestion("unknown option '" + flag + "' of radd " + path,
                               config::did_you_mean(flag, flags_of(root, command))) +
               " `radd " + path + " --help` lists all";
    }
    const auto verbs = commands_below(command);
    if (!verbs.empty()) return unknown_command(word, verbs, path);
    return "radd " + path + " takes no argument '" + word + "'; see `radd " + path + " --help`";
}

/// `--safe-mode` that stands alone is `--safe-mode=true`.
std::vector<std::string> with_values(const CLI::App& app, std::vector<std::string> words) {
    for (auto word = words.begin(); word != words.end() && *word != "--"; ++word) {
        const auto* option = app.get_option_no_throw(*word);
        if (option == nullptr) continue;
        const auto next = std::next(word);
        if (next != words.end() && takes_next(*option, *next)) {
            word = next;
        } else if (is_switch(*option)) {
            *word += "=true";
        }
    }
    return words;
}

/// The word that says which command is meant: the first that is neither a flag nor a flag's value.
std::optional<std::string> first_word(const CLI::App& app, const std::vector<std::string>& words) {
    for (auto word = words.begin(); word != words.end(); ++word) {
        if (!word->starts_with('-')) return *word;
        const auto* option = app.get_option_no_throw(*word);
        if (option == nullptr || option->get_items_expected_min() == 0) continue;
        if (++word == words.end()) break;
    }
    return std::nullopt;
}

/// A plugin's command may be given any word, also one that begins a command of the kernel's:
/// `webhooks add events URL`.
void leave_to_plugins(CLI::App& app, const std::vector<std::string>& words) {
    const auto first = first_word(app, words);
    const auto known = commands_below(app);
    if (!first || std::ranges::find(known, *first) != known.end()) return;
    for (CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; }))
        if (!sub->get_name().empty()) sub->disabled();
}

Parsed refusal(Parsed parsed, const std::string& problem) {
    parsed.command = nullptr;
    parsed.plugin_words.clear();
    parsed.text = problem;
    parsed.code = exit_usage;
    return parsed;
}

/// CLI11 ends a parse by throwing, also for --help.
Parsed stopped(const CLI::ParseError& stop, Grammar& grammar, Parsed parsed) {
    CLI::App& app = grammar.app();
    parsed.plugin_words = app.remaining();
    if (stop.get_name() == "CallForHelp" && !parsed.plugin_words.empty()) {
        parsed.plugin_words.emplace_back("--help");  // Of a plugin's command, not of radd.
        return parsed;
    }
    if (stop.get_exit_code() != 0) {
        if (const auto found = complaint(app, parsed.plugin_words)) return refusal(parsed, *found);
        const auto path = command_path(deepest(app));
        return refusal(parsed,
                       std::string{stop.what()} + "; see `radd " +
                           (path.empty() ? "" : path + " ") + "--help`");
    }
    parsed.plugin_words.clear();
    std::ostringstream out;
    app.exit(stop, out, out);
    parsed.text = out.str();
    const bool is_version = stop.get_name() == "CallForVersion";
    parsed.wants_help = app.get_subcommands().empty() && !is_version;
    if (is_version && parsed.json) {
        parsed.text = nlohmann::ordered_json{{"name", "radd"}, {"version", RADD_VERSION}}.dump();
        parsed.text += '\n';
    }
    return parsed;
}

}  // namespace

std::string unknown_command(const std::string& word,
                            const std::vector<std::string>& known,
                            const std::string& group) {
    const std::string path = group.empty() ? "" : group + " ";
    auto suggestion = config::did_you_mean(word, known);
    if (!suggestion.empty()) suggestion += " ";
    return "unknown command '" + path + word + "'" + (suggestion.empty() ? "; " : ". ") +
           suggestion + "`radd " + path + "--help` lists all";
}

std::vector<std::string> kernel_commands() {
    Parsed unused;
    Grammar grammar{unused};
    auto names = commands_below(grammar.app());
    names.emplace_back("help");
    return names;
}

Parsed parse(const std::vector<std::string>& arguments) {
    if (!arguments.empty() && arguments.front() == "help") {
        std::vector<std::string> asked{arguments.begin() + 1, arguments.end()};
        asked.emplace_back("--help");
        return parse(asked);
    }
    Parsed parsed;
    parsed.json = std::ranges::find(arguments, "--json") != arguments.end();
    if (!arguments.empty() && arguments.front() == "__complete") {
        parsed.command = [words = std::vector<std::string>{arguments.begin() + 1, arguments.end()}](
                             Invocation& invocation) { return complete(invocation, words); };
        return parsed;
    }
    auto grammar = std::make_shared<Grammar>(parsed);
    const auto words = with_values(grammar->app(), arguments);
    leave_to_plugins(grammar->app(), words);
    std::vector<std::string> reversed{words.rbegin(), words.rend()};  // As CLI11 wants it.
    try {
        grammar->app().parse(std::move(reversed));
    } catch (const CLI::ParseError& stop) {
        return stopped(stop, *grammar, std::move(parsed));
    }
    const auto remaining = grammar->app().remaining();
    if (const auto found = complaint(grammar->app(), remaining))
        return refusal(std::move(parsed), *found);
    if (!grammar->chosen() && remaining.empty()) {
        parsed.text = grammar->app().help();
        parsed.code = exit_usage;
        parsed.wants_help = true;
        return parsed;
    }
    parsed.command = grammar->chosen();
    parsed.plugin_words = remaining;
    return parsed;
}

}  // namespace radd::cli
