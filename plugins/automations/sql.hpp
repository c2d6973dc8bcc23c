#pragma once

/// Every statement of the plugin.

#include <radd/sql.hpp>

namespace automations::sql {

/// Before it is read to be written back.
inline constexpr radd::Sql lock_rule = "SELECT id FROM automations.rules WHERE id = $1 FOR UPDATE";

/// One, or all if both are null.
inline constexpr radd::Sql list_rules = R"sql(
    SELECT id, name, plugin, definition::text AS definition, enabled, disabled_reason,
           automations.rfc3339(next_run_at) AS next_run_at, automations.rfc3339(created_at) AS created_at,
           automations.rfc3339(updated_at) AS updated_at
      FROM automations.rules
     WHERE ($1::bigint IS NULL OR id = $1) AND ($2::text IS NULL OR name = $2)
     ORDER BY id)sql";

/// By rules_by_event. In order of id: what one rule did the next one sees. A rule of a plugin only
/// if it is among $3.
inline constexpr radd::Sql started_by = R"sql(
    SELECT id, name, plugin, definition::text AS definition, enabled, disabled_reason,
           NULL AS next_run_at, '' AS created_at, '' AS updated_at
      FROM automations.rules
     WHERE enabled AND trigger_events @> ARRAY[$1::text]
       AND (project_id IS NULL OR project_id = $2)
       AND (plugin IS NULL OR name = ANY ($3::text[]))
     ORDER BY id)sql";

/// By rules_by_time. Locked: another tick passes it. A rule of a plugin only if it is among $1.
inline constexpr radd::Sql lock_due = R"sql(
    SELECT id, name, plugin, definition::text AS definition, enabled, disabled_reason,
           NULL AS next_run_at, '' AS created_at, '' AS updated_at
      FROM automations.rules
     WHERE enabled AND next_run_at <= clock_timestamp()
       AND (plugin IS NULL OR name = ANY ($1::text[]))
     ORDER BY next_run_at, id LIMIT 1
       FOR UPDATE SKIP LOCKED)sql";

inline constexpr radd::Sql count_rules = "SELECT count(*) AS rules FROM automations.rules";

inline constexpr radd::Sql insert_rule = R"sql(
    INSERT INTO automations.rules (name, plugin, definition, trigger_events, subjects, project_id,
                                   enabled, disabled_reason)
    VALUES ($1, $2, $3::jsonb, $4::text[], $8::text[], $5, $6::boolean,
            CASE WHEN $6 THEN NULL ELSE $7::text END)
    ON CONFLICT (name) DO NOTHING
    RETURNING id)sql";

/// Whether it is on is kept where `enabled` is null.
inline constexpr radd::Sql update_rule = R"sql(
    UPDATE automations.rules
       SET name = $2, definition = $3::jsonb, trigger_events = $4::text[], subjects = $8::text[],
           project_id = $5,
           enabled = coalesce($6::boolean, enabled),
           enabled_at = CASE WHEN $6 AND NOT enabled THEN clock_timestamp() ELSE enabled_at END,
           disabled_reason = CASE WHEN coalesce($6, enabled) THEN NULL
                                  ELSE coalesce(disabled_reason, $7::text) END,
           updated_at = clock_timestamp()
     WHERE id = $1)sql";

inline constexpr radd::Sql disable_rule = R"sql(
    UPDATE automations.rules
       SET enabled = false, disabled_reason = $2, updated_at = clock_timestamp()
     WHERE id = $1 AND enabled)sql";

inline constexpr radd::Sql delete_rule = "DELETE FROM automations.rules WHERE id = $1";

/// Rules on that a plugin brought and that are not among $1, with whether the plugin is among $2.
inline constexpr radd::Sql rules_not_brought = R"sql(
    SELECT id, name, plugin, plugin = ANY ($2::text[]) AS loaded FROM automations.rules
     WHERE plugin IS NOT NULL AND enabled AND name <> ALL ($1::text[])
     ORDER BY id)sql";

/// Rules are few: all of them are read.
inline constexpr radd::Sql rules_on_subject = R"sql(
    SELECT id FROM automations.rules
     WHERE enabled AND subjects @> ARRAY[$1::text]
     ORDER BY id)sql";

/// Rules that only hear of project $1, name it as their subject $2 or make items in it, with its
/// key. That is what its last event says; by now it may be the key of another project, which has
/// items made in it as well. $3: that event's
/// type. Index: events_entity.
inline constexpr radd::Sql rules_on_project = R"sql(
    WITH gone AS (
        SELECT payload->'project'->>'key' AS key FROM radd.events
         WHERE entity_type = 'project' AND entity_id = $1::text
           AND event_type = $3::text
         ORDER BY id DESC LIMIT 1)
    SELECT rules.id, gone.key
      FROM automations.rules LEFT JOIN gone ON true
     WHERE rules.enabled
       AND (rules.project_id::text = $1::text OR rules.subjects @> ARRAY[$2::text]
            OR rules.definition->'then' @> jsonb_build_array(jsonb_build_object(
                   'action', 'items.create_item',
                   'arguments', jsonb_build_object('project', gone.key)))
               AND NOT EXISTS (SELECT FROM items.projects WHERE key = gone.key))
     ORDER BY rules.id FOR UPDATE OF rules)sql";

/// A day is one of the zone: an hour that the clocks skip is the one after, and a repeated one is
/// met once.
inline constexpr radd::Sql schedule_next = R"sql(
    UPDATE automations.rules
       SET next_run_at = CASE
               WHEN $2::bigint IS NOT NULL THEN
                   clock_timestamp() + $2 * interval '1 second'
               WHEN $3::text IS NOT NULL THEN (
                   SELECT min(at)
                     FROM (SELECT ((clock_timestamp() AT TIME ZONE $4)::date + days + $3::time)
                                  AT TIME ZONE $4 AS at
                             FROM generate_series(0, 2) days) candidates
                    WHERE at > clock_timestamp())
           END
     WHERE id = $1)sql";

inline constexpr radd::Sql find_zone = "SELECT 1 AS found FROM pg_timezone_names WHERE name = $1";

/// Whether it may run: locked against removal, with its runs in the last hour, at most $2.
inline constexpr radd::Sql budget_of = R"sql(
    SELECT enabled,
           (SELECT count(*)
              FROM (SELECT at FROM automations.runs
                     WHERE rule_id = rules.id AND outcome <> 'stopped'
                     ORDER BY id DESC LIMIT $2) latest
             WHERE latest.at > greatest(clock_timestamp() - interval '1 hour', rules.enabled_at))
               AS runs
      FROM automations.rules
     WHERE id = $1
       FOR KEY SHARE OF rules)sql";

/// Nothing if the rule is gone meanwhile.
inline constexpr radd::Sql insert_run = R"sql(
    INSERT INTO automations.runs (rule_id, event_id, outcome, detail, plan, depth, took_ms)
    SELECT id, $2::bigint, $3, $4, $5::jsonb, $6::int, $7::bigint
      FROM automations.rules WHERE id = $1
       FOR KEY SHARE)sql";

/// The latest first; before $2, if that is given. Of all rules where $1 is null.
inline constexpr radd::Sql list_runs = R"sql(
    SELECT runs.id, runs.rule_id, rules.name AS rule, runs.event_id, runs.outcome, runs.detail,
           runs.plan::text AS plan, runs.depth, runs.took_ms, automations.rfc3339(runs.at) AS at
      FROM automations.runs JOIN automations.rules ON rules.id = runs.rule_id
     WHERE ($1::bigint IS NULL OR runs.rule_id = $1) AND ($2::bigint IS NULL OR runs.id < $2)
     ORDER BY runs.id DESC LIMIT $3)sql";

/// Older than $1 ms, or more than $2 rows ago; at most $3 of each.
inline constexpr radd::Sql remove_runs = R"sql(
    DELETE FROM automations.runs
     WHERE id IN ((SELECT id FROM automations.runs
                    WHERE at < clock_timestamp() - $1::bigint * interval '1 millisecond'
                    ORDER BY at LIMIT $3)
                  UNION ALL
                  (SELECT id FROM automations.runs
                    WHERE id <= (SELECT max(id) FROM automations.runs) - $2::bigint
                    ORDER BY id LIMIT $3)))sql";

inline constexpr radd::Sql describe_rules = R"sql(
    SELECT id, name, enabled FROM automations.rules WHERE id = ANY ($1::bigint[]))sql";

}  // namespace automations::sql
