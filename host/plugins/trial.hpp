#pragma once

/// Opening plugins first where it does no harm.

#include <chrono>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <host/config/problem.hpp>
#include <host/plugins/elf_file.hpp>

namespace radd::loader {

/// A library that fits this host by what its file says.
struct Untried {
    std::string file;            ///< What messages call it.
    std::filesystem::path path;  ///< Absolute: what is opened.
    PluginNote note;
};

struct Tried {
    bool passed = false;  ///< It was opened, and has told its manifest.
    /// E15 it crashed, E16 it was not done in time, E17 it ended the process. With neither it is
    /// refused for a reason that opening it here will tell, without harm.
    std::optional<config::Problem> problem{};
};

/// Opens each of `libraries` in a child process, shakes hands and asks for the manifest, each step
/// of each within `deadline`, and says in the same order what came of it. After may_fork(). A crash
/// is told with the place in the library that was at work, or that had called what was.
///
/// It finds mistakes and is no sandbox: the child has all the rights of this process.
/// @throws Error if there is no process to be had. [boot-thread]
[[nodiscard]] std::vector<Tried> try_out(std::span<const Untried> libraries,
                                         std::chrono::milliseconds deadline);

}  // namespace radd::loader
