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

}  // namespace radd::monitoring::sql
