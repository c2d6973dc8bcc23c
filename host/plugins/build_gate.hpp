#pragma once

/// Which builds of plugins may be opened in this process.

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <host/config/problem.hpp>
#include <host/plugins/trial.hpp>
#include <radd/event.hpp>

namespace radd::loader {

/// For one step of one plugin's trial: longer than a manifest function takes by far.
inline constexpr std::chrono::seconds trial_deadline{10};

struct GateOptions {
    /// Where is remembered what passed and what is kept out. Empty: nothing is.
    std::filesystem::path memory_dir{};
    bool remembers = false;        ///< Write there; else it is only read.
    std::size_t idle_threads = 0;  ///< As may_fork(), without which nothing is tried.
    std::chrono::milliseconds deadline{trial_deadline};
    Timestamp now{};
};

/// A plugin that asks to be let in.
struct Newcomer {
    std::string plugin;  ///< Id.
    std::string build;   ///< What known builds are called by.
    Untried library;
};

struct GateVerdict {
    std::vector<std::optional<config::Problem>> refused;  ///< Of each newcomer.
    config::Problems warnings{};                          ///< W18: what cannot be remembered.
};

/// E18 it is kept out, by what was found at an earlier start; E15, E16, E17 by its trial, which
/// builds that have passed one are spared. What a trial finds keeps the build out from now on.
/// Never throws for what a plugin or a file does. [boot-thread]
[[nodiscard]] GateVerdict let_in(std::span<const Newcomer> newcomers, const GateOptions& options);

/// The file in `memory_dir` that KnownBuilds reads.
[[nodiscard]] std::filesystem::path builds_file(const std::filesystem::path& memory_dir);

}  // namespace radd::loader
