#pragma once

/// Is this text JSON that PostgreSQL can keep exactly? Answered without building a document, so
/// that no number passes through a double.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <radd/error.hpp>
#include <radd/event.hpp>

namespace radd::outbox {

enum class JsonKind : std::uint8_t { object, array, other };

struct JsonFacts {
    JsonKind kind = JsonKind::other;
    std::vector<std::string> keys{};  ///< Of the outermost object, decoded; may repeat.
};

/// Longest number, and the smallest exponent: what jsonb stores digit by digit.
inline constexpr std::size_t number_digits_max = 1000;
inline constexpr int number_exponent_min = -1000;

/// Checks that `text` is one JSON value: UTF-8, no NUL (not as \u0000 either), no half of a
/// surrogate pair, at most `depth_max` deep, no number above 1.8e308.
/// @throws InvalidInput naming `field` and what is wrong where; never repeating a value.
JsonFacts check_json(std::string_view field,
                     std::string_view text,
                     std::size_t depth_max = payload_depth_max);

/// Checks that `text` is UTF-8 without NUL and at most `bytes_max` long. @throws InvalidInput.
void check_text(std::string_view field, std::string_view text, std::size_t bytes_max);

/// Appends `text`, which passed check_text(), as a JSON string.
void append_quoted(std::string& json, std::string_view text);

}  // namespace radd::outbox
