#pragma once

/// What an operator asks of radd.consumers and radd.skipped_events. Each statement finds its rows
/// by the primary key or by skipped_events_open, and waits for a row's lock at most as long as an
/// owner's commit.

#include <radd/sql.hpp>

namespace radd::consumers::sql {

inline constexpr Sql pause_consumer = R"sql(
    UPDATE radd.consumers
       SET paused_until = CASE WHEN $2::bigint IS NULL THEN 'infinity'
                               ELSE clock_timestamp() + $2::bigint * interval '1 millisecond' END,
           pause_reason = $3, owner = NULL, lease_until = '-infinity', epoch = epoch + 1,
           overdue_event_id = NULL
     WHERE name = $1
    RETURNING name)sql";

// Who tells news from the backlog bootstraps.
inline constexpr Sql lock_consumer = R"sql(
    SELECT cursor, state, resume_policy, kind, backlog_until IS NOT NULL AS bootstraps
      FROM radd.consumers WHERE name = $1 FOR UPDATE)sql";

inline constexpr Sql resume_consumer = R"sql(
    UPDATE radd.consumers
       SET paused_until = NULL, pause_reason = NULL,
           disabled_since = CASE WHEN state <> 'retired' THEN disabled_since END,
           state = CASE WHEN state = 'retired' THEN 'active' ELSE state END
     WHERE name = $1)sql";

inline constexpr Sql retire_consumer = R"sql(
    UPDATE radd.consumers
       SET state = 'retired', owner = NULL, lease_until = '-infinity', epoch = epoch + 1,
           disabled_since = coalesce(disabled_since, clock_timestamp()), overdue_event_id = NULL
     WHERE name = $1
    RETURNING name)sql";

// The receipt begins anew: what is passed was not handled, what is replayed was handled before,
// and is no news to a consumer that tells news from the backlog.
inline constexpr Sql seek_consumer = R"sql(
    UPDATE radd.consumers
       SET cursor = $2, seeded_at = $2, handled_count = 0, handled_hash = 0,
           backlog_until = CASE WHEN backlog_until IS NOT NULL
                                THEN greatest(backlog_until, cursor) END,
           owner = NULL, lease_until = '-infinity', epoch = epoch + 1,
           updated_at = clock_timestamp(), attempt_event_id = NULL, attempt_started = 0,
           overdue_event_id = NULL,
           state = CASE WHEN state = 'beyond_head' THEN 'active' ELSE state END
     WHERE name = $1)sql";

// The consumer meets these events again, so their records say nothing about the new receipt.
// Index skipped_events_of_consumer.
inline constexpr Sql settle_replayed = R"sql(
    UPDATE radd.skipped_events
       SET resolved_at = coalesce(resolved_at, clock_timestamp()), resolution = 'replayed'
     WHERE consumer = $1 AND event_id > $2)sql";

inline constexpr Sql request_retry_of = R"sql(
    UPDATE radd.skipped_events
       SET retry_requested_at = clock_timestamp()
     WHERE consumer = $1 AND resolved_at IS NULL AND ($2::bigint IS NULL OR event_id = $2::bigint))sql";

inline constexpr Sql raise_retry_round = R"sql(
    UPDATE radd.consumers SET retry_round = retry_round + 1 WHERE name = $1)sql";

inline constexpr Sql known_names = R"sql(
    SELECT name FROM radd.consumers ORDER BY name)sql";

// Newest first. Index skipped_events_open.
inline constexpr Sql open_skips = R"sql(
    SELECT id, consumer, event_id, phase, error, plugin, plugin_version, attempts, event,
           to_char(skipped_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS skipped_at,
           retry_requested_at IS NOT NULL AS retry_requested,
           coalesce(event ->> 'event_type', '') AS event_type
      FROM radd.skipped_events
     WHERE resolved_at IS NULL AND ($1::text IS NULL OR consumer = $1::text)
       AND ($3::bigint IS NULL OR id < $3::bigint)
     ORDER BY id DESC LIMIT $2)sql";

// $1: the head. $2: names loaded by the host that asks, or null if it does not know. $3: seconds
// after which a lagging cursor that does not move is stalled. $4: a hole keeps the stream waiting.
// The lag is counted up to 10 000 rows from the cursor on, in the primary key of radd.events, and
// records of skipped events up to $5. Index skipped_events_open.
inline constexpr Sql overview = R"sql(
    WITH rows AS (
        SELECT c.name, c.plugin, c.kind, c.cursor, c.epoch, c.state, c.paused_until, c.pause_reason,
               CASE WHEN c.lease_until >= clock_timestamp() THEN c.owner END AS owner,
               c.overdue_event_id, c.handled_count,
               coalesce(c.paused_until > clock_timestamp(), false) AS paused,
               greatest(0, floor(extract(epoch FROM clock_timestamp() - c.updated_at)))::bigint
                   AS seconds_since_update,
               c.cursor > greatest($1::bigint, (SELECT CASE WHEN s.is_called THEN s.last_value
                                                            ELSE s.last_value - 1 END
                                                  FROM radd.events_id_seq s)) AS beyond_head,
               c.disabled_since IS NOT NULL
                   OR coalesce(c.name <> ALL ($2::text[]), false) AS not_loaded,
               lag.events AS lag_events, next.oldest_age_s,
               (SELECT count(*) FROM (
                    SELECT FROM radd.skipped_events k
                     WHERE k.consumer = c.name AND k.resolved_at IS NULL
                     LIMIT $5::bigint) counted) AS skipped
          FROM radd.consumers c
          CROSS JOIN LATERAL (
               SELECT count(*) AS events FROM (
                   SELECT FROM radd.events e
                    WHERE c.kind = 'consumer' AND e.id > c.cursor AND e.id <= $1::bigint
                    ORDER BY e.id LIMIT 10001) counted) AS lag
          LEFT JOIN LATERAL (
               SELECT greatest(0, floor(extract(epoch FROM clock_timestamp() - e.recorded_at)))
                          ::bigint AS oldest_age_s
                 FROM radd.events e
                WHERE c.kind = 'consumer' AND e.id > c.cursor AND e.id <= $1::bigint
                ORDER BY e.id LIMIT 1) AS next ON true)
    SELECT name, plugin, kind, cursor, epoch, owner, overdue_event_id, handled_count,
           CASE WHEN paused THEN pause_reason END AS pause_reason,
           CASE WHEN NOT paused THEN NULL
                WHEN paused_until = 'infinity' THEN 'infinity'
                ELSE to_char(paused_until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') END
               AS paused_until,
           seconds_since_update, skipped, oldest_age_s,
           CASE WHEN lag_events > 10000 THEN $1::bigint - cursor ELSE lag_events END AS lag,
           lag_events > 10000 AS approximate,
           CASE WHEN state = 'retired' THEN 'retired'
                WHEN state = 'beyond_head' OR (beyond_head AND kind = 'consumer') THEN 'beyond_head'
                WHEN not_loaded AND owner IS NULL THEN 'not_loaded'
                WHEN paused THEN 'paused'
                WHEN owner IS NULL THEN 'unowned'
                WHEN overdue_event_id IS NOT NULL THEN 'stalled'
                WHEN kind = 'task' THEN 'ok'
                WHEN lag_events > 0 AND seconds_since_update > $3::bigint THEN 'stalled'
                WHEN lag_events > 0 THEN 'catching_up'
                WHEN $4::boolean THEN 'waiting'
                ELSE 'ok' END AS state
      FROM rows
     ORDER BY name)sql";

}  // namespace radd::consumers::sql
