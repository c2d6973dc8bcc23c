#pragma once

/// Writing rows of radd.events, as few round trips as there can be.

#include <cstddef>
#include <span>

#include <host/db/session.hpp>
#include <host/outbox/emitter.hpp>

namespace radd::outbox {

/// What goes out in one statement.
inline constexpr std::size_t insert_rows_max = 1000;
inline constexpr std::size_t insert_bytes_max = 4 * 1024 * 1024;

/// About how much of a statement the row takes.
[[nodiscard]] std::size_t size_of(const EventRow& row) noexcept;

/// How many of `rows`, at least one, fit in one statement.
[[nodiscard]] std::size_t rows_of_one_insert(std::span<const EventRow> rows) noexcept;

/// Inserts `rows` in their order, so that their ids grow in it. One statement if they fit in one.
/// @throws as Session::query().
void insert_rows(db::Session& session, std::span<const EventRow> rows);

}  // namespace radd::outbox
