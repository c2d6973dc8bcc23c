#pragma once

/// What text has to be before it is stored.

#include <cstddef>
#include <string_view>

namespace items {

/// In code points, both ends included.
struct Length {
    std::size_t min;
    std::size_t max;
};

/// @throws radd::InvalidInput naming `field` unless `text` is UTF-8 without a NUL and its length is
///         allowed. Where something is required, spaces alone are nothing.
void check_text(std::string_view field, std::string_view text, Length length);

/// @throws radd::InvalidInput unless it looks like one address. Only the relay can know more.
void check_email(std::string_view field, std::string_view text);

/// @throws radd::InvalidInput unless it is upper-case letters, digits and `_`, a letter first.
void check_project_key(std::string_view field, std::string_view text);

/// Whether PostgreSQL would read it as one, in the usual spelling.
[[nodiscard]] bool is_uuid(std::string_view text);

/// Whether it is the decimal form of a positive number of 64 bits.
[[nodiscard]] bool is_id(std::string_view text);

}  // namespace items
