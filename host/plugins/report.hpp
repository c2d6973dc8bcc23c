#pragma once

/// What `radd check`, `radd plugins` and `radd inspect` print: text for people, JSON for machines.
/// Every text ends with a line break; JSON is one document, without one.

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include <host/plugins/elf_file.hpp>
#include <host/plugins/plugin_set.hpp>

namespace radd::loader {

/// `radd check`: each plugin with what it brings, then the summary. Problems are not in it.
[[nodiscard]] std::string check_text(const PluginSet& set);

/// `E31 plugins/csat.so csat: event …`, a line for each problem; empty if there is none.
[[nodiscard]] std::string problems_text(const config::Problems& problems);

/// `radd plugins`: one line each with its state, and below a refused one why.
[[nodiscard]] std::string plugins_text(const PluginSet& set);

/// For both: `{may_start, plugins, refused, disabled, ignored, problems}`.
[[nodiscard]] std::string set_json(const PluginSet& set);

/// One library, looked at from outside.
struct Inspection {
    std::string file;
    std::size_t bytes = 0;
    std::string sha256{};
    std::optional<ElfFile> elf{};  ///< Empty: it is no library, `problems` says why.
    config::Problems problems{};   ///< Why this host would not open it.
    bool is_live = false;          ///< It was to be asked as well.
    /// What it brings, as manifest_json(): what it answered if it was to be asked, else what its
    /// build has sealed. Empty: `problems` says why, or it is not sealed.
    std::optional<std::string> said{};
};

/// None of its code runs. Never throws for what is in the file or that it is not there.
[[nodiscard]] Inspection inspect(const std::filesystem::path& path);
/// The same, and then opens it in a child process and asks it what it brings, each of the two
/// within `deadline`: E15 to E17 as in a trial, E11, E14 and E20 of the handshake, E19 if that is
/// not what was sealed. Neither remembers what it found nor asks what others have. One that does
/// not fit by its file is not opened. [boot-thread]
/// @throws Error if there is no process to be had.
[[nodiscard]] Inspection inspect_live(const std::filesystem::path& path,
                                      std::chrono::milliseconds deadline);
[[nodiscard]] std::string inspection_text(const Inspection& inspection);
[[nodiscard]] std::string inspection_json(const Inspection& inspection);

}  // namespace radd::loader
