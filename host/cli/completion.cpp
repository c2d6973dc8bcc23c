// radd completion, and what its scripts ask back: how a half-typed command line goes on.

#include <algorithm>
#include <chrono>
#include <optional>
#include <ostream>
#include <set>
#include <sstream>
#include <string_view>

#include <nlohmann/json.hpp>

#include <host/cli/commands.hpp>
#include <host/cli/grammar.hpp>
#include <host/cli/opened.hpp>
#include <host/cli/why.hpp>
#include <host/installation.hpp>
#include <radd_completion_scripts.hpp>

namespace radd::cli {
namespace {

using Words = std::vector<std::string>;

// A loose scan of deliveries_of_lane.
constexpr Sql select_queues = R"sql(
    WITH RECURSIVE names AS (
        (SELECT queue FROM radd.deliveries ORDER BY queue LIMIT 1)
        UNION ALL
        SELECT (SELECT d.queue FROM radd.deliveries d WHERE d.queue > names.queue
                 ORDER BY d.queue LIMIT 1)
          FROM names WHERE names.queue IS NOT NULL)
    SELECT queue AS name FROM names WHERE queue IS NOT NULL LIMIT 1000)sql";
constexpr Sql select_names = "SELECT name FROM radd.consumers ORDER BY name LIMIT 1000";

// Somebody waits with a finger on the key.
constexpr std::chrono::milliseconds patience{1000};

/// What follows the words that are already there.
struct Place {
    const CLI::App* command = nullptr;
    const CLI::Option* value_of = nullptr;  ///< The word before was this one, which takes a value.
    std::size_t arguments = 0;              ///< Positional ones before.
    bool is_known = true;                   ///< False: behind a word that the kernel has not.
    std::vector<std::pair<std::string, std::string>> settings{};
};

const CLI::Option* find_option(const CLI::App& root, const CLI::App& command, std::string name) {
    for (const CLI::App* app : {&command, &root}) {
        for (const auto* option : app->get_options()) {
            if (option->check_name(name)) return option;
        }
    }
    return nullptr;
}

const CLI::App* subcommand(const CLI::App& app, const std::string& name) {
    for (const auto* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
        if (sub->get_name() == name) return sub;
    }
    return nullptr;
}

Place place_after(const CLI::App& root, const Words& words) {
    Place place{.command = &root};
    for (const auto& word : words) {
        if (place.value_of != nullptr) {
            const bool is_value = takes_next(*place.value_of, word);
            if (place.value_of->get_group() == settings_group)
                place.settings.emplace_back(place.value_of->get_name(), is_value ? word : "true");
            place.value_of = nullptr;
            if (is_value) continue;
        }
        if (word.starts_with('-')) {
            const auto* option = find_option(root, *place.command, word);
            if (option != nullptr && option->get_expected_max() > 0) place.value_of = option;
            continue;
        }
        const auto* below = subcommand(*place.command, word);
        if (below != nullptr && place.arguments == 0) {
            place.command = below;
        } else {
            place.is_known = place.is_known && place.command->get_parent() != nullptr;
            ++place.arguments;
        }
    }
    return place;
}

Words flags(const CLI::App& root, const CLI::App& command, const std::string& begun) {
    Words found;
    // All settings at once would hide the few flags that a command has.
    const bool also_settings = begun.size() > 2;
    for (const CLI::App* app : {&command, &root}) {
        for (const auto* option : app->get_options()) {
            if (option->get_group() == settings_group && !also_settings) continue;
            for (const auto& name : option->get_lnames()) found.push_back("--" + name);
        }
    }
    return found;
}

/// Names that the database knows, unless it would make somebody wait.
Words names_by(Sql sql, host::Installation& installation) {
    auto options = running_database(installation, "completion");
    if (!options) return {};
    options->connect_timeout = options->statement_timeout = patience;
    db::Session session{*options};
    Words names;
    const Rows rows = session.query(sql);
    for (const auto row : rows) names.push_back(row.text("name"));
    return names;
}

Words plugin_ids(host::Installation& installation) {
    Words ids;
    for (const auto& plugin : installation.load_plugins().plugins()) ids.push_back(plugin->id);
    return ids;
}

Words event_types(host::Installation& installation) {
    Words names;
    for (const auto& plugin : installation.load_plugins().plugins()) {
        for (const auto& spec : plugin->manifest.event_types) names.emplace_back(spec.type.name());
    }
    return names;
}

/// "table|json" → both; what stands in capitals is no word to type.
Words choices(const std::string& type) {
    Words found;
    std::istringstream parts{type};
    for (std::string part; std::getline(parts, part, '|');) {
        if (std::ranges::none_of(part, [](char c) { return c >= 'A' && c <= 'Z'; }))
            found.push_back(part);
    }
    return found;
}

Words values_of(const CLI::Option& option, host::Installation& installation) {
    const auto type = taken_by(option);
    if (type == takes::consumer) return names_by(select_names, installation);
    if (type == takes::queue) return names_by(select_queues, installation);
    if (type == takes::event_type) return event_types(installation);
    if (type == takes::plugin) return plugin_ids(installation);
    if (type == takes::known_name) return known_names(installation.load_plugins());
    if (type == takes::file) return {":files"};
    if (type == takes::directory) return {":folders"};
    if (option.get_group() == settings_group && option.get_lnames().front().ends_with("-dir"))
        return {":folders"};
    return choices(type);
}

/// Words of plugins' commands that go on from `before`.
Words plugin_words(Invocation& invocation, const Words& before) {
    Words found;
    for (const auto& [command, help] : plugin_command_help(invocation)) {
        std::istringstream in{command};
        Words words;
        for (std::string word; in >> word;) words.push_back(word);
        const bool goes_on =
            words.size() > before.size() && std::equal(before.begin(), before.end(), words.begin());
        if (goes_on) found.push_back(words[before.size()]);
    }
    return found;
}

Words candidates(Invocation& invocation,
                 const CLI::App& root,
                 const Words& before,
                 const std::string& begun) {
    const Place place = place_after(root, before);
    invocation.settings = place.settings;
    if (!place.is_known) return plugin_words(invocation, before);
    if (place.value_of == nullptr && begun.starts_with('-'))
        return flags(root, *place.command, begun);
    const CLI::Option* argument = place.value_of;
    if (argument == nullptr) {
        const auto arguments = place.command->get_options(
            [](const CLI::Option* option) { return !option->nonpositional(); });
        if (place.arguments < arguments.size()) argument = arguments[place.arguments];
    }
    if (argument != nullptr) {
        host::Installation installation{place.settings};
        return values_of(*argument, installation);
    }
    Words found;
    if (place.arguments > 0) return found;
    for (const auto* sub : place.command->get_subcommands(
             [](const CLI::App* one) { return !one->get_name().empty(); }))
        found.push_back(sub->get_name());
    if (place.command == &root) {
        found.emplace_back("help");
        const auto more = plugin_words(invocation, {});
        found.insert(found.end(), more.begin(), more.end());
    }
    return found;
}

}  // namespace

int completion(Invocation& invocation, const std::string& shell) {
    const std::string_view script = shell == "bash" ? bash_script : zsh_script;
    if (invocation.json) {
        invocation.out << nlohmann::ordered_json{{"shell", shell}, {"script", script}}.dump(2)
                       << '\n';
    } else {
        invocation.out << script;
    }
    return exit_ok;
}

int complete(Invocation& invocation, const std::vector<std::string>& words) {
    Parsed unused;
    Grammar grammar{unused};
    Words before = words;
    if (!before.empty()) before.pop_back();
    if (!before.empty() && before.front() == "help") before.erase(before.begin());
    const std::string begun = words.empty() ? "" : words.back();
    Words found;
    try {
        found = candidates(invocation, grammar.app(), before, begun);
    } catch (const std::exception&) {
        return exit_failed;  // Nothing is offered; a message would tear the line that is typed.
    }
    const std::set<std::string> sorted{found.begin(), found.end()};
    for (const auto& word : sorted) {
        if (word.starts_with(':') || word.starts_with(begun)) invocation.out << word << '\n';
    }
    return exit_ok;
}

}  // namespace radd::cli
