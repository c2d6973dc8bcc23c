#pragma once

/// What people wrote, as text that a chat service shows and does not obey.

#include <cstddef>
#include <string>
#include <string_view>

namespace chat {

/// At most `characters_max` code points of `text`; a cut one ends in an ellipsis and falls between
/// code points. Line breaks and other control characters become blanks; what changes the direction
/// of writing goes. What is not UTF-8 becomes U+FFFD, so that what is sent always is.
[[nodiscard]] std::string one_line(std::string_view text, std::size_t characters_max);

/// `text` for the text format of Google Chat, which is also that of Slack: `&`, `<` and `>` are
/// escaped, so that no link and no mention is written with them, and an invisible word joiner takes
/// their meaning from the marks of emphasis, from `@`, from `://` and from the dot of a name that
/// would be made a link.
[[nodiscard]] std::string inert(std::string_view text);

/// A link of ours: `url` must be one that we have made. `shown` is made inert.
[[nodiscard]] std::string link(std::string_view url, std::string_view shown);

}  // namespace chat
