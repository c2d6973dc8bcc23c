#pragma once

/// The statements about one declared table. Names are quoted, values are `$1`, `$2`, …

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <host/entities/model.hpp>

namespace radd::entities::sql {

/// Index of the primary key. Locks the row, so that what is emitted of it is in its order.
[[nodiscard]] std::string select_row(const Entity& entity, bool locks);
/// $1: ids as an array. Index of the primary key.
[[nodiscard]] std::string select_rows(const Entity& entity);
/// Rows after $1, at most $2, that have $3, $4, … in `filters`. The index of the first filter that
/// has one, else of the primary key.
[[nodiscard]] std::string list_rows(const Entity& entity, const std::vector<std::size_t>& filters);
/// Ids of at most $2 rows whose `field` is $1, locked. Index of the field.
[[nodiscard]] std::string select_referring(const Entity& entity, std::size_t field);

/// A value for each of `fields`, in this order; the others get their defaults.
[[nodiscard]] std::string insert_row(const Entity& entity, const std::vector<std::size_t>& fields);
/// $1: the id, then a value for each of `fields`.
[[nodiscard]] std::string update_row(const Entity& entity, const std::vector<std::size_t>& fields);
/// $1: the id.
[[nodiscard]] std::string delete_row(const Entity& entity);

/// Whoever names a thing of code, whose row nothing locks here, until the commit; whoever sweeps
/// what names one that is gone waits for them. $1 entity type, $2 id.
inline constexpr Sql hold_named = R"sql(
    SELECT pg_advisory_xact_lock_shared(hashtextextended($1::text || '/' || $2::text, 7301)))sql";
inline constexpr Sql await_namers = R"sql(
    SELECT pg_advisory_xact_lock(hashtextextended($1::text || '/' || $2::text, 7301)))sql";

}  // namespace radd::entities::sql
