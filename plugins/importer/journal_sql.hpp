#pragma once

/// The statements about imports themselves and what they wrote.

#include <radd/sql.hpp>

namespace importer::sql {

constexpr radd::Sql insert_import = R"sql(
    INSERT INTO importer.imports (kind, file, source, quiet) VALUES ($1, $2, $3, $4)
    RETURNING id)sql";

// The row lock keeps whoever takes it back waiting until the transaction has ended.
constexpr radd::Sql advance_import = R"sql(
    UPDATE importer.imports SET updated_at = clock_timestamp(), counts = $2::jsonb
    WHERE id = $1 AND state = 'running')sql";

constexpr radd::Sql finish_import = R"sql(
    UPDATE importer.imports
    SET state = $2, counts = $3::jsonb, updated_at = clock_timestamp(),
        finished_at = clock_timestamp()
    WHERE id = $1 AND state = 'running')sql";

// In the order of the array: `seq` is drawn row by row.
constexpr radd::Sql insert_writes = R"sql(
    INSERT INTO importer.writes (import_id, kind, entity_id, item_id, before, after)
    SELECT $1::bigint, entry->>'kind', entry->>'entity_id', (entry->>'item_id')::bigint,
           nullif(entry->'before', 'null'), entry->'after'
    FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS entries (entry, place)
    ORDER BY place)sql";

// Index: writes_of_item.
constexpr radd::Sql set_parent_of_made = R"sql(
    UPDATE importer.writes SET after = jsonb_set(after, '{parent}', to_jsonb($3::text))
    WHERE import_id = $1 AND item_id = $2 AND kind = 'item' AND before IS NULL
      AND undone_at IS NULL)sql";

constexpr radd::Sql select_imports = R"sql(
    SELECT id, kind, file, source, quiet, state, counts,
           to_char(started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS started_at,
           to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS updated_at,
           to_char(finished_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS finished_at
    FROM importer.imports WHERE id < $1 AND state <> 'forgotten'
    ORDER BY id DESC LIMIT $2::bigint)sql";

constexpr radd::Sql select_import_refs = R"sql(
    SELECT id, jsonb_build_object('id', id, 'title', file, 'kind', kind, 'file', file,
                                  'source', source, 'state', state) AS ref
    FROM importer.imports WHERE id = ANY($1::bigint[]))sql";

// Taking back.

// No row: there is no such import. It may run no further from here on.
constexpr radd::Sql begin_rollback = R"sql(
    UPDATE importer.imports
    SET state = CASE state WHEN 'rolled_back' THEN state ELSE 'rolling_back' END,
        updated_at = clock_timestamp()
    WHERE id = $1 AND state <> 'forgotten' RETURNING state)sql";

constexpr radd::Sql count_pending = R"sql(
    SELECT count(*) FILTER (WHERE kind IN ('item', 'comment') OR before IS NOT NULL) AS pending,
           count(*) FILTER (WHERE kind = 'person' AND before IS NULL) AS people,
           count(*) FILTER (WHERE kind = 'project' AND before IS NULL
                              AND EXISTS (SELECT FROM items.projects p
                                          WHERE p.id::text = entity_id)) AS projects
    FROM importer.writes WHERE import_id = $1 AND undone_at IS NULL)sql";

// What was written on rows that the import did not make, newest first. Index: writes_pkey, and
// writes_of_item for what stands on items of its own, which goes with them or stays with them.
constexpr radd::Sql select_changes = R"sql(
    SELECT seq, kind, entity_id, item_id, before, after FROM importer.writes w
    WHERE import_id = $1 AND seq < $2 AND undone_at IS NULL
      AND (kind = 'comment' OR before IS NOT NULL)
      AND NOT EXISTS (SELECT FROM importer.writes made
                      WHERE made.import_id = $1 AND made.item_id = w.item_id
                        AND made.kind = 'item' AND made.before IS NULL
                        AND made.undone_at IS NULL)
    ORDER BY seq DESC LIMIT $3::bigint)sql";

constexpr radd::Sql select_made_items = R"sql(
    SELECT seq, kind, entity_id, item_id, before, after FROM importer.writes
    WHERE import_id = $1 AND seq < $2 AND undone_at IS NULL AND kind = 'item' AND before IS NULL
    ORDER BY seq DESC LIMIT $3::bigint)sql";

constexpr radd::Sql select_writes = R"sql(
    SELECT seq, kind, entity_id, item_id, before, after FROM importer.writes
    WHERE import_id = $1 AND seq = ANY($2::bigint[]) AND undone_at IS NULL
    ORDER BY seq DESC)sql";

// Index: writes_of_item.
constexpr radd::Sql select_made_comments = R"sql(
    SELECT entity_id, after->>'body' AS body FROM importer.writes
    WHERE import_id = $1 AND item_id = $2 AND kind = 'comment' AND undone_at IS NULL
    ORDER BY seq)sql";

// What stands under an item: how many, the first, and the first of those that are not to be taken
// back with it. Indexes: items_by_parent, writes_of_item.
constexpr radd::Sql select_children = R"sql(
    SELECT count(*) AS children, min(child.key) AS first,
           min(child.key) FILTER (WHERE NOT EXISTS (
               SELECT FROM importer.writes made
               WHERE made.import_id = $1 AND made.item_id = child.id AND made.kind = 'item'
                 AND made.before IS NULL AND made.undone_at IS NULL)) AS other
    FROM items.items child WHERE child.parent_id = $2)sql";

constexpr radd::Sql mark_undone = R"sql(
    UPDATE importer.writes SET undone_at = clock_timestamp()
    WHERE import_id = $1 AND seq = $2)sql";

constexpr radd::Sql mark_item_undone = R"sql(
    UPDATE importer.writes SET undone_at = clock_timestamp()
    WHERE import_id = $1 AND item_id = $2 AND undone_at IS NULL)sql";

// A change of which only some fields could be put back is from now on one of the others.
constexpr radd::Sql narrow_write = R"sql(
    UPDATE importer.writes SET before = $3::jsonb, after = $4::jsonb
    WHERE import_id = $1 AND seq = $2)sql";

constexpr radd::Sql end_rollback = R"sql(
    UPDATE importer.imports SET state = $2, updated_at = clock_timestamp()
    WHERE id = $1 AND state = 'rolling_back')sql";

// Forgetting.

// Nobody has touched it for $1 ms. Index: imports_by_update.
constexpr radd::Sql forget_imports = R"sql(
    UPDATE importer.imports SET state = 'forgotten'
    WHERE id IN (SELECT id FROM importer.imports
                 WHERE updated_at < clock_timestamp() - $1::bigint * interval '1 millisecond'
                   AND state <> 'forgotten'
                 ORDER BY updated_at LIMIT $2::bigint
                 FOR UPDATE SKIP LOCKED))sql";

// Index: writes_pkey.
constexpr radd::Sql delete_forgotten_writes = R"sql(
    DELETE FROM importer.writes
    WHERE (import_id, seq) IN (SELECT w.import_id, w.seq
                               FROM importer.imports i JOIN importer.writes w ON w.import_id = i.id
                               WHERE i.state = 'forgotten' LIMIT $1::bigint))sql";

constexpr radd::Sql delete_forgotten_imports = R"sql(
    DELETE FROM importer.imports i
    WHERE state = 'forgotten'
      AND NOT EXISTS (SELECT FROM importer.writes w WHERE w.import_id = i.id))sql";

}  // namespace importer::sql
