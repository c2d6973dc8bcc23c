#pragma once

/// Asking one plugin what it brings, where it does no harm.

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include <host/config/problem.hpp>
#include <host/plugins/trial.hpp>
#include <radd/manifest.hpp>

namespace radd::loader {

/// Runs in the child, on what the plugin says of itself: one line for the parent.
using Teller = std::function<std::string(const Manifest&)>;

struct Asked {
    /// E15 it crashed, E16 it was not done in time, E17 it ended the process; E11, E14 and E20 as
    /// opening it here would tell. Empty: it has told its manifest.
    std::optional<config::Problem> problem{};
    std::string told{};  ///< What the teller made of it.
};

/// The trial of one library, see try_out(), which tells what its manifest says.
/// @throws Error if there is no process to be had. [boot-thread]
[[nodiscard]] Asked ask(const Untried& library,
                        std::chrono::milliseconds deadline,
                        const Teller& tell);

}  // namespace radd::loader
