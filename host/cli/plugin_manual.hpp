#pragma once

/// Commands that plugins bring, shown as radd's own are: parts of the manual, made beside it.

#include <string>

#include <radd/manifest.hpp>

namespace radd::cli {

/// "radd csat list", "radd csat enable PROJECT".
[[nodiscard]] std::string plugin_synopsis(const CommandSpec& command);

/// The page of a command that a plugin brings, made of its usage and help: no examples, and its
/// indented lines ("  --loud   let others see it") as options.
[[nodiscard]] std::string plugin_manual(const CommandSpec& command);

/// A name and what it does, as the manual lists commands and options.
[[nodiscard]] std::string manual_entry(const std::string& name, const std::string& text);

}  // namespace radd::cli
