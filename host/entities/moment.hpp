#pragma once

/// Dates and instants as JSON writes them, in the one form in which two equal ones are equal texts.

#include <optional>
#include <string>
#include <string_view>

namespace radd::entities {

/// "2026-11-30" if `text` is a day that the calendar has, of the years 1 to 9999.
[[nodiscard]] std::optional<std::string> canonical_date(std::string_view text);

/// "2026-11-30T18:56:38.000000Z" of an RFC 3339 instant in any zone. A leap second is the second
/// after it, as PostgreSQL has it; digits beyond microseconds are cut. Empty if `text` is none, or
/// outside of the years 1 to 9999.
[[nodiscard]] std::optional<std::string> canonical_timestamp(std::string_view text);

}  // namespace radd::entities
