#pragma once

/// How `radd` says to a script what became of a command: the one place.

#include <array>
#include <string_view>

namespace radd::cli {

enum ExitCode : int {
    exit_ok = 0,
    exit_failed = 1,
    exit_usage = 2,
    exit_refused = 3,
    exit_no_start = 4,
    exit_found = 5,
};

struct ExitCodeText {
    ExitCode code;
    std::string_view name;     ///< One word, for `--json`.
    std::string_view meaning;  ///< For the EXIT STATUS of every `--help`.
};

inline constexpr std::array exit_codes{
    ExitCodeText{exit_ok, "ok", "done"},
    ExitCodeText{exit_failed, "failed", "the command could not do what was asked"},
    ExitCodeText{exit_usage, "usage", "the command line is wrong; nothing was done"},
    ExitCodeText{
        exit_refused, "refused", "a manifest, a setting or a plugin is wrong; nothing was started"},
    ExitCodeText{exit_no_start, "no_start", "the database or a plugin's start-up failed"},
    ExitCodeText{
        exit_found, "found", "verify has found what contradicts the promises of consumers"},
};

}  // namespace radd::cli
