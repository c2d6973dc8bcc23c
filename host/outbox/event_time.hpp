#pragma once

/// Instants as text, exact to the microsecond and independent of any time zone setting.

#include <optional>
#include <string>
#include <string_view>

#include <radd/event.hpp>

namespace radd::outbox {

/// What the outbox tells apart: 0001-01-01T00:00:00Z … 9999-12-31T23:59:59.999999Z.
[[nodiscard]] Timestamp earliest_time() noexcept;
[[nodiscard]] Timestamp latest_time() noexcept;

/// `2024-03-31T00:30:00.987654Z`: always six digits, always UTC. What lies outside is clamped.
[[nodiscard]] std::string time_text(Timestamp time);

/// Reads what PostgreSQL prints with DateStyle ISO, in whatever zone: `2024-03-31
/// 06:00:00.5+05:30`, `infinity`, `0044-03-15 00:00:00+00 BC`. What lies outside is clamped; empty
/// if it is no timestamp at all. Never throws.
[[nodiscard]] std::optional<Timestamp> parse_postgres_time(std::string_view text) noexcept;

}  // namespace radd::outbox
