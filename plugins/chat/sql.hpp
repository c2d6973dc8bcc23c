#pragma once

/// Every statement of chat. Rooms are few: all of them may be read for an event.

#include <radd/sql.hpp>

namespace chat::sql {

// $1 type, $2 project.
inline constexpr radd::Sql matching_rooms = R"sql(
    SELECT id FROM chat.rooms
     WHERE enabled
       AND (event_types = '{}' OR $1 = ANY (event_types)
            OR EXISTS (SELECT FROM unnest(event_types) AS t (pattern)
                        WHERE pattern LIKE '%.*' AND starts_with($1, rtrim(pattern, '*'))))
       AND (project_ids = '{}' OR $2::bigint = ANY (project_ids))
     ORDER BY id)sql";

inline constexpr radd::Sql insert_room = R"sql(
    INSERT INTO chat.rooms (name, url, url_host, event_types, project_ids)
    VALUES ($1, '', '', $2::text[], $3::bigint[])
    RETURNING id)sql";

inline constexpr radd::Sql set_url = R"sql(
    UPDATE chat.rooms SET url = $2, url_host = $3, updated_at = clock_timestamp() WHERE id = $1)sql";

inline constexpr radd::Sql update_room = R"sql(
    UPDATE chat.rooms
       SET name = $2, event_types = $3::text[], project_ids = $4::bigint[],
           disabled_at = CASE WHEN NOT $5 THEN coalesce(disabled_at, clock_timestamp()) END,
           disabled_reason = CASE WHEN NOT $5 THEN coalesce(disabled_reason, 'switched off') END,
           enabled = $5, updated_at = clock_timestamp()
     WHERE id = $1)sql";

inline constexpr radd::Sql delete_room = "DELETE FROM chat.rooms WHERE id = $1";

// With a lock, so that events of one room are in the order of its changes.
inline constexpr radd::Sql lock_room = "SELECT enabled FROM chat.rooms WHERE id = $1 FOR UPDATE";

inline constexpr radd::Sql list_rooms = R"sql(
    SELECT r.id, r.name, r.url_host, r.enabled, r.disabled_reason,
           array_to_json(r.event_types) AS event_types,
           array_to_json(r.project_ids) AS project_ids,
           (SELECT count(*) FROM chat.lines l
             WHERE l.room_id = r.id AND l.posted_at IS NULL AND NOT l.dropped) AS waiting,
           to_char(r.disabled_at AT TIME ZONE 'UTC', time.format) AS disabled_at,
           to_char(r.created_at AT TIME ZONE 'UTC', time.format) AS created_at
      FROM (SELECT 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"' AS format) AS time, chat.rooms r
     WHERE $1::bigint IS NULL OR r.id = $1::bigint
     ORDER BY r.id)sql";

inline constexpr radd::Sql room_url = "SELECT url FROM chat.rooms WHERE id = $1";

inline constexpr radd::Sql disable_room = R"sql(
    UPDATE chat.rooms
       SET enabled = false, disabled_at = clock_timestamp(), disabled_reason = $2,
           updated_at = clock_timestamp()
     WHERE id = $1 AND enabled)sql";

// Whose filter names project $1, locked in order of id; `is_only`: and no other.
inline constexpr radd::Sql lock_rooms_of_project = R"sql(
    SELECT id, array_remove(project_ids::text[], $1::text) = '{}' AS is_only
      FROM chat.rooms
     WHERE $1::text = ANY (project_ids::text[])
     ORDER BY id FOR UPDATE)sql";

inline constexpr radd::Sql forget_project = R"sql(
    UPDATE chat.rooms
       SET project_ids = array_remove(project_ids::text[], $2::text)::bigint[],
           updated_at = clock_timestamp()
     WHERE id = $1)sql";

inline constexpr radd::Sql describe_rooms =
    "SELECT r.id, r.name, r.enabled FROM chat.rooms r WHERE r.id::text = ANY ($1::text[])";

inline constexpr radd::Sql insert_line =
    "INSERT INTO chat.lines (room_id, text) VALUES ($1, $2) RETURNING id";

// Holds the room until the commit: two that post to it take turns in taking lines.
inline constexpr radd::Sql room_to_post_to = R"sql(
    SELECT url, enabled,
           CASE WHEN next_post_at > clock_timestamp()
                THEN ceil(extract(epoch FROM next_post_at - clock_timestamp()) * 1000)::bigint
                ELSE 0 END AS wait_ms
      FROM chat.rooms WHERE id = $1 FOR UPDATE)sql";

inline constexpr radd::Sql find_line = R"sql(
    SELECT posted_with, dropped,
           taken_by IS DISTINCT FROM $2::bigint AND taken_until > clock_timestamp() AS is_taken,
           taken_by
      FROM chat.lines WHERE id = $1)sql";

// Index lines_taken. What this delivery has tried before goes out again in the same message.
inline constexpr radd::Sql lines_of_delivery = R"sql(
    SELECT id, text FROM chat.lines
     WHERE taken_by = $1 AND posted_at IS NULL AND NOT dropped
     ORDER BY id)sql";

// Index lines_waiting. Those nearest to $2: before it, if $3, else behind it.
inline constexpr radd::Sql waiting_lines = R"sql(
    SELECT id, text FROM chat.lines
     WHERE room_id = $1 AND posted_at IS NULL AND NOT dropped
       AND CASE WHEN $3 THEN id < $2 ELSE id > $2 END
       AND (taken_until IS NULL OR taken_until <= clock_timestamp())
     ORDER BY CASE WHEN $3 THEN -id ELSE id END
     LIMIT $4)sql";

// $1 delivery, $2 lines, $3 for how long, in ms.
inline constexpr radd::Sql take_lines = R"sql(
    UPDATE chat.lines
       SET taken_by = $1, taken_until = clock_timestamp() + $3::bigint * interval '1 millisecond'
     WHERE id = ANY ($2::bigint[]))sql";

// Never earlier than it was to be.
inline constexpr radd::Sql hold_room = R"sql(
    UPDATE chat.rooms
       SET next_post_at = greatest(next_post_at,
                                   clock_timestamp() + $2::bigint * interval '1 millisecond')
     WHERE id = $1)sql";

inline constexpr radd::Sql note_posted = R"sql(
    UPDATE chat.lines SET posted_at = clock_timestamp(), posted_with = $1, taken_until = NULL
     WHERE taken_by = $1 AND posted_at IS NULL AND NOT dropped)sql";

// They stay this delivery's as long as no other has taken them.
inline constexpr radd::Sql let_go = R"sql(
    UPDATE chat.lines SET taken_until = NULL WHERE taken_by = $1 AND posted_at IS NULL)sql";

inline constexpr radd::Sql drop_line =
    "UPDATE chat.lines SET dropped = true WHERE id = $1 AND posted_at IS NULL";

// Index lines_waiting, in its order. At most $2. One that an attempt is recording at this moment is
// left to Retention: that transaction has the line and comes to the room, which is held here.
inline constexpr radd::Sql drop_lines_of_room = R"sql(
    UPDATE chat.lines SET dropped = true
     WHERE id IN (SELECT id FROM chat.lines
                   WHERE room_id = $1 AND posted_at IS NULL AND NOT dropped
                   ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED) AND posted_at IS NULL)sql";

// None of them is switched on meanwhile. Who posts to one, or switches it, is not waited for.
inline constexpr radd::Sql hold_disabled_rooms = R"sql(
    SELECT id FROM chat.rooms WHERE NOT enabled ORDER BY id FOR SHARE SKIP LOCKED)sql";

// Index lines_waiting. At most $1 of what waits in rooms that are off; who records an attempt has
// its lines and comes to the room, which may be held by now.
inline constexpr radd::Sql drop_lines_of_disabled = R"sql(
    UPDATE chat.lines SET dropped = true
     WHERE id IN (SELECT l.id FROM chat.rooms r JOIN chat.lines l ON l.room_id = r.id
                   WHERE NOT r.enabled AND l.posted_at IS NULL AND NOT l.dropped
                   LIMIT $1 FOR UPDATE OF l SKIP LOCKED) AND posted_at IS NULL)sql";

// Index lines_by_time.
inline constexpr radd::Sql remove_lines = R"sql(
    DELETE FROM chat.lines WHERE id IN (
        SELECT id FROM chat.lines
         WHERE created_at < statement_timestamp() - $1::bigint * interval '1 millisecond'
         ORDER BY created_at LIMIT $2))sql";

}  // namespace chat::sql
