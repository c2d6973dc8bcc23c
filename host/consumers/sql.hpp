#pragma once

/// Every statement about radd.consumers and radd.skipped_events, but for what an operator asks
/// for (operator_sql.hpp).
///
/// All of them find their row by the primary key. None waits for a row that somebody else is
/// moving, except where the comment says so: the keeper renews all leases of a process in one
/// statement, and one slow commit must not cost the others their lease.

#include <radd/sql.hpp>

namespace radd::consumers::sql {

// Two hosts that start on an empty table make one row: the second INSERT waits for the first to
// commit, then does nothing. A null position is the beginning, which moves as partitions are
// dropped: keep_floor goes before. Else the published head counts as
// well: a tail that does not know where it stands yet must not seed at 0 and replay the stream.
inline constexpr Sql insert_consumer = R"sql(
    INSERT INTO radd.consumers (name, plugin, plugin_version, kind, resume_policy, cursor, seeded_at,
                                run_by, backlog_until)
    SELECT $1, $2, $3, $4, $5, start.at, start.at, $7,
           CASE WHEN $8::bigint IS NOT NULL THEN greatest($8::bigint, radd.head()) END
      FROM (SELECT CASE WHEN $6::bigint IS NULL THEN greatest(0, radd.first_kept() - 1)
                        ELSE greatest($6::bigint, radd.head()) END AS at) start
    ON CONFLICT (name) DO NOTHING
    RETURNING name)sql";

// In the transaction that made the row, and after keep_floor. A pause by an operator goes on: it is
// shown, and ended for each.
inline constexpr Sql begin_as_successor = R"sql(
    UPDATE radd.consumers c
       SET cursor = former.begins_after, seeded_at = former.begins_after,
           paused_until = former.paused_until, pause_reason = former.pause_reason
      FROM (SELECT greatest(p.cursor, radd.first_kept() - 1) AS begins_after, p.paused_until,
                   p.pause_reason
              FROM radd.consumers p WHERE p.name = $2) former
     WHERE c.name = $1)sql";

// Of what failed in part, what names something of the plugin `$2`, and what may have: its text is
// cut or is not the sweeps' own. Of what never ran, all. What an older host records after its end
// is open. Index skipped_events_of_consumer.
inline constexpr Sql take_over_skips = R"sql(
    INSERT INTO radd.skipped_events
           (consumer, event_id, event, phase, error, plugin, plugin_version, attempts, skipped_at,
            retry_requested_at)
    SELECT $1::text, s.event_id, s.event, s.phase, s.error, $2::text, s.plugin_version, s.attempts,
           s.skipped_at, s.retry_requested_at
      FROM radd.skipped_events s
     WHERE s.consumer = $3::text AND (s.resolution = 'handed_on' OR s.resolved_at IS NULL)
       AND (s.phase NOT IN ('sweep', 'deliver')
            OR s.error ~ ('(^|; |^after_commit of )' || $2::text || '[.]')
            OR s.error !~ '^(after_commit of )?[a-z][a-z0-9_]*[.][a-z0-9_]+: '
            OR s.error LIKE '% [cut]')
     ORDER BY s.id
    ON CONFLICT (consumer, event_id, phase) WHERE resolved_at IS NULL DO NOTHING)sql";

// In the transaction of the next two: whoever is frozen within a commit must keep no other host
// from starting.
inline constexpr Sql wait_little = "SET LOCAL lock_timeout = 250";

// Declared, so not disabled; the old value says whether the resume policy applies. Waits for the
// row's lock, mostly as long as an owner's commit. A pause by the manifest ends with the
// manifest; one by an operator does not.
inline constexpr Sql declare_consumer = R"sql(
    WITH before AS (
        SELECT name, cursor, disabled_since IS NOT NULL AS was_disabled, state
          FROM radd.consumers WHERE name = $1 FOR UPDATE)
    UPDATE radd.consumers c
       SET plugin = $2, plugin_version = $3, kind = $4, resume_policy = $5,
           backlog_until = CASE WHEN $7 THEN c.backlog_until END,
           disabled_since = CASE WHEN c.state = 'retired' THEN c.disabled_since END,
           paused_until = CASE WHEN $6 AND c.paused_until IS NULL THEN 'infinity'
                               WHEN NOT $6 AND c.pause_reason = 'manifest' THEN NULL
                               ELSE c.paused_until END,
           pause_reason = CASE WHEN $6 AND c.paused_until IS NULL THEN 'manifest'
                               WHEN NOT $6 AND c.pause_reason = 'manifest' THEN NULL
                               ELSE c.pause_reason END
      FROM before
     WHERE c.name = before.name
    RETURNING before.cursor, before.was_disabled, before.state)sql";

// The receipt begins anew: what was passed was not handled.
inline constexpr Sql resume_at_head = R"sql(
    UPDATE radd.consumers
       SET cursor = $2, seeded_at = $2, handled_count = 0, handled_hash = 0, epoch = epoch + 1,
           owner = NULL, lease_until = '-infinity', updated_at = clock_timestamp()
     WHERE name = $1 AND cursor < $2)sql";

// What came while it was off is met, and is no news: state that grows with it stays whole.
inline constexpr Sql resume_with_backlog = R"sql(
    UPDATE radd.consumers
       SET backlog_until = greatest(backlog_until, $2)
     WHERE name = $1)sql";

// Exact to 10 000; above that nobody needs to know. Primary key of radd.events.
inline constexpr Sql count_between = R"sql(
    SELECT count(*) AS events FROM (
        SELECT FROM radd.events WHERE id > $1 AND id <= $2 ORDER BY id LIMIT 10001) counted)sql";

// Known here, not declared by this start, and run by nobody now. If another installation ran it
// last, that one may be restarting; and a plugin that could not be loaded ($3) is not disabled.
// A row that is locked is being run.
inline constexpr Sql mark_disabled = R"sql(
    WITH idle AS (
        SELECT name FROM radd.consumers
         WHERE name <> ALL ($1::text[]) AND disabled_since IS NULL AND state <> 'retired'
           AND (owner IS NULL OR lease_until < clock_timestamp())
           AND run_by = $2 AND plugin <> ALL ($3::text[])
         ORDER BY name
           FOR UPDATE SKIP LOCKED)
    UPDATE radd.consumers c
       SET disabled_since = clock_timestamp()
      FROM idle
     WHERE c.name = idle.name)sql";

// A cursor past the sequence comes from another life of this database. Held until a seek, also
// when the sequence has caught up: the events in between were never seen. The sequence is read
// after the snapshot of the cursors, so a cursor that moves right now is no false alarm.
inline constexpr Sql hold_beyond_head = R"sql(
    UPDATE radd.consumers
       SET state = 'beyond_head', epoch = epoch + 1
     WHERE name = ANY ($1::text[]) AND state = 'active'
       AND cursor > radd.drawn()
    RETURNING name, cursor)sql";

// An owner that is us is one we lost by a fence: nobody else has it.
inline constexpr Sql acquire = R"sql(
    WITH free AS (
        SELECT name, owner IS NOT NULL AND owner <> $2 AS expired
          FROM radd.consumers
         WHERE name = ANY ($1::text[]) AND state = 'active'
           AND (owner IS NULL OR owner = $2 OR lease_until < clock_timestamp())
           AND (paused_until IS NULL OR paused_until <= clock_timestamp())
         ORDER BY name
           FOR UPDATE SKIP LOCKED)
    UPDATE radd.consumers c
       SET owner = $2, epoch = c.epoch + 1, overdue_event_id = NULL, disabled_since = NULL,
           lease_until = clock_timestamp() + $3 * interval '1 millisecond', run_by = $4
      FROM free
     WHERE c.name = free.name
    RETURNING c.name, c.epoch, c.cursor, c.handled_count, c.handled_hash, c.retry_round,
              free.expired, c.attempt_event_id, c.backlog_until)sql";

// A row whose own commit is under way is left out of the renewal and still reported as owned:
// advancing it renews the lease as well. What ran out meanwhile and is still ours may have been
// marked as disabled.
inline constexpr Sql renew = R"sql(
    WITH held AS (
        SELECT name, epoch FROM unnest($1::text[], $2::bigint[]) AS t (name, epoch)),
    mine AS (
        SELECT c.name
          FROM radd.consumers c JOIN held ON held.name = c.name AND held.epoch = c.epoch
         ORDER BY c.name
           FOR UPDATE OF c SKIP LOCKED),
    renewed AS (
        UPDATE radd.consumers c
           SET lease_until = clock_timestamp() + $3 * interval '1 millisecond',
               disabled_since = NULL
          FROM mine
         WHERE c.name = mine.name)
    SELECT c.name, c.retry_round
      FROM radd.consumers c JOIN held ON held.name = c.name AND held.epoch = c.epoch)sql";

// An attempt that the process lived to abandon did not kill it.
inline constexpr Sql release = R"sql(
    UPDATE radd.consumers c
       SET owner = NULL, lease_until = '-infinity', overdue_event_id = NULL,
           attempt_started = c.attempt_started - CASE WHEN held.abandoned AND c.attempt_started > 0
                                                      THEN 1 ELSE 0 END
      FROM unnest($1::text[], $2::bigint[], $3::boolean[]) AS held (name, epoch, abandoned)
     WHERE c.name = held.name AND c.epoch = held.epoch)sql";

// Part of the transaction whose effects it settles, as its last statement: the row's lock is held
// for one commit. No row: fenced.
inline constexpr Sql advance = R"sql(
    UPDATE radd.consumers
       SET cursor = $4, handled_count = $5, handled_hash = $6, updated_at = clock_timestamp(),
           lease_until = greatest(lease_until,
                                  clock_timestamp() + $7 * interval '1 millisecond')
     WHERE name = $1 AND epoch = $2 AND cursor = $3)sql";

// Moves over events without effect, for all consumers at once. What is locked or fenced is left
// out of the answer; the caller keeps it and tries again.
inline constexpr Sql advance_many = R"sql(
    WITH moves AS (
        SELECT name, epoch, old, new, count, hash
          FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[],
                      $6::bigint[]) AS t (name, epoch, old, new, count, hash)),
    mine AS (
        SELECT c.name, moves.new, moves.count, moves.hash
          FROM radd.consumers c
          JOIN moves ON moves.name = c.name AND moves.epoch = c.epoch AND moves.old = c.cursor
         ORDER BY c.name
           FOR UPDATE OF c SKIP LOCKED)
    UPDATE radd.consumers c
       SET cursor = mine.new, handled_count = mine.count, handled_hash = mine.hash,
           updated_at = clock_timestamp()
      FROM mine
     WHERE c.name = mine.name
    RETURNING c.name)sql";

// As they are, locked or not.
inline constexpr Sql select_rows = R"sql(
    SELECT name, epoch, cursor FROM radd.consumers WHERE name = ANY ($1::text[]))sql";

// Waits for the row's lock: a commit that lost its connection may still be landing.
inline constexpr Sql settle_doubt = R"sql(
    SELECT epoch, cursor FROM radd.consumers WHERE name = $1 FOR SHARE)sql";

inline constexpr Sql start_attempt = R"sql(
    UPDATE radd.consumers
       SET attempt_started = CASE WHEN attempt_event_id = $3 THEN attempt_started + 1 ELSE 1 END,
           attempt_event_id = $3
     WHERE name = $1 AND epoch = $2
    RETURNING attempt_started)sql";

inline constexpr Sql set_overdue = R"sql(
    WITH mine AS (
        SELECT name FROM radd.consumers WHERE name = $1 AND epoch = $2 FOR UPDATE SKIP LOCKED)
    UPDATE radd.consumers c
       SET overdue_event_id = $3::bigint
      FROM mine
     WHERE c.name = mine.name)sql";

// The copy is made by the server from the row itself, so it is whole whatever the row holds. A
// retry of sweeps that fails resolves its record and makes another, which goes on counting.
// Indexes skipped_events_open, skipped_events_of_consumer.
inline constexpr Sql record_skipped = R"sql(
    INSERT INTO radd.skipped_events
           (consumer, event_id, event, phase, error, plugin, plugin_version, attempts)
    SELECT $1, $2::bigint,
           coalesce((SELECT to_jsonb(e) FROM radd.events e WHERE e.id = $2::bigint),
                    jsonb_build_object('id', $2::bigint)),
           $3, $4, $5, $6,
           coalesce((SELECT max(s.attempts) FROM radd.skipped_events s
                      WHERE $3 = 'sweep' AND s.consumer = $1 AND s.event_id = $2::bigint
                        AND s.phase = 'sweep' AND s.resolution = 'retried'), 1)
    ON CONFLICT (consumer, event_id, phase) WHERE resolved_at IS NULL DO UPDATE
       SET error = excluded.error, attempts = radd.skipped_events.attempts + 1,
           plugin_version = excluded.plugin_version, skipped_at = clock_timestamp(),
           retry_requested_at = NULL)sql";

// The years are the limits that reading the stream has as well: an infinite time has no
// microseconds. Whole seconds and the rest apart, because extract() was a double before
// PostgreSQL 14. Index skipped_events_open.
inline constexpr Sql requested_retries = R"sql(
    SELECT s.id AS record_id, s.event_id, s.phase, e.event_type, e.entity_type, e.entity_id,
           e.actor_id, e.payload, e.changes, e.project_id, coalesce(e.silent, false) AS silent,
           e.automated_cause, e.traceparent,
           extract(epoch FROM date_trunc('second', t.occurred))::bigint * 1000000
               + extract(microseconds FROM t.occurred)::bigint % 1000000 AS occurred_us,
           extract(epoch FROM date_trunc('second', t.recorded))::bigint * 1000000
               + extract(microseconds FROM t.recorded)::bigint % 1000000 AS recorded_us
      FROM radd.skipped_events s
      CROSS JOIN LATERAL jsonb_to_record(s.event) AS e (
           event_type text, entity_type text, entity_id text, actor_id uuid, payload jsonb,
           changes jsonb, project_id bigint, silent boolean, automated_cause text,
           traceparent text, occurred_at timestamptz, recorded_at timestamptz)
      CROSS JOIN LATERAL (VALUES (
           greatest(least(coalesce(e.occurred_at, 'epoch'), timestamptz '9999-12-31 23:59:59Z'),
                    timestamptz '0001-01-01 00:00:00Z'),
           greatest(least(coalesce(e.recorded_at, 'epoch'), timestamptz '9999-12-31 23:59:59Z'),
                    timestamptz '0001-01-01 00:00:00Z'))) AS t (occurred, recorded)
     WHERE s.consumer = $1 AND s.resolved_at IS NULL AND s.retry_requested_at IS NOT NULL
     ORDER BY s.event_id, s.id
     LIMIT 100)sql";

// Row lock on the record: of two owners in a takeover one resolves it and the other finds nothing.
inline constexpr Sql resolve_retried = R"sql(
    UPDATE radd.skipped_events
       SET resolved_at = clock_timestamp(), resolution = 'retried', attempts = attempts + 1
     WHERE id = $1 AND resolved_at IS NULL
    RETURNING resolved_at::text AS resolved_at)sql";

// Waits for the row's lock, as settle_doubt. A retry by another owner has a time of its own, and
// what a seek has replayed since is not to be delivered here as well.
inline constexpr Sql settle_retry_doubt = R"sql(
    SELECT id FROM radd.skipped_events
     WHERE id = $1 AND resolution = 'retried' AND resolved_at = $2::timestamptz FOR SHARE)sql";

inline constexpr Sql retry_failed = R"sql(
    UPDATE radd.skipped_events
       SET error = $2, attempts = attempts + 1, plugin_version = $3,
           skipped_at = clock_timestamp(), retry_requested_at = NULL
     WHERE id = $1 AND resolved_at IS NULL)sql";

// At most $2 that were settled more than $1 days ago. What the receipt of a consumer leaves out
// stays while its events are there to be compared with: `radd verify` needs both. What is handed on
// waits for plugins that are not here yet. Index
// skipped_events_resolved, in its order.
inline constexpr Sql remove_resolved = R"sql(
    DELETE FROM radd.skipped_events WHERE id IN (
        SELECT s.id FROM radd.skipped_events s
         WHERE s.resolved_at < statement_timestamp() - $1::bigint * interval '1 day'
           AND s.resolution <> 'handed_on'
           AND NOT (s.phase IN ('plan', 'quarantine') AND s.resolution = 'retried'
                    AND EXISTS (SELECT FROM radd.consumers c
                                 WHERE c.name = s.consumer AND s.event_id > c.seeded_at
                                   AND c.seeded_at >= (SELECT radd.first_kept()) - 1))
         ORDER BY s.resolved_at LIMIT $2
         FOR UPDATE SKIP LOCKED))sql";

}  // namespace radd::consumers::sql
