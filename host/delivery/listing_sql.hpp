#pragma once

/// What is asked of radd.deliveries in order to show it, and what an operator does to single rows.

#include <radd/sql.hpp>

namespace radd::delivery::sql {

// Names by a loose scan of deliveries_of_lane; rows by deliveries_due and deliveries_dead, and of
// each queue no more than $1, so that a backlog of millions costs no more than one of that many.
inline constexpr Sql queue_overview = R"sql(
    WITH RECURSIVE names AS (
        (SELECT d.queue FROM radd.deliveries d ORDER BY d.queue LIMIT 1)
        UNION ALL
        SELECT (SELECT d.queue FROM radd.deliveries d WHERE d.queue > names.queue
                 ORDER BY d.queue LIMIT 1)
          FROM names WHERE names.queue IS NOT NULL)
    SELECT names.queue AS name, waiting.pending, waiting.due, waiting.under_way,
           waiting.oldest_due_s, ended.dead
      FROM names
     CROSS JOIN LATERAL (
           SELECT count(*) AS pending,
                  count(*) FILTER (WHERE counted.next_attempt_at <= statement_timestamp()) AS due,
                  count(*) FILTER (WHERE counted.claimed_until > statement_timestamp()) AS under_way,
                  floor(extract(epoch FROM statement_timestamp() - min(counted.next_attempt_at)
                      FILTER (WHERE counted.next_attempt_at <= statement_timestamp())))::bigint
                      AS oldest_due_s
             FROM (SELECT d.next_attempt_at, d.claimed_until FROM radd.deliveries d
                    WHERE d.queue = names.queue AND d.state = 'pending'
                    LIMIT $1) AS counted) AS waiting
     CROSS JOIN LATERAL (
           SELECT count(*) AS dead
             FROM (SELECT FROM radd.deliveries d
                    WHERE d.queue = names.queue AND d.state = 'dead'
                      AND NOT EXISTS (SELECT FROM radd.deliveries r WHERE r.replay_of = d.id)
                    LIMIT $1) AS counted) AS ended
     WHERE names.queue IS NOT NULL
     ORDER BY names.queue)sql";

// All rows of the queue that are not done are read: for who asks, and not for a poll. $2 lanes.
inline constexpr Sql lane_overview = R"sql(
    SELECT coalesce(waiting.lane, ended.lane) AS lane,
           coalesce(waiting.pending, 0) AS pending, coalesce(waiting.due, 0) AS due,
           coalesce(waiting.under_way, 0) AS under_way, coalesce(ended.dead, 0) AS dead,
           to_char(waiting.next_attempt_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
               AS next_attempt_at
      FROM (SELECT d.lane, count(*) AS pending,
                   count(*) FILTER (WHERE d.next_attempt_at <= statement_timestamp()) AS due,
                   count(*) FILTER (WHERE d.claimed_until > statement_timestamp()) AS under_way,
                   min(d.next_attempt_at) FILTER (WHERE d.claimed_until IS NULL) AS next_attempt_at
              FROM radd.deliveries d WHERE d.queue = $1 AND d.state = 'pending'
             GROUP BY d.lane) AS waiting
      FULL JOIN
           (SELECT d.lane, count(*) AS dead
              FROM radd.deliveries d WHERE d.queue = $1 AND d.state = 'dead'
               AND NOT EXISTS (SELECT FROM radd.deliveries r WHERE r.replay_of = d.id)
             GROUP BY d.lane) AS ended USING (lane)
     ORDER BY dead DESC, pending DESC, lane
     LIMIT $2)sql";

// $1 queue, $2 lane, $3 state, $4 event, $5 only lower ids, $6 rows, $7 exactly this one. What is
// null does not narrow, and is folded away when the statement is planned for its values: then
// deliveries_dead, deliveries_due or deliveries_of_lane lead, else the primary key.
inline constexpr Sql list_deliveries = R"sql(
    SELECT d.id, d.uid, d.queue, d.lane, d.state, d.attempts, d.event_id,
           d.claimed_until IS NOT NULL AND d.claimed_until > statement_timestamp() AS under_way,
           d.last_error, d.replay_of,
           (SELECT max(r.id) FROM radd.deliveries r WHERE r.replay_of = d.id) AS replayed_as,
           CASE WHEN d.state = 'pending' AND d.claimed_until IS NULL
                THEN to_char(d.next_attempt_at AT TIME ZONE 'UTC', time.format) END
                AS next_attempt_at,
           to_char(d.created_at AT TIME ZONE 'UTC', time.format) AS created_at,
           to_char(d.last_attempt_at AT TIME ZONE 'UTC', time.format) AS last_attempt_at,
           to_char(d.finished_at AT TIME ZONE 'UTC', time.format) AS finished_at
      FROM (SELECT 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"' AS format) AS time, radd.deliveries d
     WHERE ($1::text IS NULL OR d.queue = $1::text) AND ($2::text IS NULL OR d.lane = $2::text)
       AND ($3::text IS NULL OR d.state = $3::text)
       AND ($4::bigint IS NULL OR d.event_id = $4::bigint)
       AND ($5::bigint IS NULL OR d.id < $5::bigint)
       AND ($7::bigint IS NULL OR d.id = $7::bigint)
     ORDER BY d.id DESC
     LIMIT $6)sql";

inline constexpr Sql delivery_payload =
    "SELECT payload::text AS payload FROM radd.deliveries WHERE id = $1";

// As lock_dead (queue_sql.hpp), without locks.
inline constexpr Sql preview_dead = R"sql(
    SELECT count(*) AS deliveries, count(DISTINCT counted.lane) AS lanes, min(counted.id) AS first_id,
           max(counted.id) AS last_id
      FROM (SELECT d.id, d.lane FROM radd.deliveries d
             WHERE d.queue = $1 AND d.state = 'dead' AND ($2::text IS NULL OR d.lane = $2::text)
               AND ($3::bigint IS NULL OR d.id >= $3::bigint)
               AND ($4::bigint IS NULL OR d.id <= $4::bigint)
               AND NOT EXISTS (SELECT FROM radd.deliveries r WHERE r.replay_of = d.id)
             ORDER BY d.id LIMIT $5) AS counted)sql";

// Waits for whoever is recording a result, and finds the row finished then.
inline constexpr Sql cancel_one = R"sql(
    UPDATE radd.deliveries
       SET state = 'cancelled', claimed_until = NULL, last_error = $2,
           finished_at = statement_timestamp()
     WHERE id = $1 AND state = 'pending')sql";

inline constexpr Sql count_waiting = R"sql(
    SELECT count(*) AS waiting FROM radd.deliveries
     WHERE queue = $1 AND lane = $2 AND state = 'pending')sql";

}  // namespace radd::delivery::sql
