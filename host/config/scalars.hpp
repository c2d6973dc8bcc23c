#pragma once

/// From text to value, the same for YAML, the environment and the command line.
///
/// YAML 1.2 core and stricter: what two readers could take for two values is refused.

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include <radd/settings.hpp>

namespace radd::config {

/// Why a text is not the value that was asked for. Whose text it was, the caller adds.
struct Complaint {
    std::string code;     ///< E46 of another type · E47 out of range · E48 none of the choices.
    std::string message;  ///< With the value, quoted and cut.
    std::string hint{};
};

template <typename T>
using Parsed = std::variant<T, Complaint>;

/// `true` or `false` and nothing else: `yes` and `off` are words.
[[nodiscard]] Parsed<bool> parse_boolean(std::string_view text);

/// Decimal digits, with a `-` in front if negative. `0300`, `1_000`, `+5` and `1.5` are refused,
/// because readers differ about the first two and nobody needs the others.
[[nodiscard]] Parsed<std::int64_t> parse_integer(std::string_view text, Range range);

/// An integer with its unit: `250ms`, `2s`, `5m`, `1h`. `range` is in milliseconds.
[[nodiscard]] Parsed<std::chrono::milliseconds> parse_duration(std::string_view text, Range range);

/// The position of `text` in `choices`.
[[nodiscard]] Parsed<std::size_t> parse_choice(std::string_view text,
                                               std::span<const std::string_view> choices);

/// `text` with its control characters escaped.
[[nodiscard]] std::string one_line(std::string_view text);

/// `'text'` on one line: control characters escaped, cut after 60 bytes.
[[nodiscard]] std::string shown(std::string_view text);

/// A key as part of a path: as it is, or as shown() where that differs.
[[nodiscard]] std::string shown_key(std::string_view key);

/// In the largest unit that needs no fraction: `90s`, `2m`, `250ms`.
[[nodiscard]] std::string shown(std::chrono::milliseconds duration);

/// `1..1000`, `1s..10m`, or "the range from 1 up" where one side is open.
[[nodiscard]] std::string shown_integers(Range range);
[[nodiscard]] std::string shown_durations(Range range);

/// `a, b, c`
[[nodiscard]] std::string listed(std::span<const std::string_view> names);

}  // namespace radd::config
