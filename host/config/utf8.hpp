#pragma once

/// Which bytes may stand in a configuration file.

#include <cstddef>
#include <optional>
#include <string_view>

namespace radd::config {

/// Offset of the first byte that does not begin or continue a character of well-formed UTF-8:
/// overlong forms, surrogates and what lies above U+10FFFF are no characters.
[[nodiscard]] std::optional<std::size_t> first_invalid_utf8(std::string_view text);

/// Offset of the first control character other than tab, line feed and carriage return. yaml-cpp
/// takes some of them for the end of the file and would drop the rest without a word.
[[nodiscard]] std::optional<std::size_t> first_control_character(std::string_view text);

}  // namespace radd::config
