#pragma once

/// What was thrown, as one line of text that can be logged and stored.

#include <cstddef>
#include <string>
#include <string_view>

namespace radd::consumers {

inline constexpr std::size_t error_bytes_max = 8192;

/// Text without line breaks, control characters and invalid UTF-8, at most `bytes_max` long and
/// cut between characters: it must fit a log line and a column of PostgreSQL whatever it was.
[[nodiscard]] std::string single_line(std::string_view text,
                                      std::size_t bytes_max = error_bytes_max);

/// Describes the exception that is being handled, of whatever type. Call it inside a catch block.
[[nodiscard]] std::string describe_current_exception();

}  // namespace radd::consumers
