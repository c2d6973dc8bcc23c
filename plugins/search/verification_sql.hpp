#pragma once

/// Every statement of `radd search verify`. All of them read, and take no lock that anybody waits
/// for.

#include <radd/sql.hpp>

namespace search::sql {

constexpr radd::Sql read_only = "SET LOCAL transaction_read_only = on";
constexpr radd::Sql one_snapshot = "SET LOCAL transaction_isolation = 'repeatable read'";

// How far the consumer $1 has read. The sequence is read as it is now and not as the snapshot has
// it: no document of the snapshot can have seen an event beyond it by a race.
constexpr radd::Sql select_read = R"sql(
    SELECT coalesce((SELECT c.cursor FROM radd.consumers c WHERE c.name = $1), 0) AS cursor,
           (SELECT CASE WHEN s.is_called THEN s.last_value ELSE s.last_value - 1 END
              FROM radd.events_id_seq s) AS drawn)sql";

// Items of one chunk after $1, and what is wrong with their documents. $2 configuration, $3 size,
// $4 the last event there can be. One row at least, without a finding. `seen`: events up to there
// do not have it indexed again. Indexes items_pkey, comments_by_item, documents_pkey.
constexpr radd::Sql judge_items = R"sql(
    WITH chunk AS (
        SELECT id FROM items.items WHERE id > $1 ORDER BY id LIMIT $3),
    judged AS (
        SELECT t.id, t.key,
               CASE WHEN d.as_of > $4 OR d.configuration = $2::text THEN d.as_of ELSE 0 END AS seen,
               CASE WHEN d.item_id IS NULL THEN 'document_missing'
                    WHEN d.as_of > $4 THEN 'document_ahead'
                    WHEN d.configuration <> $2::text THEN 'document_configuration'
                    WHEN (d.key, d.vector, d.shortened)
                         IS DISTINCT FROM (t.key, v.vector, v.shortened) THEN 'document_differs'
                    END AS found
          FROM chunk c
         CROSS JOIN LATERAL search.texts_of(c.id) t
         CROSS JOIN LATERAL search.vector_of($2::text::regconfig, t.key, t.title, t.description,
                                             t.comments) v
          LEFT JOIN search.documents d ON d.item_id = t.id)
    SELECT w.rows, w.last, j.id, j.key, j.seen, j.found
      FROM (SELECT count(*) AS rows, coalesce(max(id), 0) AS last FROM chunk) w
      LEFT JOIN (SELECT id, key, seen, found FROM judged WHERE found IS NOT NULL) j ON true
     ORDER BY j.id)sql";

// Documents of one chunk after $1, $2 of them: those without an item. As judge_items. Primary keys.
constexpr radd::Sql judge_documents = R"sql(
    WITH chunk AS (
        SELECT item_id, key FROM search.documents WHERE item_id > $1 ORDER BY item_id LIMIT $2),
    judged AS (
        SELECT c.item_id, c.key FROM chunk c
         WHERE NOT EXISTS (SELECT FROM items.items i WHERE i.id = c.item_id))
    SELECT w.rows, w.last, j.item_id AS id, j.key, 0 AS seen,
           CASE WHEN j.item_id IS NOT NULL THEN 'document_orphan' END AS found
      FROM (SELECT count(*) AS rows, coalesce(max(item_id), 0) AS last FROM chunk) w
      LEFT JOIN judged j ON true
     ORDER BY j.item_id)sql";

// What the index has of the entities $2 of type $1 against the titles $3 and texts $4 that their
// owner gives them; $5 configuration, $6 the last event there can be. As judge_items. Primary key.
constexpr radd::Sql judge_entities = R"sql(
    SELECT d.entity_type, d.entity_id,
           CASE WHEN d.as_of > $6 OR d.configuration = $5::text THEN d.as_of ELSE 0 END AS seen,
           CASE WHEN d.as_of > $6 THEN 'entity_ahead'
                WHEN d.configuration <> $5::text THEN 'entity_configuration'
                WHEN (d.vector, d.shortened) IS DISTINCT FROM (v.vector, v.shortened)
                     THEN 'entity_differs' END AS found
      FROM unnest($2::text[], $3::text[], $4::text[]) AS t (id, title, text)
      JOIN search.entity_documents d ON d.entity_type = $1 AND d.entity_id = t.id
     CROSS JOIN LATERAL search.vector_of($5::text::regconfig, '', normalize(t.title),
                                         normalize(t.text), '') v
     ORDER BY d.entity_id)sql";

// Ids after $2 that events up to $3 tell of, of the type $1, $4 of them, and whether the index has
// them. Index events_entity, primary key.
constexpr radd::Sql select_told = R"sql(
    SELECT t.entity_id,
           EXISTS (SELECT FROM search.entity_documents d
                    WHERE d.entity_type = $1 AND d.entity_id = t.entity_id) AS is_indexed
      FROM (SELECT e.entity_id FROM radd.events e
             WHERE e.entity_type = $1 AND e.entity_id > $2 AND e.id <= $3
             GROUP BY e.entity_id ORDER BY e.entity_id LIMIT $4) t
     ORDER BY t.entity_id)sql";

// Places, from 1, of those among the entities ($1, $2) that have an event above $3 of each and up
// to $4; of the type $5, or of any. The LIMIT keeps each a look into the index events_entity,
// whatever the statistics say.
constexpr radd::Sql select_told_between = R"sql(
    SELECT s.place
      FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY
           AS s (entity_type, entity_id, after, place)
     CROSS JOIN LATERAL (
           SELECT FROM radd.events e
            WHERE e.entity_type = s.entity_type AND e.entity_id = s.entity_id
              AND e.id > s.after AND e.id <= $4
              AND ($5::text IS NULL OR e.event_type = $5)
            LIMIT 1) told)sql";

// The same of items $1 by events of their comments, which are of the types $3 and above $4 and
// above $2 of each. Index events_of_type.
constexpr radd::Sql select_commented_after = R"sql(
    SELECT s.place
      FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS s (item_id, after, place)
      JOIN (SELECT e.payload #>> '{item,id}' AS item_id, max(e.id) AS last
              FROM radd.events e WHERE e.event_type = ANY ($3::text[]) AND e.id > $4
             GROUP BY 1) told ON told.item_id = s.item_id AND told.last > s.after)sql";

}  // namespace search::sql
