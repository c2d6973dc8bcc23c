#pragma once

/// Every statement about radd.cascade_positions. Each finds its row by the primary key.

#include <radd/sql.hpp>

namespace radd::consumers::sql {

// A plugin that is new has left nothing behind. None, as long as events.cascade has no row.
inline constexpr Sql begin_cascade_position = R"sql(
    INSERT INTO radd.cascade_positions (plugin, swept_to)
    SELECT $1, cursor FROM radd.consumers WHERE name = $2
    ON CONFLICT (plugin) DO NOTHING)sql";

// Held until the end of the transaction: whoever sweeps for the plugin does so alone.
inline constexpr Sql lock_cascade_position = R"sql(
    SELECT p.swept_to, c.cursor
      FROM radd.cascade_positions p CROSS JOIN radd.consumers c
     WHERE p.plugin = $1 AND c.name = $2
       FOR UPDATE OF p)sql";

inline constexpr Sql move_cascade_position = R"sql(
    UPDATE radd.cascade_positions SET swept_to = $2 WHERE plugin = $1 AND swept_to < $2)sql";

// Not past an event that was never swept: the position of a plugin that has just come back stays
// where it is until that is made good. Index events_of_type.
inline constexpr Sql follow_cascade_position = R"sql(
    UPDATE radd.cascade_positions p
       SET swept_to = $2
     WHERE p.plugin = $1 AND p.swept_to < $2
       AND NOT EXISTS (SELECT FROM radd.events e
                        WHERE e.event_type = ANY ($3::text[]) AND e.id > p.swept_to AND e.id < $2))sql";

// Index events_of_type.
inline constexpr Sql events_not_swept = R"sql(
    SELECT id, event_type, entity_id, silent
      FROM radd.events
     WHERE event_type = ANY ($1::text[]) AND id > $2 AND id <= $3
     ORDER BY id LIMIT $4)sql";

}  // namespace radd::consumers::sql
