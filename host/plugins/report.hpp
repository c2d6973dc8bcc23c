#pragma once

/// What `radd check`, `radd plugins` and `radd inspect` print: text for people, JSON for machines.
/// Every text ends with a line break; JSON is one document, without one.

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

/// One library, looked at from outside: none of its code runs.
struct Inspection {
    std::string file;
    std::size_t bytes = 0;
    std::string sha256{};
    std::optional<ElfFile> elf{};  ///< Empty: it is no library, `problems` says why.
    config::Problems problems{};   ///< Why this host would not open it.
};

/// Never throws for what is in the file or that it is not there.
[[nodiscard]] Inspection inspect(const std::filesystem::path& path);
[[nodiscard]] std::string inspection_text(const Inspection& inspection);
[[nodiscard]] std::string inspection_json(const Inspection& inspection);

}  // namespace radd::loader
