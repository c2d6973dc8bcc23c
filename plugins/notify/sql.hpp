#pragma once

/// Every statement about notices, preferences and digests; watch_sql.hpp has those of the graph.

#include <radd/sql.hpp>

namespace notify::sql {

// Tells people of one event. $1 event or null, $2 item, $3 comment, $4 actor, $5 cause, $6 detail;
// then one element a person: $7 who, $8 kind, $9 to $11 defaults of the kind, $12 whether muting
// the item leaves it out; $13 mails in an hour. No row for the actor, for who has no account in
// force and so may not read the item, for who wants it nowhere, and for who was told before.
// Indexes notices_mailed, notices_person_id_event_id_key and primary keys.
constexpr radd::Sql insert_notices = R"sql(
    INSERT INTO notify.notices (person_id, event_id, kind, item_id, comment_id, actor_id, automated,
                                detail, in_inbox, in_digest, mail, over_limit)
    SELECT p.id, $1::bigint, t.kind, i.id, $3::bigint, $4::uuid, $5, $6::jsonb,
           want.inbox, want.digest OR (want.mail AND mailed.is_over),
           want.mail AND NOT mailed.is_over, want.mail AND mailed.is_over
      FROM unnest($7::uuid[], $8::text[], $9::boolean[], $10::boolean[], $11::boolean[],
                  $12::boolean[]) AS t (person_id, kind, inbox, mail, digest, can_mute)
      JOIN items.items i ON i.id = $2::bigint
      JOIN items.people p ON p.id = t.person_id
      JOIN radd.accounts a ON a.id = p.id AND a.disabled_at IS NULL
      LEFT JOIN notify.preferences f ON f.person_id = p.id AND f.kind = t.kind
     CROSS JOIN LATERAL (
           SELECT coalesce(f.inbox, t.inbox) AS inbox,
                  coalesce(f.mail, t.mail) AND p.email IS NOT NULL AS mail,
                  coalesce(f.digest, t.digest) AS digest) AS want
     CROSS JOIN LATERAL (
           SELECT count(*) >= $13::bigint AS is_over
             FROM (SELECT FROM notify.notices n
                    WHERE n.person_id = p.id AND n.mail
                      AND n.created_at > now() - interval '1 hour' LIMIT $13::bigint) AS recent)
           AS mailed
     WHERE p.id IS DISTINCT FROM $4::uuid
       AND (want.inbox OR want.mail OR want.digest)
       AND NOT (t.can_mute AND EXISTS (SELECT FROM notify.mutes m
                                        WHERE m.item_id = i.id AND m.person_id = p.id))
    ON CONFLICT (person_id, event_id) DO NOTHING
    RETURNING id, person_id, mail)sql";

// So that the digest finds them. $1 people, $2 zone, $3 hour.
constexpr radd::Sql ensure_people = R"sql(
    INSERT INTO notify.people (person_id, zone, digest_hour)
    SELECT p, $2, $3::smallint FROM unnest($1::uuid[]) AS p
    ON CONFLICT DO NOTHING)sql";

constexpr radd::Sql delete_notices_of_item =
    "DELETE FROM notify.notices WHERE item_id = $1::bigint";
constexpr radd::Sql delete_notices_of_comment =
    "DELETE FROM notify.notices WHERE comment_id = $1::bigint";

// The inbox. Items and names are as they are now. $1 person, $2 archived ones, $3 unread ones only,
// $4 before this notice, $5 size. Index notices_inbox.
constexpr radd::Sql list_inbox = R"sql(
    SELECT n.id, n.kind, n.event_id, n.item_id, i.key AS item_key, i.title AS item_title,
           n.actor_id, actor.name AS actor_name, n.automated, n.detail::text AS detail,
           left(c.body, 280) AS excerpt, n.mail, n.in_digest, n.digest_id, n.mail_outcome,
           n.mail_detail,
           EXISTS (SELECT FROM notify.mutes m
                    WHERE m.item_id = n.item_id AND m.person_id = n.person_id) AS muted,
           to_char(n.emailed_at AT TIME ZONE 'UTC', time.format) AS emailed_at,
           to_char(n.created_at AT TIME ZONE 'UTC', time.format) AS created_at,
           to_char(n.read_at AT TIME ZONE 'UTC', time.format) AS read_at,
           to_char(n.archived_at AT TIME ZONE 'UTC', time.format) AS archived_at
      FROM (SELECT 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"' AS format) AS time, notify.notices n
      JOIN items.items i ON i.id = n.item_id
      LEFT JOIN items.people actor ON actor.id = n.actor_id
      LEFT JOIN items.comments c ON c.id = n.comment_id
     WHERE n.person_id = $1::uuid AND n.in_inbox
       AND (n.archived_at IS NOT NULL) = $2::boolean
       AND (NOT $3::boolean OR n.read_at IS NULL)
       AND ($4::bigint IS NULL OR n.id < $4::bigint)
     ORDER BY n.id DESC LIMIT $5)sql";

// Index notices_unread.
constexpr radd::Sql count_unread = R"sql(
    SELECT count(*) AS unread
      FROM (SELECT FROM notify.notices n JOIN items.items i ON i.id = n.item_id
             WHERE n.person_id = $1::uuid AND n.in_inbox AND n.read_at IS NULL
               AND n.archived_at IS NULL
             LIMIT $2) AS unread)sql";

// $3 and $4: null leaves it. A notice that is archived has been seen.
constexpr radd::Sql mark_notice = R"sql(
    UPDATE notify.notices
       SET read_at = CASE WHEN $3::boolean OR $4::boolean THEN coalesce(read_at, now())
                          WHEN $3::boolean IS NULL THEN read_at END,
           archived_at = CASE WHEN $4::boolean THEN coalesce(archived_at, now())
                              WHEN $4::boolean IS NULL THEN archived_at END
     WHERE person_id = $1::uuid AND id = $2::bigint AND in_inbox
    RETURNING id)sql";

// Index notices_unread.
constexpr radd::Sql mark_read_through = R"sql(
    UPDATE notify.notices SET read_at = now()
     WHERE person_id = $1::uuid AND id <= $2::bigint AND in_inbox AND read_at IS NULL
       AND archived_at IS NULL)sql";

// What a mail about one notice needs. The address is read when it is mailed and not before, so that
// nothing goes to one that was taken away.
constexpr radd::Sql select_letter = R"sql(
    SELECT n.id, n.kind, n.item_id, i.key AS item_key, i.title AS item_title,
           actor.name AS actor_name, n.actor_id, n.automated, n.detail::text AS detail,
           left(c.body, 280) AS excerpt, n.emailed_at IS NOT NULL AS is_finished,
           coalesce(n.mail_outcome = 'sent', false) AS is_sent, p.email, p.name
      FROM notify.notices n
      JOIN items.items i ON i.id = n.item_id
      JOIN items.people p ON p.id = n.person_id
      JOIN radd.accounts a ON a.id = p.id AND a.disabled_at IS NULL
      LEFT JOIN items.people actor ON actor.id = n.actor_id
      LEFT JOIN items.comments c ON c.id = n.comment_id
     WHERE n.id = $1::bigint)sql";

constexpr radd::Sql finish_mail = R"sql(
    UPDATE notify.notices SET emailed_at = clock_timestamp(), mail_outcome = $2, mail_detail = $3
     WHERE id = $1::bigint AND mail_outcome IS DISTINCT FROM 'sent')sql";

// Digests. Times cross as microseconds since 1970.

constexpr radd::Sql select_now = R"sql(
    SELECT floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now_us)sql";

// Index people_by_digest. Another host's rows are passed.
constexpr radd::Sql claim_people = R"sql(
    SELECT person_id, zone, digest_hour, next_digest_at IS NOT NULL AS is_due
      FROM notify.people
     WHERE next_digest_at IS NULL
        OR next_digest_at <= 'epoch'::timestamptz + $1::bigint * interval '1 microsecond'
     ORDER BY next_digest_at NULLS FIRST, person_id LIMIT $2
     FOR UPDATE SKIP LOCKED)sql";

constexpr radd::Sql set_next_digest = R"sql(
    UPDATE notify.people
       SET next_digest_at = 'epoch'::timestamptz + $2::bigint * interval '1 microsecond'
     WHERE person_id = $1::uuid)sql";

// No row if there is nothing to tell, nobody to tell it to, or they had one on this day. What was
// mailed, or waits to be, is in none. Indexes notices_for_digest, digests_person_id_day_key.
constexpr radd::Sql insert_digest = R"sql(
    INSERT INTO notify.digests (person_id, day)
    SELECT p.id, $2::date FROM items.people p
      JOIN radd.accounts a ON a.id = p.id AND a.disabled_at IS NULL
     WHERE p.id = $1::uuid AND p.email IS NOT NULL
       AND EXISTS (SELECT FROM notify.notices n
                    WHERE n.person_id = $1::uuid AND n.in_digest AND NOT n.mail
                      AND n.digest_id IS NULL AND n.read_at IS NULL AND n.archived_at IS NULL)
    ON CONFLICT DO NOTHING
    RETURNING id)sql";

// The oldest; what is more is in the next. $3 how many.
constexpr radd::Sql fill_digest = R"sql(
    UPDATE notify.notices SET digest_id = $2
     WHERE id IN (SELECT id FROM notify.notices
                   WHERE person_id = $1::uuid AND in_digest AND NOT mail AND digest_id IS NULL
                     AND read_at IS NULL AND archived_at IS NULL
                   ORDER BY id LIMIT $3))sql";

constexpr radd::Sql select_digest = R"sql(
    SELECT d.id, d.day::text AS day, d.finished_at IS NOT NULL AS is_finished,
           coalesce(d.outcome = 'sent', false) AS is_sent, p.email, p.name
      FROM notify.digests d
      JOIN items.people p ON p.id = d.person_id
      JOIN radd.accounts a ON a.id = p.id AND a.disabled_at IS NULL
     WHERE d.id = $1::bigint)sql";

// $2: one more than are shown. Index notices_of_digest.
constexpr radd::Sql select_digest_lines = R"sql(
    SELECT n.id, n.kind, n.item_id, i.key AS item_key, i.title AS item_title,
           actor.name AS actor_name, n.actor_id, n.automated, n.detail::text AS detail,
           left(c.body, 280) AS excerpt, count(*) OVER () AS total
      FROM notify.notices n
      JOIN items.items i ON i.id = n.item_id
      LEFT JOIN items.people actor ON actor.id = n.actor_id
      LEFT JOIN items.comments c ON c.id = n.comment_id
     WHERE n.digest_id = $1::bigint
     ORDER BY n.item_id, n.id LIMIT $2)sql";

constexpr radd::Sql finish_digest = R"sql(
    WITH finished AS (
        UPDATE notify.digests
           SET finished_at = clock_timestamp(), outcome = $2, outcome_detail = $3
         WHERE id = $1::bigint AND outcome IS DISTINCT FROM 'sent'
        RETURNING id)
    UPDATE notify.notices n SET emailed_at = clock_timestamp(), mail_outcome = $2, mail_detail = $3
      FROM finished WHERE n.digest_id = finished.id)sql";

// Preferences.

constexpr radd::Sql select_preferences = R"sql(
    SELECT kind, inbox, mail, digest FROM notify.preferences WHERE person_id = $1::uuid)sql";

constexpr radd::Sql set_preference = R"sql(
    INSERT INTO notify.preferences (person_id, kind, inbox, mail, digest)
    VALUES ($1::uuid, $2, $3, $4, $5)
    ON CONFLICT (person_id, kind) DO UPDATE
       SET inbox = excluded.inbox, mail = excluded.mail, digest = excluded.digest)sql";

constexpr radd::Sql select_person = R"sql(
    SELECT p.email, n.zone, n.digest_hour,
           floor(extract(epoch FROM n.next_digest_at) * 1000000)::bigint AS next_digest_us,
           (SELECT max(d.day)::text FROM notify.digests d WHERE d.person_id = p.id) AS last_digest_on
      FROM items.people p LEFT JOIN notify.people n ON n.person_id = p.id
     WHERE p.id = $1::uuid)sql";

constexpr radd::Sql set_digest_time = R"sql(
    INSERT INTO notify.people (person_id, zone, digest_hour, next_digest_at)
    VALUES ($1::uuid, $2, $3::smallint,
            'epoch'::timestamptz + $4::bigint * interval '1 microsecond')
    ON CONFLICT (person_id) DO UPDATE
       SET zone = excluded.zone, digest_hour = excluded.digest_hour,
           next_digest_at = excluded.next_digest_at)sql";

// For operators, the latest first: those whose delivery is still to come. $1 size, $2 queue.
// Indexes notices_unfinished, deliveries_key, deliveries_replays.
constexpr radd::Sql list_waiting_mails = R"sql(
    SELECT n.id, n.kind, p.name AS person, i.key AS item_key, n.mail_outcome, n.mail_detail,
           to_char(n.created_at AT TIME ZONE 'UTC', time.format) AS created_at,
           to_char(n.emailed_at AT TIME ZONE 'UTC', time.format) AS emailed_at
      FROM (SELECT 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"' AS format) AS time, notify.notices n
      JOIN items.people p ON p.id = n.person_id
      JOIN items.items i ON i.id = n.item_id
     WHERE n.mail AND n.emailed_at IS NULL
       AND EXISTS (SELECT FROM radd.deliveries d
                     LEFT JOIN radd.deliveries again ON again.replay_of = d.id
                    WHERE d.queue = $2 AND d.key = 'notice/' || n.id
                      AND 'pending' IN (d.state, again.state))
     ORDER BY n.id DESC LIMIT $1)sql";

// The same, without a queue. Index notices_given_up.
constexpr radd::Sql list_given_up_mails = R"sql(
    SELECT n.id, n.kind, p.name AS person, i.key AS item_key, n.mail_outcome, n.mail_detail,
           to_char(n.created_at AT TIME ZONE 'UTC', time.format) AS created_at,
           to_char(n.emailed_at AT TIME ZONE 'UTC', time.format) AS emailed_at
      FROM (SELECT 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"' AS format) AS time, notify.notices n
      JOIN items.people p ON p.id = n.person_id
      JOIN items.items i ON i.id = n.item_id
     WHERE n.mail_outcome = 'given_up'
     ORDER BY n.id DESC LIMIT $1)sql";

// $1 age in ms, $2 how many, $3 queue. What is still to be mailed stays; what an operator has
// cancelled is not. Indexes notices_by_time, deliveries_key, deliveries_replays.
constexpr radd::Sql remove_notices = R"sql(
    DELETE FROM notify.notices WHERE id IN (
        SELECT n.id FROM notify.notices n
         WHERE n.created_at < statement_timestamp() - $1::bigint * interval '1 millisecond'
           AND NOT (n.mail AND n.emailed_at IS NULL
                    AND EXISTS (SELECT FROM radd.deliveries d
                                  LEFT JOIN radd.deliveries again ON again.replay_of = d.id
                                 WHERE d.queue = $3 AND d.key = 'notice/' || n.id
                                   AND 'pending' IN (d.state, again.state)))
         ORDER BY n.created_at LIMIT $2
         FOR UPDATE SKIP LOCKED))sql";

// The same. One that has notices stays with them, or the next digest would tell of them again.
// Indexes digests_by_time, notices_of_digest, deliveries_key, deliveries_replays.
constexpr radd::Sql remove_digests = R"sql(
    DELETE FROM notify.digests WHERE id IN (
        SELECT g.id FROM notify.digests g
         WHERE g.created_at < statement_timestamp() - $1::bigint * interval '1 millisecond'
           AND NOT EXISTS (SELECT FROM notify.notices n WHERE n.digest_id = g.id)
           AND NOT (g.finished_at IS NULL
                    AND EXISTS (SELECT FROM radd.deliveries d
                                  LEFT JOIN radd.deliveries again ON again.replay_of = d.id
                                 WHERE d.queue = $3 AND d.key = 'digest/' || g.id
                                   AND 'pending' IN (d.state, again.state)))
         ORDER BY g.created_at LIMIT $2
         FOR UPDATE SKIP LOCKED))sql";

}  // namespace notify::sql
