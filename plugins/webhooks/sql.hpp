#pragma once

/// Every statement of webhooks. Endpoints are few: all of them may be read for an event.

#include <radd/sql.hpp>

namespace webhooks::sql {

constexpr radd::Sql select_time = R"sql(
    SELECT (extract(epoch FROM now()) * 1000000)::bigint AS now_us)sql";

// $1 type, $2 entity type, $3 project, $4 it is an event about webhooks themselves, $5 the endpoint
// it is about. Such events go only where a filter names them in full, and never to the endpoint
// they are about: a failing endpoint would else be told of its own failures, without end.
inline constexpr radd::Sql matching_endpoints = R"sql(
    SELECT id, format FROM webhooks.endpoints
     WHERE enabled
       AND CASE WHEN $4 THEN $1 = ANY (event_types) AND id::text IS DISTINCT FROM $5::text
                ELSE event_types = '{}' OR $1 = ANY (event_types)
                     OR EXISTS (SELECT FROM unnest(event_types) AS t (pattern)
                                 WHERE pattern LIKE '%.*' AND starts_with($1, rtrim(pattern, '*')))
                END
       AND (entity_types = '{}' OR $2 = ANY (entity_types))
       AND (project_ids = '{}' OR $3::bigint = ANY (project_ids))
     ORDER BY id)sql";

inline constexpr radd::Sql insert_endpoint = R"sql(
    INSERT INTO webhooks.endpoints (name, url, format, event_types, entity_types, project_ids, secret)
    VALUES ($1, $2, $3, $4::text[], $5::text[], $6::bigint[], '')
    RETURNING id)sql";

inline constexpr radd::Sql set_secret = R"sql(
    UPDATE webhooks.endpoints
       SET old_secret = CASE WHEN secret <> '' AND $3::bigint > 0 THEN secret END,
           old_secret_until = CASE WHEN secret <> '' AND $3::bigint > 0
               THEN clock_timestamp() + $3::bigint * interval '1 millisecond' END,
           secret = $2, updated_at = clock_timestamp()
     WHERE id = $1)sql";

inline constexpr radd::Sql update_endpoint = R"sql(
    UPDATE webhooks.endpoints
       SET name = $2, url = $3, format = $4, event_types = $5::text[], entity_types = $6::text[],
           project_ids = $7::bigint[], updated_at = clock_timestamp(),
           failing_since = CASE WHEN $8 AND NOT enabled THEN NULL ELSE failing_since END,
           disabled_at = CASE WHEN NOT $8 THEN coalesce(disabled_at, clock_timestamp()) END,
           disabled_reason = CASE WHEN NOT $8 THEN coalesce(disabled_reason, 'switched off') END,
           enabled = $8
     WHERE id = $1)sql";

inline constexpr radd::Sql delete_endpoint = "DELETE FROM webhooks.endpoints WHERE id = $1";

// With a lock, so that events of one endpoint are in the order of its changes.
inline constexpr radd::Sql lock_endpoint =
    "SELECT enabled FROM webhooks.endpoints WHERE id = $1 FOR UPDATE";

// None of them is switched on meanwhile. Who switches one is not waited for.
inline constexpr radd::Sql hold_disabled_endpoints = R"sql(
    SELECT id FROM webhooks.endpoints WHERE NOT enabled ORDER BY id FOR SHARE SKIP LOCKED)sql";

inline constexpr radd::Sql list_endpoints = R"sql(
    SELECT e.id, e.name, e.url, e.format, e.enabled, e.disabled_reason,
           array_to_json(e.event_types) AS event_types,
           array_to_json(e.entity_types) AS entity_types,
           array_to_json(e.project_ids) AS project_ids,
           to_char(e.failing_since AT TIME ZONE 'UTC', time.format) AS failing_since,
           to_char(e.disabled_at AT TIME ZONE 'UTC', time.format) AS disabled_at,
           to_char(e.old_secret_until AT TIME ZONE 'UTC', time.format) AS old_secret_until,
           to_char(e.created_at AT TIME ZONE 'UTC', time.format) AS created_at
      FROM (SELECT 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"' AS format) AS time, webhooks.endpoints e
     WHERE $1::bigint IS NULL OR e.id = $1::bigint
     ORDER BY e.id)sql";

inline constexpr radd::Sql endpoint_to_call = R"sql(
    SELECT url, format, enabled, secret,
           CASE WHEN old_secret_until > statement_timestamp() THEN old_secret END AS old_secret
      FROM webhooks.endpoints WHERE id = $1)sql";

inline constexpr radd::Sql insert_attempt = R"sql(
    INSERT INTO webhooks.attempts (endpoint_id, delivery_id, attempt, outcome, status, detail, took_ms)
    VALUES ($1, $2, $3, $4, $5::int, $6, $7))sql";

inline constexpr radd::Sql note_success = R"sql(
    UPDATE webhooks.endpoints SET failing_since = NULL
     WHERE id = $1 AND failing_since IS NOT NULL)sql";

inline constexpr radd::Sql note_failure = R"sql(
    UPDATE webhooks.endpoints SET failing_since = clock_timestamp()
     WHERE id = $1 AND failing_since IS NULL)sql";

inline constexpr radd::Sql has_failed_for = R"sql(
    SELECT id FROM webhooks.endpoints
     WHERE id = $1 AND failing_since < clock_timestamp() - $2::bigint * interval '1 millisecond')sql";

inline constexpr radd::Sql disable_endpoint = R"sql(
    UPDATE webhooks.endpoints
       SET enabled = false, disabled_at = clock_timestamp(), disabled_reason = $2,
           updated_at = clock_timestamp()
     WHERE id = $1 AND enabled)sql";

// Whose filter names project $1, locked in order of id; `is_only`: and no other.
inline constexpr radd::Sql lock_endpoints_of_project = R"sql(
    SELECT id, array_remove(project_ids::text[], $1::text) = '{}' AS is_only
      FROM webhooks.endpoints
     WHERE $1::text = ANY (project_ids::text[])
     ORDER BY id FOR UPDATE)sql";

inline constexpr radd::Sql forget_project = R"sql(
    UPDATE webhooks.endpoints
       SET project_ids = array_remove(project_ids::text[], $2::text)::bigint[],
           updated_at = clock_timestamp()
     WHERE id = $1)sql";

// Index attempts_of_endpoint.
inline constexpr radd::Sql list_attempts = R"sql(
    SELECT id, delivery_id, attempt, outcome, status, detail, took_ms,
           to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
      FROM webhooks.attempts
     WHERE endpoint_id = $1 AND ($2::bigint IS NULL OR id < $2::bigint)
     ORDER BY id DESC LIMIT $3)sql";

// Index attempts_of_endpoint. What was never tried is not finished, unless it was cancelled.
inline constexpr radd::Sql was_tried_for = R"sql(
    SELECT 1 AS tried FROM webhooks.attempts WHERE endpoint_id = $1 AND delivery_id = $2 LIMIT 1)sql";

// Index attempts_by_time.
inline constexpr radd::Sql remove_attempts = R"sql(
    DELETE FROM webhooks.attempts WHERE id IN (
        SELECT id FROM webhooks.attempts
         WHERE at < statement_timestamp() - $1::bigint * interval '1 millisecond'
         ORDER BY at LIMIT $2))sql";

inline constexpr radd::Sql describe_endpoints = R"sql(
    SELECT e.id, e.name, e.enabled FROM webhooks.endpoints e WHERE e.id::text = ANY ($1::text[]))sql";

}  // namespace webhooks::sql
