#pragma once

/// The grammar of `radd`: which words and flags there are, and what each means.

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include <host/cli/commands.hpp>

namespace radd::cli {

/// What a command line asks for.
struct Parsed {
    /// The chosen command, ready to run. Empty: print `text` and exit with `code`.
    std::function<int(Invocation&)> command;
    /// Words that are no kernel command: a plugin's, with its arguments in their order.
    std::vector<std::string> plugin_words;
    std::vector<std::pair<std::string, std::string>> settings;
    bool json = false;
    bool wants_help = false;  ///< `radd --help`: plugin commands are listed below `text`.
    std::string text;
    int code = 0;
};

/// Never throws: what is wrong comes back as text and exit_usage.
[[nodiscard]] Parsed parse(const std::vector<std::string>& arguments);

}  // namespace radd::cli
