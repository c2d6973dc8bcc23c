#pragma once

/// Every statement of this plugin. Times of clocks cross as microseconds since 1970, and what
/// people read as RFC 3339 in UTC.

#include <radd/sql.hpp>

namespace sla::sql {

// Calendars.

constexpr radd::Sql list_calendars = R"sql(
    SELECT id, name, zone, hours, holidays
    FROM sla.calendars WHERE $1::bigint IS NULL OR id = $1 ORDER BY lower(name), id)sql";

constexpr radd::Sql count_calendars = "SELECT count(*) AS total FROM sla.calendars";

constexpr radd::Sql lock_calendar = "SELECT id FROM sla.calendars WHERE id = $1 FOR UPDATE";

// No row if the name is taken.
constexpr radd::Sql insert_calendar = R"sql(
    INSERT INTO sla.calendars (name, zone, hours, holidays)
    VALUES ($1, $2, $3::jsonb, $4::jsonb)
    ON CONFLICT (name) DO NOTHING RETURNING id)sql";

constexpr radd::Sql select_other_of_name =
    "SELECT id FROM sla.calendars WHERE name = $2 AND id <> $1::bigint";

constexpr radd::Sql update_calendar = R"sql(
    UPDATE sla.calendars SET name = $2, zone = $3, hours = $4::jsonb, holidays = $5::jsonb,
                             updated_at = clock_timestamp()
    WHERE id = $1)sql";

constexpr radd::Sql delete_calendar = "DELETE FROM sla.calendars WHERE id = $1";

// Index: policies_of_calendar.
constexpr radd::Sql first_policy_of_calendar = R"sql(
    SELECT name FROM sla.policies WHERE calendar_id = $1 ORDER BY id LIMIT 1)sql";

// Policies. Index: policies_of_project.

constexpr radd::Sql list_policies = R"sql(
    SELECT p.id, p.project_id, project.key AS project_key, p.name, p.position, p.enabled,
           to_json(p.types) AS types, to_json(p.priorities) AS priorities,
           to_json(p.labels) AS labels, p.calendar_id, calendar.name AS calendar_name,
           to_json(p.pause_states) AS pause_states, p.targets, p.alarm_for_past
    FROM sla.policies p
    JOIN items.projects project ON project.id = p.project_id
    JOIN sla.calendars calendar ON calendar.id = p.calendar_id
    WHERE ($1::bigint IS NULL OR p.id = $1) AND ($2::text IS NULL OR project.key = $2)
    ORDER BY project.key, p.position, p.id)sql";

constexpr radd::Sql count_policies =
    "SELECT count(*) AS total FROM sla.policies WHERE project_id = $1";

constexpr radd::Sql lock_policy = "SELECT id FROM sla.policies WHERE id = $1 FOR NO KEY UPDATE";

constexpr radd::Sql find_project = "SELECT id FROM items.projects WHERE key = $1";

// One that is being deleted is waited for, and then is not there.
constexpr radd::Sql lock_project = "SELECT id FROM items.projects WHERE key = $1 FOR KEY SHARE";

// Before the policy: its deletion comes from the project.
constexpr radd::Sql hold_project_of = R"sql(
    SELECT p.id FROM items.projects p JOIN sla.policies q ON q.project_id = p.id
    WHERE q.id = $1 FOR KEY SHARE OF p)sql";

constexpr radd::Sql insert_policy = R"sql(
    INSERT INTO sla.policies (project_id, name, position, enabled, types, priorities, labels,
                              calendar_id, pause_states, targets, alarm_for_past)
    VALUES ($1, $2, $3, $4, $5::text[], $6::text[], $7::text[], $8, $9::text[], $10::jsonb, $11)
    RETURNING id)sql";

constexpr radd::Sql update_policy = R"sql(
    UPDATE sla.policies
    SET name = $2, position = $3, enabled = $4, types = $5::text[], priorities = $6::text[],
        labels = $7::text[], calendar_id = $8, pause_states = $9::text[], targets = $10::jsonb,
        alarm_for_past = $11, updated_at = clock_timestamp()
    WHERE id = $1)sql";

constexpr radd::Sql delete_policy = "DELETE FROM sla.policies WHERE id = $1 RETURNING project_id";

constexpr radd::Sql refresh_project = R"sql(
    INSERT INTO sla.refreshes (project_id, changed_at) VALUES ($1, clock_timestamp())
    ON CONFLICT (project_id) DO UPDATE
        SET changed_at = excluded.changed_at, after_item = 0, not_before = '-infinity')sql";

// Without those that are being deleted, which are waited for.
constexpr radd::Sql refresh_projects_of_calendar = R"sql(
    WITH held AS MATERIALIZED (
        SELECT p.id FROM items.projects p
        WHERE p.id IN (SELECT project_id FROM sla.policies WHERE calendar_id = $1)
        ORDER BY p.id FOR KEY SHARE)
    INSERT INTO sla.refreshes (project_id, changed_at)
    SELECT id, clock_timestamp() FROM held
    ON CONFLICT (project_id) DO UPDATE
        SET changed_at = excluded.changed_at, after_item = 0, not_before = '-infinity')sql";

// Histories. One at a time computes clocks: the consumer in the order of the stream and a refresh
// in the order of items would else wait for each other.
constexpr radd::Sql computing = "SELECT pg_advisory_xact_lock(7301, 81)";

// Nothing for an item that is gone: an event of a replay.
constexpr radd::Sql touch_history = R"sql(
    INSERT INTO sla.histories AS h (item_id, imported_at, as_of)
    SELECT i.id, 'epoch'::timestamptz + $2::float8 * interval '1 microsecond', $3::bigint
    FROM items.items i WHERE i.id = $1::bigint
    ON CONFLICT (item_id) DO UPDATE
        SET as_of = greatest(h.as_of, excluded.as_of),
            imported_at = coalesce(h.imported_at, excluded.imported_at)
    RETURNING item_id)sql";

constexpr radd::Sql insert_state_change = R"sql(
    INSERT INTO sla.state_changes (item_id, event_id, at, from_state, from_category, to_state,
                                   to_category)
    VALUES ($1, $2, 'epoch'::timestamptz + $3::float8 * interval '1 microsecond', $4, $5, $6, $7)
    ON CONFLICT (item_id, event_id) DO NOTHING)sql";

constexpr radd::Sql delete_history = "DELETE FROM sla.histories WHERE item_id = $1";
constexpr radd::Sql delete_state_changes = "DELETE FROM sla.state_changes WHERE item_id = $1";
constexpr radd::Sql delete_clocks = "DELETE FROM sla.clocks WHERE item_id = $1";

// The item with the first policy that it fits, if any. What was overdue when the rules were last
// changed, or before the item came here, raises no alarm. A policy that goes with its project is
// waited for: clocks of one that is gone would be refused, and the event with them.
constexpr radd::Sql select_item = R"sql(
    SELECT (extract(epoch FROM i.created_at) * 1000000)::bigint AS created_us,
           state.name AS state, state.category,
           p.id AS policy_id, p.targets, to_json(p.pause_states) AS pause_states,
           c.zone, c.hours, c.holidays,
           (extract(epoch FROM h.imported_at) * 1000000)::bigint AS imported_us,
           CASE WHEN p.alarm_for_past THEN NULL
                ELSE (extract(epoch FROM greatest(h.imported_at, p.created_at, r.changed_at))
                      * 1000000)::bigint END AS alarm_from_us
    FROM items.items i
    JOIN items.states state ON state.id = i.state_id
    JOIN sla.histories h ON h.item_id = i.id
    LEFT JOIN sla.refreshes r ON r.project_id = i.project_id
    LEFT JOIN LATERAL (
        SELECT q.id, q.targets, q.pause_states, q.calendar_id, q.alarm_for_past, q.created_at
        FROM sla.policies q
        WHERE q.project_id = i.project_id AND q.enabled
          AND (q.types = '{}' OR i.type = ANY (q.types))
          AND (q.priorities = '{}' OR i.priority = ANY (q.priorities))
          AND (q.labels = '{}' OR i.labels && q.labels)
        ORDER BY q.position, q.id LIMIT 1
        FOR KEY SHARE) p ON true
    LEFT JOIN sla.calendars c ON c.id = p.calendar_id
    WHERE i.id = $1)sql";

constexpr radd::Sql select_state_changes = R"sql(
    SELECT event_id, (extract(epoch FROM at) * 1000000)::bigint AS at_us,
           from_state, from_category, to_state, to_category
    FROM sla.state_changes WHERE item_id = $1 ORDER BY at, event_id)sql";

// $3 is who automations act as: a machine's comment is no response. Index: comments_by_item.
constexpr radd::Sql select_first_response = R"sql(
    SELECT (extract(epoch FROM min(c.created_at)) * 1000000)::bigint AS at_us
    FROM items.comments c JOIN items.items i ON i.id = c.item_id
    WHERE c.item_id = $1
      AND c.created_at >= 'epoch'::timestamptz + $2::float8 * interval '1 microsecond'
      AND c.author_id <> $3::uuid AND c.author_id IS DISTINCT FROM i.reporter_id)sql";

// What has been told stays told, and a promise that was kept stays kept, though the comment that
// kept it be deleted.
constexpr radd::Sql upsert_clock = R"sql(
    INSERT INTO sla.clocks AS c (item_id, policy_id, target, life, began_at, followed, paused,
                                 remaining_ms, due_soon_at, due_at, met_at, alarm_from)
    VALUES ($1, $2, $3, $4, 'epoch'::timestamptz + $5::float8 * interval '1 microsecond', true, $6,
            $7, 'epoch'::timestamptz + $8::float8 * interval '1 microsecond',
            'epoch'::timestamptz + $9::float8 * interval '1 microsecond',
            'epoch'::timestamptz + $10::float8 * interval '1 microsecond',
            coalesce('epoch'::timestamptz + $11::float8 * interval '1 microsecond', '-infinity'))
    ON CONFLICT (item_id, policy_id, target, life) DO UPDATE
        SET began_at = excluded.began_at, followed = true, paused = excluded.paused,
            remaining_ms = excluded.remaining_ms, due_soon_at = excluded.due_soon_at,
            due_at = excluded.due_at, met_at = coalesce(excluded.met_at, c.met_at),
            alarm_from = CASE WHEN excluded.alarm_from = '-infinity'
                                OR (excluded.due_at, excluded.due_soon_at)
                                   IS DISTINCT FROM (c.due_at, c.due_soon_at)
                              THEN excluded.alarm_from ELSE c.alarm_from END)sql";

constexpr radd::Sql delete_life = "DELETE FROM sla.clocks WHERE item_id = $1 AND life = $2";

// Of this life, what no policy asks for any more; of earlier ones, what never ended.
constexpr radd::Sql drop_other_clocks = R"sql(
    UPDATE sla.clocks SET followed = false
    WHERE item_id = $1 AND followed AND NOT (policy_id = $2::bigint AND target = ANY ($3::text[]))
      AND (life = $4::bigint OR met_at IS NULL))sql";

// Refreshes.

// None of a project that is being deleted, whose policies go with it.
constexpr radd::Sql take_refresh = R"sql(
    SELECT r.project_id, r.after_item
    FROM sla.refreshes r JOIN items.projects p ON p.id = r.project_id
    WHERE r.not_before <= clock_timestamp()
    ORDER BY r.changed_at, r.project_id LIMIT 1 FOR KEY SHARE OF p SKIP LOCKED FOR UPDATE OF r)sql";

constexpr radd::Sql defer_refresh = R"sql(
    UPDATE sla.refreshes SET not_before = clock_timestamp() + $2::bigint * interval '1 millisecond'
    WHERE project_id = $1)sql";

// Indexes: items_by_project, histories_pkey.
constexpr radd::Sql list_open_items = R"sql(
    SELECT i.id FROM items.items i
    JOIN items.states state ON state.id = i.state_id
    JOIN sla.histories h ON h.item_id = i.id
    WHERE i.project_id = $1 AND i.id > $2 AND state.category <> 'done'
    ORDER BY i.id LIMIT $3::bigint)sql";

constexpr radd::Sql move_refresh = "UPDATE sla.refreshes SET after_item = $2 WHERE project_id = $1";
constexpr radd::Sql end_refresh = "DELETE FROM sla.refreshes WHERE project_id = $1";

// Alarms. Index: clocks_by_alarm. What another transaction is at comes with a later tick.
constexpr radd::Sql take_due = R"sql(
    SELECT c.item_id, c.policy_id, p.name AS policy_name, c.target, c.life,
           (extract(epoch FROM c.alarm_at) * 1000000)::bigint AS alarm_us,
           c.due_at = c.alarm_at OR c.due_at <= clock_timestamp() AND c.due_at >= c.alarm_from
               AS is_breach,
           to_char(c.due_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS due_at,
           to_char(c.began_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS began_at
    FROM sla.clocks c JOIN sla.policies p ON p.id = c.policy_id
    WHERE c.alarm_at <= clock_timestamp()
      AND (c.alarm_at, c.item_id, c.policy_id, c.target, c.life)
          > ('epoch'::timestamptz + $1::float8 * interval '1 microsecond', $2::bigint, $3::bigint, $4::text, $5::bigint)
      AND NOT EXISTS (SELECT FROM sla.refreshes r WHERE r.project_id = p.project_id)
    ORDER BY c.alarm_at, c.item_id, c.policy_id, c.target, c.life
    LIMIT $6::bigint FOR UPDATE OF c SKIP LOCKED)sql";

// Whoever changes an item or comments on it holds this lock until the commit.
constexpr radd::Sql lock_item =
    "SELECT project_id FROM items.items WHERE id = $1 FOR UPDATE SKIP LOCKED";

// A statement of its own, after the lock: it must see what was committed before. Indexes:
// events_entity, comments_by_item.
constexpr radd::Sql is_read_to_the_end = R"sql(
    SELECT h.item_id FROM sla.histories h JOIN items.items i ON i.id = h.item_id
    WHERE h.item_id = $1::bigint
      AND NOT EXISTS (SELECT FROM radd.events e
                      WHERE e.entity_type = $2 AND e.entity_id = $1::bigint::text
                        AND e.id > h.as_of AND e.event_type = ANY ($3::text[]))
      AND NOT EXISTS (SELECT FROM sla.clocks k JOIN items.comments c ON c.item_id = k.item_id
                      WHERE k.item_id = $1 AND k.policy_id = $4 AND k.target = $5 AND k.life = $6
                        AND k.target = 'first_response' AND k.met_at IS NULL
                        AND c.created_at >= k.began_at AND c.author_id <> $7::uuid
                        AND c.author_id IS DISTINCT FROM i.reporter_id))sql";

constexpr radd::Sql set_breach_sent = R"sql(
    UPDATE sla.clocks SET breach_sent_at = clock_timestamp()
    WHERE item_id = $1 AND policy_id = $2 AND target = $3 AND life = $4)sql";

constexpr radd::Sql set_due_soon_sent = R"sql(
    UPDATE sla.clocks SET due_soon_sent_at = clock_timestamp()
    WHERE item_id = $1 AND policy_id = $2 AND target = $3 AND life = $4)sql";

// What people look at.

// What runs, the most urgent first. $3 is null after the last clock that is due at all. Index:
// clocks_open.
constexpr radd::Sql list_open_clocks = R"sql(
    SELECT d.item_id, d.key, d.title, d.project_key, d.policy_id, d.policy_name, d.target, d.life,
           d.state, d.remaining_ms, d.began_at, d.due_soon_at, d.due_at, d.due_us, d.met_at,
           d.due_soon_sent_at, d.breach_sent_at
    FROM sla.clocks c JOIN sla.clock_details d USING (item_id, policy_id, target, life)
    WHERE c.followed AND c.met_at IS NULL
      AND ($1::text IS NULL OR d.project_key = $1) AND ($2::text IS NULL OR d.state = $2)
      AND (coalesce(c.due_at, 'infinity'), c.item_id, c.policy_id, c.target, c.life)
          > (coalesce('epoch'::timestamptz + $3::float8 * interval '1 microsecond', 'infinity'),
             $4::bigint, $5::bigint, $6::text, $7::bigint)
    ORDER BY coalesce(c.due_at, 'infinity'), c.item_id, c.policy_id, c.target, c.life
    LIMIT $8::bigint)sql";

// Of one item, with what has ended; the latest life first. Index: clocks_pkey.
constexpr radd::Sql list_clocks_of_item = R"sql(
    SELECT item_id, key, title, project_key, policy_id, policy_name, target, life, state,
           remaining_ms, began_at, due_soon_at, due_at, due_us, met_at, due_soon_sent_at,
           breach_sent_at
    FROM sla.clock_details WHERE item_id = $1 AND followed
    ORDER BY life DESC, target, policy_id LIMIT $2::bigint)sql";

constexpr radd::Sql find_item = "SELECT id FROM items.items WHERE key = $1";

}  // namespace sla::sql
