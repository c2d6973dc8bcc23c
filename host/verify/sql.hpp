#pragma once

/// Every statement of `radd verify`. All of them read, and take no lock that anybody waits for.

#include <radd/sql.hpp>

namespace radd::verify::sql {

inline constexpr Sql read_only = "SET LOCAL transaction_read_only = on";
inline constexpr Sql one_snapshot = "SET LOCAL transaction_isolation = 'repeatable read'";

// $1: how many seconds a lease may have run out for until it is an orphan. A sequence is read as
// it is now and not as the snapshot has it: no cursor of the snapshot can be beyond it by a race.
inline constexpr Sql select_consumers = R"sql(
    SELECT c.name, c.plugin, c.kind, c.state, c.cursor, c.seeded_at, c.handled_count,
           c.handled_hash,
           c.owner IS NOT NULL
               AND c.lease_until < clock_timestamp() - $1 * interval '1 second' AS lease_orphan,
           c.owner IS NULL AND c.lease_until > clock_timestamp() AS lease_without_owner,
           (SELECT count(*) FROM radd.skipped_events s
             WHERE s.consumer = c.name AND s.resolution = 'retried') AS retried
      FROM radd.consumers c
     ORDER BY c.name)sql";

// The newest row, for a sequence that was set back. What was below the first kept is gone, and with
// it the proof.
inline constexpr Sql select_stream = R"sql(
    SELECT (SELECT CASE WHEN s.is_called THEN s.last_value ELSE s.last_value - 1 END
              FROM radd.events_id_seq s) AS drawn,
           (SELECT m.settled FROM radd.stream m) AS settled,
           (SELECT coalesce(max(e.id), 0) FROM radd.events e) AS newest,
           radd.first_kept() AS first_kept)sql";

// What each receipt leaves out, as runs of neighbours. Index skipped_events_of_consumer.
inline constexpr Sql select_left_out = R"sql(
    SELECT r.consumer, min(r.event_id) AS first, max(r.event_id) AS last
      FROM (SELECT d.consumer, d.event_id,
                   d.event_id - row_number() OVER (PARTITION BY d.consumer
                                                   ORDER BY d.event_id) AS run
              FROM (SELECT DISTINCT s.consumer, s.event_id
                      FROM radd.skipped_events s JOIN radd.consumers c ON c.name = s.consumer
                     WHERE s.phase IN ('plan', 'quarantine')
                       AND s.resolution IS DISTINCT FROM 'replayed'
                       AND s.event_id > c.seeded_at AND s.event_id <= c.cursor) d) r
     GROUP BY r.consumer, r.run
     ORDER BY r.consumer, first)sql";

// Ids above $1 and up to $2, at most $3 of them, as runs. Primary key of radd.events alone.
inline constexpr Sql select_runs = R"sql(
    SELECT min(t.id) AS first, max(t.id) AS last
      FROM (SELECT q.id, q.id - row_number() OVER (ORDER BY q.id) AS run
              FROM (SELECT e.id FROM radd.events e
                     WHERE e.id > $1 AND e.id <= $2 ORDER BY e.id LIMIT $3) q) t
     GROUP BY t.run
     ORDER BY first)sql";

// One slice of the records after $1, $2 of them; events below $3 are gone. The times of a copy are
// left out of the comparison: how they are spelled depends on who recorded it. Primary keys.
inline constexpr Sql judge_skips = R"sql(
    WITH slice AS (
        SELECT s.id, s.consumer, s.event_id, s.event, s.phase, s.resolution
          FROM radd.skipped_events s WHERE s.id > $1 ORDER BY s.id LIMIT $2),
    judged AS (
        SELECT s.id, s.consumer,
               CASE WHEN c.name IS NULL THEN 'skip_without_consumer'
                    WHEN s.event_id > c.cursor AND s.phase IN ('plan', 'quarantine')
                         AND s.resolution IS DISTINCT FROM 'replayed' THEN 'skip_beyond_cursor'
                    WHEN e.id IS NULL AND s.event_id >= $3 THEN 'skip_without_event'
                    WHEN s.event ->> 'id' IS DISTINCT FROM s.event_id::text
                         OR e.id IS NOT NULL
                            AND (s.event ->> 'event_type', s.event ->> 'entity_type',
                                 s.event ->> 'entity_id', s.event ->> 'actor_id',
                                 s.event ->> 'silent', s.event ->> 'project_id',
                                 s.event ->> 'automated_cause', s.event -> 'payload',
                                 nullif(s.event -> 'changes', 'null'))
                                IS DISTINCT FROM
                                (e.event_type, e.entity_type, e.entity_id, e.actor_id::text,
                                 e.silent::text, e.project_id::text, e.automated_cause, e.payload,
                                 nullif(e.changes, 'null')) THEN 'skip_copy_differs'
                    END AS found
          FROM slice s
          LEFT JOIN radd.consumers c ON c.name = s.consumer
          LEFT JOIN radd.events e ON e.id = s.event_id),
    whole AS (SELECT count(*) AS rows, max(id) AS last FROM slice)
    SELECT w.rows, w.last, f.found, f.subject, f.count, f.examples
      FROM whole w
      LEFT JOIN (SELECT j.found, j.consumer AS subject, count(*) AS count,
                        array_to_string((array_agg(j.id ORDER BY j.id))[1:5], ', ') AS examples
                   FROM judged j WHERE j.found IS NOT NULL
                  GROUP BY j.found, j.consumer) f ON true)sql";

// The same for deliveries. Retention removes what is finished, so a replay may have lost its
// original. Primary keys.
inline constexpr Sql judge_deliveries = R"sql(
    WITH slice AS (
        SELECT d.id, d.queue, d.event_id, d.state, d.attempts, d.claimed_until, d.replay_of
          FROM radd.deliveries d WHERE d.id > $1 ORDER BY d.id LIMIT $2),
    judged AS (
        SELECT d.id, d.queue,
               CASE WHEN d.event_id >= $3
                         AND NOT EXISTS (SELECT FROM radd.events e WHERE e.id = d.event_id)
                         THEN 'delivery_without_event'
                    WHEN d.state IN ('delivered', 'dead') AND d.attempts = 0
                         OR d.claimed_until IS NOT NULL
                            AND (d.state <> 'pending' OR d.attempts = 0) THEN 'delivery_state'
                    WHEN d.replay_of >= d.id
                         OR r.id IS NOT NULL AND (r.queue <> d.queue OR r.state = 'pending')
                         THEN 'delivery_replay' END AS found
          FROM slice d LEFT JOIN radd.deliveries r ON r.id = d.replay_of),
    whole AS (SELECT count(*) AS rows, max(id) AS last FROM slice)
    SELECT w.rows, w.last, f.found, f.subject, f.count, f.examples
      FROM whole w
      LEFT JOIN (SELECT j.found, j.queue AS subject, count(*) AS count,
                        array_to_string((array_agg(j.id ORDER BY j.id))[1:5], ', ') AS examples
                   FROM judged j WHERE j.found IS NOT NULL
                  GROUP BY j.found, j.queue) f ON true)sql";

}  // namespace radd::verify::sql
