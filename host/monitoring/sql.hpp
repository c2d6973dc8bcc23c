#pragma once

/// What monitoring itself asks the database.

#include <radd/sql.hpp>

namespace radd::monitoring::sql {

// Two rows and the catalogue's entry of the last partition; locks nothing.
inline constexpr Sql database_facts = R"sql(
    SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS time,
           floor(extract(epoch FROM clock_timestamp()))::bigint AS unix_s,
           (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END
              FROM radd.events_id_seq) AS last_drawn,
           s.settled, radd.head() AS head, radd.ids_left() AS ids_left
      FROM radd.stream s)sql";

// Of all partitions, with indexes and what is kept out of line: a look at each file. One that is
// being dropped is waited for, or no longer counts.
inline constexpr Sql events_bytes = R"sql(
    SELECT coalesce(sum(pg_total_relation_size(inhrelid)), 0)::bigint AS events_bytes
      FROM pg_inherits WHERE inhparent = 'radd.events'::regclass)sql";

}  // namespace radd::monitoring::sql
