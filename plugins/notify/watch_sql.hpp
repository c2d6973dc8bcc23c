#pragma once

/// Every statement about who watches what. None takes a lock of an item: a writer that has it for
/// long would hold up everybody's notices.

#include <radd/sql.hpp>

namespace notify::sql {

// $1 item, $2 event. Nothing happens if the graph knows what the item says as of that event or a
// later one, or if the item is gone. Indexes comments_by_item and the primary keys.
constexpr radd::Sql refresh_watches = R"sql(
    WITH stale AS (
        INSERT INTO notify.watched_items (item_id, as_of)
        SELECT i.id, greatest((SELECT settled FROM radd.stream), $2::bigint)
          FROM items.items i WHERE i.id = $1::bigint
        ON CONFLICT (item_id) DO UPDATE SET as_of = excluded.as_of
         WHERE watched_items.as_of < $2::bigint
        RETURNING item_id),
    wanted AS (
        SELECT i.id AS item_id, i.reporter_id AS person_id, 'reporter' AS reason
          FROM stale JOIN items.items i ON i.id = stale.item_id WHERE i.reporter_id IS NOT NULL
        UNION ALL
        SELECT i.id, i.assignee_id, 'assignee'
          FROM stale JOIN items.items i ON i.id = stale.item_id WHERE i.assignee_id IS NOT NULL
        UNION ALL
        SELECT w.item_id, w.person_id, 'watcher'
          FROM stale JOIN items.watchers w ON w.item_id = stale.item_id
        UNION ALL
        SELECT DISTINCT c.item_id, c.author_id, 'commenter'
          FROM stale JOIN items.comments c ON c.item_id = stale.item_id
         WHERE c.author_id IS NOT NULL),
    ended AS (
        DELETE FROM notify.watches w USING stale
         WHERE w.item_id = stale.item_id AND w.reason <> 'mentioned'
           AND NOT EXISTS (SELECT FROM wanted v
                            WHERE v.person_id = w.person_id AND v.reason = w.reason))
    INSERT INTO notify.watches (item_id, person_id, reason)
    SELECT item_id, person_id, reason FROM wanted
    ON CONFLICT DO NOTHING)sql";

// Index people_by_name. A name that several have names nobody. $1 which `@`, $2 how long the name
// is, $3 the name.
constexpr radd::Sql find_named = R"sql(
    WITH asked AS (
        SELECT a.mention, a.size, a.name
          FROM unnest($1::int[], $2::int[], $3::text[]) AS a (mention, size, name)),
    known AS (
        SELECT a.mention, a.size, min(p.id::text) AS person_id, count(*) AS people
          FROM asked a JOIN items.people p ON lower(p.name) = lower(a.name)
         GROUP BY a.mention, a.size)
    SELECT DISTINCT person_id
      FROM (SELECT DISTINCT ON (mention) person_id, people
              FROM known ORDER BY mention, size DESC) AS longest
     WHERE people = 1)sql";

constexpr radd::Sql insert_mentions = R"sql(
    INSERT INTO notify.watches (item_id, person_id, reason)
    SELECT i.id, p.id, 'mentioned'
      FROM items.items i, unnest($2::uuid[]) AS p (id) WHERE i.id = $1::bigint
    ON CONFLICT DO NOTHING
    RETURNING person_id)sql";

constexpr radd::Sql select_comment_body = R"sql(
    SELECT body FROM items.comments WHERE id = $1::bigint)sql";

constexpr radd::Sql select_description = R"sql(
    SELECT description FROM items.items WHERE id = $1::bigint)sql";

// $1 item, $2 reason or null for any. Whoever watches the project watches all of its items; that is
// the reason `project`.
constexpr radd::Sql select_watchers = R"sql(
    SELECT person_id FROM notify.watches
     WHERE item_id = $1::bigint AND ($2::text IS NULL OR reason = $2::text)
    UNION
    SELECT w.person_id
      FROM items.items i JOIN notify.project_watches w ON w.project_id = i.project_id
     WHERE i.id = $1::bigint AND ($2::text IS NULL OR $2::text = 'project'))sql";

constexpr radd::Sql delete_watches = "DELETE FROM notify.watches WHERE item_id = $1::bigint";
constexpr radd::Sql delete_watched_item =
    "DELETE FROM notify.watched_items WHERE item_id = $1::bigint";
constexpr radd::Sql delete_mutes = "DELETE FROM notify.mutes WHERE item_id = $1::bigint";

constexpr radd::Sql select_reasons = R"sql(
    SELECT reason FROM notify.watches
     WHERE item_id = $1::bigint AND person_id = $2::uuid
    UNION ALL
    SELECT 'project' FROM items.items i JOIN notify.project_watches w ON w.project_id = i.project_id
     WHERE i.id = $1::bigint AND w.person_id = $2::uuid
     ORDER BY reason)sql";

constexpr radd::Sql select_mute = R"sql(
    SELECT item_id FROM notify.mutes WHERE item_id = $1::bigint AND person_id = $2::uuid)sql";

constexpr radd::Sql insert_mute = R"sql(
    INSERT INTO notify.mutes (item_id, person_id) VALUES ($1, $2::uuid)
    ON CONFLICT DO NOTHING)sql";

constexpr radd::Sql delete_mute = R"sql(
    DELETE FROM notify.mutes WHERE item_id = $1::bigint AND person_id = $2::uuid)sql";

// Nothing for a project that was deleted meanwhile.
constexpr radd::Sql insert_project_watch = R"sql(
    INSERT INTO notify.project_watches (project_id, person_id)
    SELECT id, $2::uuid FROM items.projects WHERE id = $1 FOR KEY SHARE
    ON CONFLICT DO NOTHING)sql";

constexpr radd::Sql delete_project_watch = R"sql(
    DELETE FROM notify.project_watches
     WHERE project_id = $1::bigint AND person_id = $2::uuid)sql";

constexpr radd::Sql list_project_watches = R"sql(
    SELECT p.id, p.key, p.name
      FROM notify.project_watches w JOIN items.projects p ON p.id = w.project_id
     WHERE w.person_id = $1::uuid ORDER BY p.key LIMIT $2)sql";

}  // namespace notify::sql
