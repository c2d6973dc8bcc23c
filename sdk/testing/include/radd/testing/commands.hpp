#pragma once

/// A manifest's command, run as the command line would run it.

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <radd/manifest.hpp>

namespace radd::testing {

struct CommandResult {
    int code;
    std::string out;
    std::string err;
};

/// Runs `radd WORDS ARGUMENTS…`. InvalidInput and ConfigError become a message and code 1, as in
/// the host; anything else passes. @throws std::out_of_range if the manifest has no such command.
[[nodiscard]] inline CommandResult run_command(const Manifest& manifest,
                                               Services& services,
                                               std::string_view words,
                                               const std::vector<std::string>& arguments,
                                               bool as_json) {
    const auto spec = std::ranges::find(manifest.commands, words, &CommandSpec::words);
    if (spec == manifest.commands.end())
        throw std::out_of_range{"no command " + std::string{words}};

    std::ostringstream out;
    std::ostringstream err;
    CommandContext context{
        .host = services, .arguments = arguments, .out = out, .err = err, .json = as_json};
    int code = 1;
    try {
        code = spec->run(context);
    } catch (const InvalidInput& error) {
        err << error.what() << '\n';
    } catch (const ConfigError& error) {
        err << error.what() << '\n';
    }
    return {code, out.str(), err.str()};
}

}  // namespace radd::testing
