#pragma once

/// Instants as text, exact to the microsecond and independent of any time zone setting.

#include <cstdint>
#include <string>
#include <string_view>

#include <radd/event.hpp>

namespace radd::outbox {

/// What the outbox tells apart: 0001-01-01T00:00:00Z … 9999-12-31T23:59:59.999999Z.
[[nodiscard]] Timestamp earliest_time() noexcept;
[[nodiscard]] Timestamp latest_time() noexcept;

/// `2024-03-31T00:30:00.987654Z`: always six digits, always UTC. What lies outside is clamped.
[[nodiscard]] std::string time_text(Timestamp time);

/// From PostgreSQL's binary form, microseconds since 2000, of which the ends of the range are
/// infinity. What lies outside is clamped.
[[nodiscard]] Timestamp from_postgres_time(std::int64_t since_2000) noexcept;

}  // namespace radd::outbox
