// Commands that plugins contribute: `radd import jira FILE`.

#include <algorithm>
#include <ostream>
#include <sstream>

#include <host/cli/commands.hpp>
#include <host/cli/manual.hpp>
#include <host/cli/plugin_manual.hpp>
#include <host/installation.hpp>
#include <host/plugins/guarded.hpp>

namespace radd::cli {
namespace {

std::vector<std::string> split(const std::string& words) {
    std::istringstream in{words};
    std::vector<std::string> parts;
    for (std::string part; in >> part;) parts.push_back(part);
    return parts;
}

struct Found {
    const loader::LoadedPlugin* plugin = nullptr;
    const CommandSpec* command = nullptr;
    std::size_t length = 0;  ///< Words of the command.
};

/// The command with the most words that `words` begins with.
Found find_command(const loader::PluginSet& set, const std::vector<std::string>& words) {
    Found best;
    for (const auto& plugin : set.plugins()) {
        for (const auto& command : plugin->manifest.commands) {
            const auto own = split(command.words);
            if (own.size() <= best.length || own.size() > words.size()) continue;
            if (std::equal(own.begin(), own.end(), words.begin()))
                best = {.plugin = plugin.get(), .command = &command, .length = own.size()};
        }
    }
    return best;
}

/// Commands that begin with the same word, for who has mistyped the second.
void print_related(std::ostream& err, const loader::PluginSet& set, const std::string& first_word) {
    for (const auto& plugin : set.plugins()) {
        for (const auto& command : plugin->manifest.commands) {
            if (split(command.words).front() == first_word)
                err << wrapped(plugin_synopsis(command), 2);
        }
    }
}

bool has_first_word(const loader::PluginSet& set, const std::string& word) {
    return std::ranges::any_of(set.plugins(), [&](const auto& plugin) {
        return std::ranges::any_of(plugin->manifest.commands, [&](const auto& command) {
            return split(command.words).front() == word;
        });
    });
}

void print_usage(std::ostream& err, const CommandSpec& command) {
    err << wrapped("usage: " + plugin_synopsis(command), 0) << "`radd " << command.words
        << " --help` explains it\n";
}

}  // namespace

std::optional<int> plugin_command(Invocation& invocation, const std::vector<std::string>& words) {
    host::Installation installation{invocation.settings};
    auto& set = installation.require_plugins();
    const Found found = find_command(set, words);
    if (found.command == nullptr) {
        if (!has_first_word(set, words.front())) return std::nullopt;
        invocation.err << "radd: '" << words.front() << "' is used as\n";
        print_related(invocation.err, set, words.front());
        return exit_usage;
    }
    const std::vector<std::string> arguments{
        words.begin() + static_cast<std::ptrdiff_t>(found.length), words.end()};
    if (std::ranges::find(arguments, "--help") != arguments.end()) {
        invocation.out << plugin_manual(*found.command);
        return exit_ok;
    }
    installation.migrate();
    installation.make_services([] {});
    CommandContext context{.host = installation.services_of(found.plugin->id),
                           .arguments = arguments,
                           .out = invocation.out,
                           .err = invocation.err,
                           .json = invocation.json,
                           .interactive = invocation.interactive};
    const int code =
        loader::blaming("plugin " + found.plugin->id + ": command '" + found.command->words + "'",
                        [&] { return found.command->run(context); });
    if (code == exit_usage) print_usage(invocation.err, *found.command);
    return code;
}

std::vector<std::pair<std::string, std::string>> plugin_command_help(Invocation& invocation) {
    std::vector<std::pair<std::string, std::string>> lines;
    try {
        host::Installation installation{invocation.settings};
        for (const auto& plugin : installation.load_plugins().plugins()) {
            for (const auto& command : plugin->manifest.commands) {
                lines.emplace_back(command.words, command.help.substr(0, command.help.find('\n')));
            }
        }
    } catch (const std::exception&) {
        // Help must be there when the installation is broken, too; `radd check` tells why.
        lines.clear();
    }
    return lines;
}

}  // namespace radd::cli
