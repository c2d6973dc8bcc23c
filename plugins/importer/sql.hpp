#pragma once

/// Every statement of this plugin.

#include <radd/sql.hpp>

namespace importer::sql {

// Held until the commit: two imports at once would each miss what the other is about to add.
constexpr radd::Sql lock_imports = R"sql(
    SELECT pg_advisory_xact_lock(hashtextextended('importer', 0)))sql";

// Answers those that were not there before. Index: imported_changes_pkey.
constexpr radd::Sql insert_changes = R"sql(
    INSERT INTO importer.imported_changes (source, source_id, item_id)
    SELECT $1::text, id, $3::bigint FROM unnest($2::text[]) AS id
    ON CONFLICT DO NOTHING
    RETURNING source_id)sql";

// Index: imported_changes_of_item.
constexpr radd::Sql delete_changes = R"sql(
    DELETE FROM importer.imported_changes WHERE item_id = $1)sql";

// Index: matched_people_pkey.
constexpr radd::Sql insert_match = R"sql(
    INSERT INTO importer.matched_people (source, source_id, person_id) VALUES ($1, $2, $3::uuid)
    ON CONFLICT (source, source_id) DO UPDATE SET person_id = excluded.person_id,
                                                  matched_at = now())sql";

// Index: matched_people_pkey.
constexpr radd::Sql select_match = R"sql(
    SELECT person_id FROM importer.matched_people WHERE source = $1 AND source_id = $2)sql";

constexpr radd::Sql select_time = R"sql(
    SELECT (extract(epoch FROM now()) * 1000000)::bigint AS now_us)sql";

constexpr radd::Sql select_zone = R"sql(
    SELECT name FROM pg_timezone_names WHERE name = $1)sql";

// The database knows every zone's history, and the standard library of g++ 12 knows none. What
// does not come back as it went in was skipped; what another instant also shows was repeated.
// Zones have turned their clocks by these three steps.
constexpr radd::Sql select_instant = R"sql(
    SELECT (extract(epoch FROM at) * 1000000)::bigint AS at_us,
           at AT TIME ZONE $2 <> wall AS skipped,
           EXISTS (SELECT FROM unnest('{30 minutes,1 hour,2 hours}'::interval[]) AS step
                   WHERE (at - step) AT TIME ZONE $2 = wall
                      OR (at + step) AT TIME ZONE $2 = wall) AS repeated
    FROM (SELECT wall, wall AT TIME ZONE $2 AS at
          FROM (SELECT timestamp 'epoch' + $1::float8 * interval '1 microsecond' AS wall) walls
         ) instants)sql";

// The offset that the whole day has, hours around it included: a time that was skipped or repeated
// is read by an offset of the day next to the turn.
constexpr radd::Sql select_offset = R"sql(
    SELECT min(east) AS offset_us, min(east) = max(east) AS is_steady
    FROM (SELECT (extract(epoch FROM wall - wall AT TIME ZONE $2 AT TIME ZONE 'UTC')
                      * 1000000)::bigint AS east
          FROM (SELECT timestamp 'epoch' + $1::float8 * interval '1 microsecond' AS midnight) day,
               generate_series(midnight - interval '4 hours', midnight + interval '28 hours',
                               interval '30 minutes') AS wall) offsets)sql";

}  // namespace importer::sql
