#pragma once

/// "Did you mean …?"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace radd::config {

/// Longer names are never suggested and never compared: the cost is quadratic.
inline constexpr std::size_t suggestion_bytes_max = 100;

/// Fewest insertions, deletions, replacements and swaps of neighbours that turn one into the
/// other, no part of the text being edited twice. Bytes, not characters; case counts.
[[nodiscard]] std::size_t edit_distance(std::string_view left, std::string_view right);

/// The name nearest to `wrong`, if its distance is at most max(1, length of `wrong` / 3). The
/// first of equals; never `wrong` itself. The result points into `names`.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view wrong,
                                                      std::span<const std::string_view> names);
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view wrong,
                                                      std::span<const std::string> names);

/// `Did you mean 'name'?`, or nothing if no name is near.
[[nodiscard]] std::string did_you_mean(std::string_view wrong,
                                       std::span<const std::string_view> names);
[[nodiscard]] std::string did_you_mean(std::string_view wrong, std::span<const std::string> names);

}  // namespace radd::config
