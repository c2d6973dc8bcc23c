#pragma once

/// Every statement of this plugin. Times cross as microseconds since 1970, so that nothing depends
/// on how a session prints dates; an absent one means now, by the database's clock.

#include <radd/sql.hpp>

namespace items::sql {

// Projects. Index: projects_key_key.

constexpr radd::Sql insert_project = R"sql(
    INSERT INTO items.projects (key, name) VALUES ($1, $2)
    ON CONFLICT (key) DO NOTHING
    RETURNING id)sql";

constexpr radd::Sql rename_project = R"sql(
    UPDATE items.projects SET name = $2 WHERE id = $1)sql";

constexpr radd::Sql select_project_by_key = R"sql(
    SELECT id, key, name FROM items.projects WHERE key = $1)sql";

constexpr radd::Sql list_projects = R"sql(
    SELECT id, key, name FROM items.projects
    WHERE key > $1 ORDER BY key LIMIT $2::bigint)sql";

constexpr radd::Sql lock_project = R"sql(
    SELECT id, key, name FROM items.projects WHERE id = $1 FOR UPDATE)sql";

// After the items: their foreign key is what would refuse it.
constexpr radd::Sql delete_project = R"sql(
    DELETE FROM items.projects WHERE id = $1)sql";

// Locks the project until the commit: numbers have no gaps, and creators in one project queue.
constexpr radd::Sql take_number = R"sql(
    UPDATE items.projects SET next_number = next_number + 1 WHERE id = $1
    RETURNING key, next_number - 1 AS number)sql";

// No row if an item has the number already. Index: items_project_id_number_key.
constexpr radd::Sql reserve_number = R"sql(
    UPDATE items.projects SET next_number = greatest(next_number, $2::bigint + 1)
    WHERE id = $1
      AND NOT EXISTS (SELECT FROM items.items WHERE project_id = $1 AND number = $2)
    RETURNING key, $2::bigint AS number)sql";

// People. Indexes: people_pkey, people_by_email, people_by_name, people_source_source_id_key.

constexpr radd::Sql insert_person = R"sql(
    INSERT INTO items.people (name, email, source, source_id) VALUES ($1, $2, $3, $4)
    ON CONFLICT (source, source_id) DO NOTHING
    RETURNING id)sql";

// No row if there is one: of two that are at it at once the second waits and gets none.
constexpr radd::Sql insert_known_person = R"sql(
    INSERT INTO items.people (id, name) VALUES ($1::uuid, $2)
    ON CONFLICT (id) DO NOTHING
    RETURNING id)sql";

constexpr radd::Sql list_people = R"sql(
    SELECT id, name, email FROM items.people ORDER BY lower(name), id LIMIT $1::bigint)sql";

constexpr radd::Sql list_people_after = R"sql(
    SELECT id, name, email FROM items.people
    WHERE (lower(name), id) > (SELECT lower(name), id FROM items.people WHERE id = $1::uuid)
    ORDER BY lower(name), id LIMIT $2::bigint)sql";

constexpr radd::Sql lock_person = R"sql(
    SELECT id, name, email FROM items.people WHERE id = $1::uuid FOR UPDATE)sql";

constexpr radd::Sql update_person = R"sql(
    UPDATE items.people SET name = $2, email = $3 WHERE id = $1::uuid)sql";

constexpr radd::Sql select_person = R"sql(
    SELECT id, name, email FROM items.people WHERE id = $1::uuid)sql";

constexpr radd::Sql select_people_by_email = R"sql(
    SELECT id, name, email FROM items.people WHERE lower(email) = lower($1) LIMIT 2)sql";

constexpr radd::Sql select_person_by_source = R"sql(
    SELECT id, name, email FROM items.people WHERE source = $1 AND source_id = $2)sql";

// States. Indexes: states_name_key, states_by_lower_name.

constexpr radd::Sql insert_state = R"sql(
    INSERT INTO items.states (name, category) VALUES ($1, $2)
    ON CONFLICT (name) DO NOTHING)sql";

constexpr radd::Sql select_state = R"sql(
    SELECT name, category FROM items.states WHERE lower(name) = lower($1)
    ORDER BY name = $1 DESC, id LIMIT 1)sql";

constexpr radd::Sql select_state_by_exact_name = R"sql(
    SELECT name, category FROM items.states WHERE name = $1)sql";

constexpr radd::Sql list_states = R"sql(
    SELECT name, category FROM items.states ORDER BY id LIMIT $1::bigint)sql";

constexpr radd::Sql select_first_state = R"sql(
    SELECT name, category FROM items.states WHERE category = 'todo' ORDER BY id LIMIT 1)sql";

// Items. An absent key of the three matches nothing. Indexes: items_pkey, items_key_key,
// items_source_source_id_key.
constexpr radd::Sql select_item = R"sql(
    SELECT id, key, type, title, description, priority, project_id, project_key, project_name,
           state, category, reporter_id, reporter_name, assignee_id, assignee_name,
           contact_email, contact_name, parent_id, parent_key, to_json(labels) AS labels,
           created_us, updated_us, resolved_us
    FROM items.item_details
    WHERE id IN (SELECT id FROM items.items WHERE id = $1::bigint
                 UNION ALL SELECT id FROM items.items WHERE key = $2
                 UNION ALL SELECT id FROM items.items WHERE source = $3 AND source_id = $4))sql";

// Index: items_by_project, or items_pkey without a project.
constexpr radd::Sql list_items = R"sql(
    SELECT id, key, type, title, description, priority, project_id, project_key, project_name,
           state, category, reporter_id, reporter_name, assignee_id, assignee_name,
           contact_email, contact_name, parent_id, parent_key, to_json(labels) AS labels,
           created_us, updated_us, resolved_us
    FROM items.item_details
    WHERE ($1::bigint IS NULL OR project_id = $1) AND id > $2::bigint
    ORDER BY id LIMIT $3::bigint)sql";

// Taken before anything is read for a change, so that what is read is what will be changed.
constexpr radd::Sql lock_item = R"sql(
    SELECT id FROM items.items WHERE id = $1 FOR UPDATE)sql";

// The key is unique: no row if it is taken by an item that was numbered elsewhere.
constexpr radd::Sql insert_item = R"sql(
    INSERT INTO items.items (project_id, number, key, title, description, type, state_id, priority,
                             reporter_id, assignee_id, contact_email, contact_name, parent_id,
                             labels, source, source_id, created_at, updated_at, resolved_at)
    SELECT $1::bigint, $2::bigint, $3::text, $4::text, $5::text, $6::text, state.id, $8::text,
           $9::uuid, $10::uuid, $11::text, $12::text, $13::bigint, $14::text[], $15::text,
           $16::text, times.created, times.updated,
           CASE WHEN state.category = 'done'
                THEN coalesce('epoch'::timestamptz + $19::float8 * interval '1 microsecond',
                              times.updated) END
    FROM items.states state,
         (SELECT coalesce('epoch'::timestamptz + $17::float8 * interval '1 microsecond', now())
                     AS created,
                 coalesce('epoch'::timestamptz + $18::float8 * interval '1 microsecond',
                          'epoch'::timestamptz + $17::float8 * interval '1 microsecond', now())
                     AS updated) times
    WHERE state.name = $7
    RETURNING id)sql";

// resolved_at is set exactly while the state is done, and moves only when the category does.
constexpr radd::Sql update_item = R"sql(
    UPDATE items.items i
    SET type = $2, title = $3, description = $4, state_id = state.id, priority = $6,
        reporter_id = $7::uuid, assignee_id = $8::uuid, contact_email = $9, contact_name = $10,
        parent_id = $11::bigint, labels = $12::text[],
        updated_at = coalesce('epoch'::timestamptz + $13::float8 * interval '1 microsecond', now()),
        resolved_at = CASE WHEN state.category = 'done'
                           THEN coalesce(i.resolved_at, 'epoch'::timestamptz
                                             + $13::float8 * interval '1 microsecond', now()) END
    FROM items.states state
    WHERE i.id = $1 AND state.name = $5)sql";

constexpr radd::Sql delete_item = R"sql(
    DELETE FROM items.items WHERE id = $1)sql";

// Before the lock on item $1 itself, by whoever will lock others with it: the deletion of a project
// comes from the project, and they would deadlock.
constexpr radd::Sql hold_project_of = R"sql(
    SELECT p.id FROM items.projects p JOIN items.items i ON i.project_id = p.id
    WHERE i.id = $1 FOR KEY SHARE OF p)sql";

// One that is being deleted is waited for, and then is not there.
constexpr radd::Sql hold_item = "SELECT key FROM items.items WHERE id = $1 FOR KEY SHARE";

// Index: items_by_parent. Locked in order of id, so that two deletions cannot deadlock.
constexpr radd::Sql lock_children = R"sql(
    SELECT id FROM items.items WHERE parent_id = $1 ORDER BY id FOR UPDATE)sql";

// Index: items_by_project. Counts to $2 and no further.
constexpr radd::Sql count_items_of_project = R"sql(
    SELECT count(*) AS items
    FROM (SELECT id FROM items.items WHERE project_id = $1 LIMIT $2::bigint) counted)sql";

// Index: items_by_project. Locked in order of id, as children are.
constexpr radd::Sql lock_items_of_project = R"sql(
    SELECT id, parent_id FROM items.items WHERE project_id = $1 ORDER BY id FOR UPDATE)sql";

// Index: items_by_parent; `id + 0`, or a small limit makes a walk over all items by id look cheap.
// At most $3 items outside project $1 that have one of $2 as their parent.
constexpr radd::Sql lock_children_elsewhere = R"sql(
    SELECT id FROM items.items
    WHERE parent_id = ANY($2::bigint[]) AND project_id <> $1
    ORDER BY id + 0 LIMIT $3::bigint FOR UPDATE)sql";

// Held until the commit. Without it two transactions could each set one half of a ring.
constexpr radd::Sql lock_parents = R"sql(
    SELECT pg_advisory_xact_lock(hashtextextended('items.parents', 0)))sql";

// The chain from $1 upwards, $1 included, at most $2 long.
constexpr radd::Sql select_ancestors = R"sql(
    WITH RECURSIVE chain AS (
        SELECT id, parent_id, 1 AS depth FROM items.items WHERE id = $1
        UNION ALL
        SELECT parent.id, parent.parent_id, chain.depth + 1
        FROM chain JOIN items.items parent ON parent.id = chain.parent_id
        WHERE chain.depth < $2::integer)
    SELECT id FROM chain)sql";

// Comments. Indexes: comments_pkey, comments_by_item, comments_source_source_id_key.

constexpr radd::Sql insert_comment = R"sql(
    INSERT INTO items.comments (item_id, author_id, body, source, source_id, created_at, updated_at)
    SELECT $1::bigint, $2::uuid, $3::text, $4::text, $5::text, times.at, times.at
    FROM (SELECT coalesce('epoch'::timestamptz + $6::float8 * interval '1 microsecond', now())
              AS at) times
    RETURNING id, (extract(epoch FROM created_at) * 1000000)::bigint AS created_us)sql";

constexpr radd::Sql select_comment_item = R"sql(
    SELECT item_id FROM items.comments WHERE id = $1)sql";

constexpr radd::Sql lock_comment = R"sql(
    SELECT body FROM items.comments WHERE id = $1 FOR UPDATE)sql";

constexpr radd::Sql update_comment = R"sql(
    UPDATE items.comments
    SET body = $2,
        updated_at = coalesce('epoch'::timestamptz + $3::float8 * interval '1 microsecond', now())
    WHERE id = $1)sql";

constexpr radd::Sql delete_comment = R"sql(
    DELETE FROM items.comments WHERE id = $1)sql";

// An absent key of the two matches nothing.
constexpr radd::Sql select_comment = R"sql(
    SELECT c.id, c.item_id, i.key AS item_key, c.author_id, author.name AS author_name, c.body,
           (extract(epoch FROM c.created_at) * 1000000)::bigint AS created_us,
           (extract(epoch FROM c.updated_at) * 1000000)::bigint AS updated_us
    FROM items.comments c
    JOIN items.items i ON i.id = c.item_id
    LEFT JOIN items.people author ON author.id = c.author_id
    WHERE c.id IN (SELECT id FROM items.comments WHERE id = $1::bigint
                   UNION ALL
                   SELECT id FROM items.comments WHERE source = $2 AND source_id = $3))sql";

constexpr radd::Sql has_comment = R"sql(
    SELECT id FROM items.comments WHERE item_id = $1 AND id = $2)sql";

constexpr radd::Sql list_comments = R"sql(
    SELECT c.id, c.item_id, i.key AS item_key, c.author_id, author.name AS author_name, c.body,
           (extract(epoch FROM c.created_at) * 1000000)::bigint AS created_us,
           (extract(epoch FROM c.updated_at) * 1000000)::bigint AS updated_us
    FROM items.comments c
    JOIN items.items i ON i.id = c.item_id
    LEFT JOIN items.people author ON author.id = c.author_id
    WHERE c.item_id = $1
      AND ($2::bigint IS NULL OR (c.created_at, c.id) >
           (SELECT created_at, id FROM items.comments WHERE id = $2::bigint))
    ORDER BY c.created_at, c.id LIMIT $3::bigint)sql";

// Watchers. Index: watchers_pkey.

constexpr radd::Sql insert_watcher = R"sql(
    INSERT INTO items.watchers (item_id, person_id) VALUES ($1, $2::uuid)
    ON CONFLICT DO NOTHING)sql";

constexpr radd::Sql delete_watcher = R"sql(
    DELETE FROM items.watchers WHERE item_id = $1 AND person_id = $2::uuid)sql";

constexpr radd::Sql list_watchers = R"sql(
    SELECT person.id, person.name
    FROM items.watchers w JOIN items.people person ON person.id = w.person_id
    WHERE w.item_id = $1 ORDER BY lower(person.name), person.id LIMIT $2::bigint)sql";

// Refs: one statement for all ids of one kind. No long text and no address in them, because a ref
// goes into every event and out to whoever subscribed.

constexpr radd::Sql select_item_refs = R"sql(
    SELECT id, jsonb_build_object(
        'id', id, 'key', key, 'type', type, 'title', title, 'priority', priority,
        'state', jsonb_build_object('name', state, 'category', category),
        'project', jsonb_build_object('id', project_id, 'key', project_key, 'name', project_name),
        'reporter', CASE WHEN reporter_id IS NOT NULL
            THEN jsonb_build_object('id', reporter_id, 'name', reporter_name) END,
        'assignee', CASE WHEN assignee_id IS NOT NULL
            THEN jsonb_build_object('id', assignee_id, 'name', assignee_name) END,
        'parent', CASE WHEN parent_id IS NOT NULL
            THEN jsonb_build_object('id', parent_id, 'key', parent_key) END,
        'labels', to_jsonb(labels), 'url', '/items/' || id) AS ref
    FROM items.item_details WHERE id = ANY($1::bigint[]))sql";

constexpr radd::Sql select_comment_refs = R"sql(
    SELECT c.id, jsonb_build_object(
        'id', c.id, 'key', i.key || '#' || c.id, 'title', 'Comment on ' || i.key,
        'item', jsonb_build_object('id', i.id, 'key', i.key),
        'author', CASE WHEN author.id IS NOT NULL
            THEN jsonb_build_object('id', author.id, 'name', author.name) END,
        'excerpt', left(c.body, 280), 'url', '/items/' || i.id) AS ref
    FROM items.comments c
    JOIN items.items i ON i.id = c.item_id
    LEFT JOIN items.people author ON author.id = c.author_id
    WHERE c.id = ANY($1::bigint[]))sql";

constexpr radd::Sql select_project_refs = R"sql(
    SELECT id, jsonb_build_object('id', id, 'key', key, 'title', name, 'name', name,
                                  'url', '/projects/' || id) AS ref
    FROM items.projects WHERE id = ANY($1::bigint[]))sql";

constexpr radd::Sql select_person_refs = R"sql(
    SELECT id, jsonb_build_object('id', id, 'title', name, 'name', name,
                                  'url', '/people/' || id) AS ref
    FROM items.people WHERE id = ANY($1::uuid[]))sql";

}  // namespace items::sql
