#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>

#include <host/cli/exit_codes.hpp>
#include <host/cli/grammar.hpp>
#include <host/cli/manual.hpp>
#include <host/cli/plugin_manual.hpp>

namespace radd::cli {
namespace {

constexpr std::size_t width = 80;
constexpr std::size_t indent = 4;
constexpr std::size_t deep_indent = 8;
constexpr std::size_t option_indent = 2;  ///< Of an option in the help that a plugin brings.

using Options = std::vector<const CLI::Option*>;

/// "--limit N", "-n, --lines N", "NAME".
std::string shown_name(const CLI::Option& option) {
    if (!option.nonpositional()) return option.get_name(true);
    std::string text;
    for (const auto& name : option.get_snames()) text += (text.empty() ? "-" : ", -") + name;
    for (const auto& name : option.get_lnames()) text += (text.empty() ? "--" : ", --") + name;
    auto taken = taken_by(option);
    if (is_switch(option)) taken = "[" + taken + "]";
    return taken.empty() ? text : text + " " + taken;
}

/// The first way to write it: "[--limit N]", "NAME".
std::string in_synopsis(const CLI::Option& option) {
    if (!option.nonpositional()) return option.get_name(true);
    std::string text = option.get_lnames().empty() ? "-" + option.get_snames().front()
                                                   : "--" + option.get_lnames().front();
    if (const auto taken = taken_by(option); !taken.empty()) text += " " + taken;
    const bool many = option.get_expected_max() > 1;
    return option.get_required() ? text : "[" + text + "]" + (many ? "..." : "");
}

Options options_of(const CLI::App& command, bool positional) {
    const auto wanted = [&](const CLI::Option* option) {
        return option->nonpositional() != positional && option->get_group() != settings_group;
    };
    Options found = command.get_options(wanted);
    // Options of which one is to be given are in a group: a command without a name.
    for (const auto* group :
         command.get_subcommands([](const CLI::App* sub) { return sub->get_name().empty(); })) {
        for (const auto* option : group->get_options(wanted)) {
            if (!option->check_lname("help")) found.push_back(option);
        }
    }
    return found;
}

bool is_common(const CLI::Option& option) {
    return option.check_lname("help") || option.check_lname("json") ||
           option.check_lname("version");
}

std::vector<const CLI::App*> commands_of(const CLI::App& command) {
    return command.get_subcommands([](const CLI::App* sub) { return !sub->get_name().empty(); });
}

std::string synopsis(const CLI::App& command, const std::string& path) {
    std::string text = path.empty() ? "radd" : "radd " + path;
    if (!commands_of(command).empty()) return text + " COMMAND [OPTION]... [SETTING]...";
    for (const auto* option : options_of(command, true)) text += " " + in_synopsis(*option);
    for (const auto* option : options_of(command, false)) {
        if (!is_common(*option)) text += " " + in_synopsis(*option);
    }
    return text + " [--json] [SETTING]...";
}

std::string described(const CLI::Option& option) {
    std::string text = option.get_description();
    const auto value = option.get_default_str();
    const bool takes_value = option.get_expected_max() > 0;
    if (takes_value && !value.empty() && value != "\"\"" && value != "[]" && value != "{}")
        text += " (default: " + value + ")";
    return text;
}

std::string section(std::string_view title, const std::string& body) {
    if (body.empty()) return {};
    return std::string{title} + "\n" + body + "\n";
}

/// Known to the root alone, and meant everywhere.
std::string common_options(const CLI::App& root) {
    std::string body;
    for (const auto* option : options_of(root, false)) {
        if (is_common(*option)) body += manual_entry(shown_name(*option), described(*option));
    }
    return body;
}

std::string options_section(const CLI::App& command) {
    std::string body;
    for (const bool positional : {true, false}) {
        for (const auto* option : options_of(command, positional)) {
            if (!is_common(*option)) body += manual_entry(shown_name(*option), described(*option));
        }
    }
    const CLI::App* root = &command;
    while (root->get_parent() != nullptr) root = root->get_parent();
    return section("OPTIONS", body + common_options(*root));
}

std::string commands_section(const CLI::App& command, const std::string& path) {
    std::string body;
    const std::string prefix = path.empty() ? "" : path + " ";
    for (const auto* sub : commands_of(command)) {
        const auto below = commands_of(*sub);
        if (below.empty()) body += manual_entry(prefix + sub->get_name(), sub->get_description());
        for (const auto* one : below)
            body += manual_entry(prefix + sub->get_name() + " " + one->get_name(),
                                 one->get_description());
    }
    return section("COMMANDS", body);
}

std::string settings_elsewhere() {
    return section("SETTINGS",
                   wrapped("Every command takes every setting as a flag, e.g. --data-dir PATH; "
                           "`radd --help` lists them, `radd config` shows what is in effect.",
                           indent));
}

std::string settings_section(const CLI::App& command, bool is_root) {
    if (!is_root) return settings_elsewhere();
    std::string body = wrapped(
        "A setting has one name in three spellings: data_dir in manifests/host.yaml, "
        "RADD_DATA_DIR in the environment (wins over the file) and --data-dir here (wins "
        "over both). `radd config` shows the values in effect and where each comes from.",
        indent);
    for (const auto* option : command.get_options(
             [](const CLI::Option* one) { return one->get_group() == settings_group; }))
        body += "\n" + manual_entry(shown_name(*option), described(*option));
    return section("SETTINGS", body);
}

std::string examples_section(const ManualPage* page) {
    std::string body;
    if (page == nullptr) return body;
    for (const auto& [command, does] : page->examples) {
        body += std::string(indent, ' ') + "$ " + std::string{command} + "\n";
        body += wrapped(does, deep_indent);
    }
    return section("EXAMPLES", body);
}

std::string exit_section() {
    std::string body;
    for (const auto& [code, name, meaning] : exit_codes) {
        body += wrapped(std::to_string(code) + "   " + std::string{meaning} + ".", indent);
    }
    return section("EXIT STATUS", body);
}

std::string surroundings() {
    return section(
               "ENVIRONMENT",
               manual_entry(
                   "RADD_DATABASE_URL",
                   "The PostgreSQL to use. Without it radd runs one of its own in data_dir.") +
                   manual_entry("RADD_...", "Every other setting; see SETTINGS.") +
                   manual_entry("NO_COLOR",
                                "If set, nothing is coloured, not even on a terminal.") +
                   manual_entry("COLUMNS",
                                "How wide tables may be. Without it: as wide as the terminal, and "
                                "uncut where the output is no terminal.")) +
           section("FILES",
                   manual_entry("manifests/host.yaml", "Settings of the host. See manifests_dir.") +
                       manual_entry("manifests/*.yaml",
                                    "One for each plugin: whether and how it runs."));
}

std::string name_section(const std::string& name, std::string does) {
    if (name != "radd" && !does.empty())
        does.front() = static_cast<char>(std::tolower(does.front()));
    return section("NAME", wrapped(name + " - " + std::move(does), indent));
}

/// A plugin's help, which has line breaks and columns of its author's own.
struct PluginHelp {
    std::string description;  ///< Paragraphs; a line that does not end a sentence goes on.
    std::string options;      ///< Of lines like "  --loud   let others see it", as entries.
};

PluginHelp taken_apart(const std::string& help) {
    PluginHelp parts;
    std::string name;
    std::string text;
    const auto flush = [&] {
        if (!name.empty()) parts.options += manual_entry(name, text);
        name.clear();
    };
    std::istringstream lines{help};
    for (std::string line; std::getline(lines, line);) {
        const auto begin = line.find_first_not_of(' ');
        const bool is_blank = begin == std::string::npos;
        if (!is_blank && begin > option_indent && !name.empty()) {
            text += " " + line.substr(begin);
            continue;
        }
        flush();
        if (!is_blank && begin > 0) {
            const auto gap = std::min(line.find("  ", begin), line.size());
            name = line.substr(begin, gap - begin);
            text = line.substr(std::min(line.find_first_not_of(' ', gap), line.size()));
            continue;
        }
        auto& told = parts.description;
        if (is_blank) {
            if (!told.ends_with("\n\n")) told += "\n\n";
            continue;
        }
        if (!told.empty() && !told.ends_with('\n')) told += told.ends_with('.') ? '\n' : ' ';
        told += line;
    }
    flush();
    while (parts.description.ends_with('\n')) parts.description.pop_back();
    return parts;
}

}  // namespace

const ManualPage* find_manual_page(std::string_view command) {
    const auto pages = manual_pages();
    const auto found = std::ranges::find(pages, command, &ManualPage::command);
    return found == pages.end() ? nullptr : &*found;
}

std::string command_path(const CLI::App& command) {
    if (command.get_parent() == nullptr) return {};
    const auto before = command_path(*command.get_parent());
    return before.empty() ? command.get_name() : before + " " + command.get_name();
}

std::string manual_entry(const std::string& name, const std::string& text) {
    return wrapped(name, indent) + wrapped(text, deep_indent);
}

std::string version_text() {
    return "radd " RADD_VERSION;
}

std::string wrapped(std::string_view text, std::size_t depth) {
    std::string out;
    std::string line;
    const auto flush = [&] {
        if (!line.empty()) out += std::string(depth, ' ') + line + "\n";
        line.clear();
    };
    while (!text.empty()) {
        const auto end = std::min(text.find_first_of(" \n"), text.size());
        const auto word = text.substr(0, end);
        if (!line.empty() && depth + line.size() + 1 + word.size() > width) flush();
        // Spaces within a line stay: "0   done" is a column.
        if (!word.empty() || !line.empty()) line += (line.empty() ? "" : " ") + std::string{word};
        if (end == text.size()) break;
        if (text[end] == '\n') {
            flush();
            if (text.substr(end).starts_with("\n\n")) out += "\n";
        }
        text.remove_prefix(end + 1);
    }
    flush();
    return out;
}

std::string ManualFormatter::make_help(const CLI::App* command,
                                       std::string /*name*/,
                                       CLI::AppFormatMode /*mode*/) const {
    const auto path = command_path(*command);
    const auto* page = find_manual_page(path);
    const bool is_root = path.empty();
    std::string text = name_section(is_root ? "radd" : "radd " + path, command->get_description());
    text += section("SYNOPSIS", wrapped(synopsis(*command, path), indent));
    if (page != nullptr) text += section("DESCRIPTION", wrapped(page->description, indent));
    text += commands_section(*command, path);
    text += options_section(*command);
    text += settings_section(*command, is_root);
    text += examples_section(page);
    text += exit_section();
    text += surroundings();
    text.pop_back();
    return text;
}

std::string plugin_synopsis(const CommandSpec& command) {
    return "radd " + command.words + (command.usage.empty() ? "" : " " + command.usage);
}

std::string plugin_manual(const CommandSpec& command) {
    Parsed unused;
    Grammar grammar{unused};
    const PluginHelp help = taken_apart(command.help);
    std::string text =
        name_section("radd " + command.words, command.help.substr(0, command.help.find('\n')));
    text +=
        section("SYNOPSIS", wrapped(plugin_synopsis(command) + " [--json] [SETTING]...", indent));
    text += section("DESCRIPTION", wrapped(help.description, indent));
    text += section("OPTIONS", help.options + common_options(grammar.app()));
    text += settings_elsewhere() + exit_section() + surroundings();
    text.pop_back();
    return text;
}

}  // namespace radd::cli
