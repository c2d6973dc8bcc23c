#pragma once

/// Where a command's data goes, and what that place can show.

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include <host/config/environment.hpp>

namespace radd::cli {

struct Terminal {
    bool colour = false;
    std::optional<std::size_t> columns{};  ///< Empty: nothing is cut.
};

/// Colour only where standard output is a terminal that is not `dumb`, and NO_COLOR is empty.
/// COLUMNS wins over the terminal's own width. Of another stream than std::cout: neither.
[[nodiscard]] Terminal terminal_of(const std::ostream& out, const config::EnvLookup& environment);

/// Whether somebody watches standard error.
[[nodiscard]] bool is_watched(const std::ostream& err);

/// Whether `out` is standard output and nobody is left who could read it: a pipe whose other end
/// is closed. Does not wait.
[[nodiscard]] bool reader_has_gone(const std::ostream& out);

enum class Tone : std::uint8_t { plain, good, busy, bad, quiet };

/// `text` between the escapes for `tone`.
[[nodiscard]] std::string painted(std::string_view text, Tone tone);

}  // namespace radd::cli
