#pragma once

/// Every statement about radd.deliveries, but for lists (listing_sql.hpp).

#include <radd/sql.hpp>

namespace radd::delivery::sql {

// Index deliveries_key. `::text::json` keeps the bytes.
inline constexpr Sql enqueue = R"sql(
    INSERT INTO radd.deliveries (queue, lane, payload, event_id, key)
    SELECT $1, given.lane, given.payload::json, given.event_id, given.key
      FROM unnest($2::text[], $3::text[], $4::bigint[], $5::text[])
           AS given (lane, payload, event_id, key)
    ON CONFLICT (queue, key) WHERE key IS NOT NULL DO NOTHING)sql";

// $1 queue, $2 the lane where the last walk ended, $3 lanes this process knows something about and
// $4 how many more attempts each may begin, $5 how many in all, $6 claim in ms,
// $7 lanes a walk looks at, $8 attempts in all, $9 what a lane may begin that is not in $3,
// $10 attempts past which nothing is counted.
//
// The walk is a loose scan of deliveries_due, one probe a lane. Each lane gives its oldest due
// rows, and no lane more than it may begin: ten thousand rows of one cost the others nothing.
// Rows that another host is just claiming are passed. One row always comes back: where it ended,
// null at the end of the lanes. A row whose process died in its last attempt is not begun again,
// nor one whose count would pass its column and fail the claim of all.
inline constexpr Sql claim = R"sql(
    WITH RECURSIVE lanes AS (
        (SELECT d.lane, 1 AS place FROM radd.deliveries d
          WHERE d.queue = $1 AND d.state = 'pending' AND d.lane > $2
          ORDER BY d.lane LIMIT 1)
        UNION ALL
        SELECT (SELECT d.lane FROM radd.deliveries d
                 WHERE d.queue = $1 AND d.state = 'pending' AND d.lane > lanes.lane
                 ORDER BY d.lane LIMIT 1), lanes.place + 1
          FROM lanes WHERE lanes.lane IS NOT NULL AND lanes.place < $7::int),
    known AS (SELECT k.lane, k.may FROM unnest($3::text[], $4::int[]) AS k (lane, may)),
    due AS (
        SELECT row.id, row.place, row.spent
          FROM (SELECT l.lane, l.place, coalesce(k.may, $9::int) AS may
                  FROM lanes l LEFT JOIN known k USING (lane)
                 WHERE l.lane IS NOT NULL AND coalesce(k.may, $9::int) > 0) AS l
         CROSS JOIN LATERAL (
               SELECT d.id, l.place,
                      (d.claimed_until IS NOT NULL AND d.attempts >= $8::int)
                          OR d.attempts >= $10::int AS spent
                 FROM radd.deliveries d
                WHERE d.queue = $1 AND d.lane = l.lane AND d.state = 'pending'
                  AND d.next_attempt_at <= statement_timestamp()
                ORDER BY d.next_attempt_at, d.id
                LIMIT l.may
                FOR UPDATE SKIP LOCKED) AS row
         LIMIT $5::int),
    claimed AS (
        UPDATE radd.deliveries d
           SET attempts = d.attempts + CASE WHEN due.spent THEN 0 ELSE 1 END,
               claimed_until = statement_timestamp() + $6::bigint * interval '1 millisecond',
               next_attempt_at = statement_timestamp() + $6::bigint * interval '1 millisecond'
          FROM due WHERE d.id = due.id
        RETURNING d.id, d.uid, d.lane, d.payload, d.event_id, d.attempts, d.replay_of, due.spent,
                  due.place, floor(extract(epoch FROM d.created_at) * 1000000)::bigint AS created_us)
    SELECT c.id, c.uid, c.lane, c.payload, c.event_id, c.attempts, c.replay_of, c.spent,
           c.created_us, walk.ended_at
      FROM (SELECT CASE WHEN (SELECT count(*) FROM claimed) >= $5::int
                        THEN (SELECT max(l.lane) FROM lanes l
                               WHERE l.place = (SELECT max(c.place) FROM claimed c))
                        WHEN (SELECT count(l.lane) FROM lanes l) = $7::int
                        THEN (SELECT max(l.lane) FROM lanes l) END AS ended_at) AS walk
      LEFT JOIN claimed c ON true)sql";

// Records a result, if the attempt still counts: $2 is its number, which the next claim raises.
// $3 state, $4 detail, $5 wait in ms. Primary key.
inline constexpr Sql settle = R"sql(
    UPDATE radd.deliveries
       SET state = $3, claimed_until = NULL, last_attempt_at = statement_timestamp(),
           last_error = $4,
           next_attempt_at = statement_timestamp() + $5::bigint * interval '1 millisecond',
           finished_at = CASE WHEN $3 <> 'pending' THEN statement_timestamp() END
     WHERE id = $1 AND attempts = $2 AND state = 'pending' AND claimed_until IS NOT NULL)sql";

// It was claimed and its attempt never began. $3: the claim counted none, because the attempts are
// spent; the next host must see that, so the row stays claimed, by nobody.
inline constexpr Sql give_back = R"sql(
    UPDATE radd.deliveries
       SET attempts = attempts - CASE WHEN $3 THEN 0 ELSE 1 END,
           claimed_until = CASE WHEN $3 THEN statement_timestamp() END,
           next_attempt_at = statement_timestamp()
     WHERE id = $1 AND attempts = $2 AND state = 'pending' AND claimed_until IS NOT NULL)sql";

inline constexpr Sql replay_one = R"sql(
    INSERT INTO radd.deliveries (queue, lane, payload, event_id, replay_of)
    SELECT d.queue, d.lane, d.payload, d.event_id, d.id FROM radd.deliveries d
     WHERE d.id = $2 AND d.queue = $1 AND d.state <> 'pending'
    RETURNING id)sql";

// Indexes deliveries_dead and deliveries_replays. Two who replay at once make one replay: the
// second waits for the rows and finds them replayed.
inline constexpr Sql lock_dead = R"sql(
    SELECT d.id FROM radd.deliveries d
     WHERE d.queue = $1 AND d.state = 'dead' AND ($2::text IS NULL OR d.lane = $2::text)
       AND ($3::bigint IS NULL OR d.id >= $3::bigint) AND ($4::bigint IS NULL OR d.id <= $4::bigint)
       AND NOT EXISTS (SELECT FROM radd.deliveries r WHERE r.replay_of = d.id)
     ORDER BY d.id LIMIT $5
     FOR UPDATE)sql";

// A younger statement than lock_dead, so that it sees what was committed while that one waited.
inline constexpr Sql replay_locked = R"sql(
    INSERT INTO radd.deliveries (queue, lane, payload, event_id, replay_of)
    SELECT d.queue, d.lane, d.payload, d.event_id, d.id FROM radd.deliveries d
     WHERE d.id = ANY ($1::bigint[])
       AND NOT EXISTS (SELECT FROM radd.deliveries r WHERE r.replay_of = d.id)
     ORDER BY d.id)sql";

// At most $4 rows. Passes those that are just being recorded: waiting for them could be waiting
// for one that waits for us. Index deliveries_due, in its order, so that no more is read.
inline constexpr Sql cancel_lane = R"sql(
    UPDATE radd.deliveries d
       SET state = 'cancelled', claimed_until = NULL, last_error = $3,
           finished_at = statement_timestamp()
      FROM (SELECT id FROM radd.deliveries
             WHERE queue = $1 AND lane = $2 AND state = 'pending'
             ORDER BY next_attempt_at, id LIMIT $4 FOR UPDATE SKIP LOCKED) AS waiting
     WHERE d.id = waiting.id)sql";

// Index deliveries_finished.
inline constexpr Sql remove_finished = R"sql(
    DELETE FROM radd.deliveries WHERE id IN (
        SELECT id FROM radd.deliveries
         WHERE queue = $1 AND finished_at IS NOT NULL
           AND finished_at < statement_timestamp() - $2::bigint * interval '1 hour'
         ORDER BY finished_at LIMIT $3
         FOR UPDATE SKIP LOCKED))sql";

}  // namespace radd::delivery::sql
