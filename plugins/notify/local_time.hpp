#pragma once

/// Days and hours of a person, wherever they live. The zones are those of the system's tzdata.

#include <chrono>
#include <string>
#include <string_view>

#include <radd/event.hpp>

namespace notify {

/// Whether tzdata has a zone of this name: "Europe/Berlin".
[[nodiscard]] bool is_zone(std::string_view name);

/// RFC 3339, in UTC: "2026-03-29T01:00:00Z".
[[nodiscard]] std::string time_text(radd::Timestamp at);

/// The date in `zone` at `now`: "2026-03-29". @throws radd::InvalidInput naming "zone" if there is
/// no such zone.
[[nodiscard]] std::string local_day(std::string_view zone, radd::Timestamp now);

/// The first moment after `now` at which the clocks in `zone` show `hour`:00. On a day that has it
/// twice, the earlier; on a day that skips it, the moment at which it was skipped.
/// @throws radd::InvalidInput as local_day().
[[nodiscard]] radd::Timestamp next_hour(std::string_view zone, int hour, radd::Timestamp now);

}  // namespace notify
