#pragma once

/// What a plugin brings, as its build has written it into its file.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <host/config/problem.hpp>

namespace radd::loader {

/// Far more than a manifest's report has.
inline constexpr std::size_t seal_depth_max = 16;

/// The text of ElfFile::seal, or of a report, as an object of which nothing else is known.
/// [any-thread]
/// @throws Error if it is none, no UTF-8, or deeper than `seal_depth_max`.
[[nodiscard]] nlohmann::ordered_json read_seal(std::string_view text);

/// The first fields in which the two differ: `events[0].label: sealed 'Sent', now 'Gone'`. Empty:
/// in none. What only one of them knows a field of is no difference, so that a host which tells
/// more of a manifest takes what was sealed before.
[[nodiscard]] std::string seal_difference(const nlohmann::ordered_json& sealed,
                                          const nlohmann::ordered_json& live);

/// E19, of which plugin and file are left to the caller. Empty: `live`, a report, is what was
/// sealed, or nothing was.
[[nodiscard]] std::optional<config::Problem> seal_problem(const std::optional<std::string>& seal,
                                                          const std::string& live);

}  // namespace radd::loader
