#pragma once

/// What text has to be before it is stored.

#include <cstddef>
#include <string>
#include <string_view>

namespace sla {

/// In code points, both ends included.
struct Length {
    std::size_t min;
    std::size_t max;
};

/// @throws radd::InvalidInput naming `field` unless `text` is UTF-8 without a NUL and its length is
///         allowed. Where something is required, spaces alone are nothing.
void check_text(const std::string& field, std::string_view text, Length length);

}  // namespace sla
