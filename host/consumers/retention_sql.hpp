#pragma once

/// How partitions of the stream are found, given up and dropped.

#include <radd/sql.hpp>

namespace radd::consumers::sql {

// Before a cursor is put anywhere, in the transaction that does so: the floor stays as it is until
// that commits. Waits for one short decision of retention.
inline constexpr Sql keep_floor = "SELECT floor FROM radd.retention FOR SHARE";

// In a later statement than keep_floor, which sees what was decided while that one waited. The
// last position that is before everything that is kept: 0, or the id below the first kept.
inline constexpr Sql stream_begins_after =
    "SELECT greatest(0, radd.first_kept() - 1) AS begins_after";

inline constexpr Sql settle_stream = "SELECT radd.settle()";
inline constexpr Sql decide_alone = "SELECT floor FROM radd.retention FOR UPDATE";

// Partitions below the last row that is final, from the oldest on: the one that holds that row
// stays, whatever its age, because it is what says where the stream stands. $1: days. Old is one
// whose last row was recorded before; one without rows is. Primary keys of the partitions.
inline constexpr Sql select_passed_partitions = R"sql(
    WITH bounds AS (
        SELECT format('%I.%I', n.nspname, c.relname) AS name,
               substring(pg_get_expr(c.relpartbound, c.oid)
                         FROM $re$FROM \('?(\d+)'?\)$re$)::bigint AS lower,
               substring(pg_get_expr(c.relpartbound, c.oid)
                         FROM $re$TO \('?(\d+)'?\)$re$)::bigint AS upper
          FROM pg_catalog.pg_inherits i
          JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid
          JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
         WHERE i.inhparent = 'radd.events'::regclass AND NOT i.inhdetachpending)
    SELECT b.name, b.upper,
           coalesce((SELECT e.recorded_at FROM radd.events e
                      WHERE e.id >= b.lower AND e.id < b.upper ORDER BY e.id DESC LIMIT 1)
                        < clock_timestamp() - $1::bigint * interval '1 day', true) AS is_old
      FROM bounds b
     WHERE b.lower >= (SELECT r.floor FROM radd.retention r) AND b.upper <= radd.head()
     ORDER BY b.lower)sql";

inline constexpr Sql select_readers = R"sql(
    SELECT name, plugin, cursor, state FROM radd.event_readers ORDER BY cursor, name)sql";

inline constexpr Sql raise_floor = R"sql(
    UPDATE radd.retention
       SET floor = $1, dropping = dropping || $2::text[], raised_at = clock_timestamp())sql";

// Empty: detached, or gone. Whether a detach that began was interrupted.
inline constexpr Sql select_attachment = R"sql(
    SELECT i.inhdetachpending AS is_interrupted FROM pg_catalog.pg_inherits i
     WHERE i.inhparent = 'radd.events'::regclass AND i.inhrelid = to_regclass($1))sql";

// In a transaction of its own with what waits for the lock of one partition, which no writer of
// events needs.
inline constexpr Sql limit_wait = "SET LOCAL lock_timeout = '2s'";

inline constexpr Sql select_dropping = R"sql(
    SELECT d.name FROM radd.retention r, unnest(r.dropping) WITH ORDINALITY d(name, place)
     ORDER BY d.place)sql";

inline constexpr Sql forget_dropped = R"sql(
    UPDATE radd.retention SET dropping = array_remove(dropping, $1))sql";

inline constexpr Sql select_retention = R"sql(
    SELECT radd.first_kept() AS first_kept,
           to_char(r.raised_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS raised_at,
           pg_catalog.pg_has_role(c.relowner, 'USAGE') AS may_drop
      FROM radd.retention r, pg_catalog.pg_class c
     WHERE c.oid = 'radd.events'::regclass)sql";

}  // namespace radd::consumers::sql
