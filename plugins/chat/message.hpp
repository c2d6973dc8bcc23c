#pragma once

/// What a room gets to read.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <radd/event.hpp>

namespace chat {

/// A message of Google Chat holds 4096 characters; in bytes, that is on the safe side.
inline constexpr std::size_t message_bytes_max = 4096;
inline constexpr std::size_t lines_per_message_max = 25;
inline constexpr std::size_t title_characters_max = 200;
inline constexpr std::size_t value_characters_max = 60;  ///< Of one side of a change.
inline constexpr std::size_t changes_shown_max = 4;

/// One event in one line: a link to what it is about, its title, what happened, and who and what
/// changed as far as the event says. At most message_bytes_max.
[[nodiscard]] std::string line_of(const radd::Event& event, std::string_view public_url);

/// Text that somebody has written for a room, as a line: inert, and cut to what fits.
[[nodiscard]] std::string line_of(std::string_view text);

/// How many of `lines`, from the first on, fit into one message: one at least.
[[nodiscard]] std::size_t lines_that_fit(std::span<const std::string> lines);
[[nodiscard]] std::string joined(std::span<const std::string> lines);

/// The body of a post: JSON in UTF-8.
[[nodiscard]] std::string body_of(std::string_view text);

/// `url` with a name for this message, by which Google Chat knows a second post of it for what it
/// is and shows it once. Of other services the parameter is ignored.
[[nodiscard]] std::string url_of(std::string_view url,
                                 std::string_view delivery_uid,
                                 std::string_view text);

}  // namespace chat
