#pragma once

/// What a command line asks for.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <host/cli/commands.hpp>

namespace radd::cli {

struct Parsed {
    /// The chosen command, ready to run. Empty: print `text` and exit with `code`.
    std::function<int(Invocation&)> command;
    /// Words that are no kernel command: a plugin's, with its arguments in their order.
    std::vector<std::string> plugin_words;
    std::vector<std::pair<std::string, std::string>> settings;
    bool json = false;
    bool wants_help = false;  ///< `radd --help`: plugin commands are listed below `text`.
    std::string text;         ///< Help, or what is wrong: one line without its end.
    int code = 0;
};

/// Never throws: what is wrong comes back as text and exit_usage, with the nearest known word.
[[nodiscard]] Parsed parse(const std::vector<std::string>& arguments);

/// First words of the kernel's commands.
[[nodiscard]] std::vector<std::string> kernel_commands();

/// "unknown command 'chekc'. Did you mean 'check'? `radd --help` lists all".
[[nodiscard]] std::string unknown_command(const std::string& word,
                                          const std::vector<std::string>& known,
                                          const std::string& group = "");

}  // namespace radd::cli
