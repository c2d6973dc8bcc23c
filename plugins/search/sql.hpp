#pragma once

/// Every statement of this plugin.

#include <radd/sql.hpp>

namespace search::sql {

// $1 item, $2 event, $3 configuration.
constexpr radd::Sql index_item = R"sql(
    SELECT shortened FROM search.refresh($1, $2, $3) AS shortened
     WHERE shortened IS NOT NULL)sql";

constexpr radd::Sql delete_document = R"sql(
    DELETE FROM search.documents WHERE item_id = $1)sql";

// Items of one chunk after $1, whatever is indexed of them. $2 configuration, $3 size. What the
// consumer has indexed meanwhile is newer and stays; what it had before has no newer event than the
// texts that are read here. Indexes items_pkey, comments_by_item, documents_pkey.
constexpr radd::Sql index_chunk = R"sql(
    WITH chunk AS (
        SELECT id FROM items.items WHERE id > $1 ORDER BY id LIMIT $3),
    texts AS (
        SELECT t.id, t.key, t.title, t.description, t.comments
          FROM chunk c CROSS JOIN LATERAL search.texts_of(c.id) t),
    written AS (
        INSERT INTO search.documents (item_id, key, vector, configuration, shortened, as_of)
        SELECT t.id, t.key, v.vector, $2::text, v.shortened,
               greatest((SELECT settled FROM radd.stream), before.as_of)
          FROM texts t
          LEFT JOIN search.documents before ON before.item_id = t.id,
               search.vector_of($2::text::regconfig, t.key, t.title, t.description, t.comments) v
        ON CONFLICT (item_id) DO UPDATE
           SET key = excluded.key, vector = excluded.vector,
               configuration = excluded.configuration, shortened = excluded.shortened,
               as_of = excluded.as_of
         WHERE documents.as_of <= excluded.as_of
        RETURNING shortened)
    SELECT (SELECT count(*) FROM chunk) AS items, coalesce((SELECT max(id) FROM chunk), 0) AS last,
           (SELECT count(*) FROM written WHERE shortened) AS shortened)sql";

// Primary keys of both.
constexpr radd::Sql delete_orphans = R"sql(
    DELETE FROM search.documents d
     WHERE NOT EXISTS (SELECT FROM items.items i WHERE i.id = d.item_id))sql";

constexpr radd::Sql count_items = R"sql(
    SELECT count(*) AS items FROM items.items)sql";

// A sequential scan, at the start of the host and until the first that is found.
constexpr radd::Sql select_other_configuration = R"sql(
    SELECT configuration FROM search.documents WHERE configuration <> $1 LIMIT 1)sql";

constexpr radd::Sql select_project = R"sql(
    SELECT id FROM items.projects WHERE key = $1)sql";

// $1 configuration, $2 text, $3 and $4 the range of keys that it may be, $5 project, $6 and $7 the
// last hit of the page before, $8 size. Hits of the words rank below 1; a key that begins so is 2
// and the very key 3. Only the newest 5 000 hits are ranked, so that a word in every item costs
// bounded time. Indexes documents_by_word, documents_by_key.
constexpr radd::Sql search = R"sql(
    WITH hits AS (
        (SELECT d.item_id, ts_rank(d.vector, q.query) AS rank
           FROM (SELECT websearch_to_tsquery($1::text::regconfig, normalize($2::text))) q (query)
           JOIN search.documents d ON d.vector @@ q.query
           JOIN items.items i ON i.id = d.item_id
          WHERE $5::bigint IS NULL OR i.project_id = $5::bigint
          ORDER BY d.item_id DESC LIMIT 5000)
        UNION ALL
        (SELECT d.item_id, CASE WHEN d.key = $3::text THEN 3 ELSE 2 END::real
           FROM search.documents d
           JOIN items.items i ON i.id = d.item_id
          WHERE d.key >= $3::text AND d.key < $4::text
            AND ($5::bigint IS NULL OR i.project_id = $5::bigint)
          ORDER BY d.item_id DESC LIMIT 5000)),
    best AS (SELECT item_id, max(rank) AS rank FROM hits GROUP BY item_id)
    SELECT i.id, i.key, i.type, i.title, i.state, i.category, i.project_key, i.project_name,
           b.rank::text AS rank, d.shortened
      FROM best b
      JOIN items.item_details i ON i.id = b.item_id
      JOIN search.documents d ON d.item_id = b.item_id
     WHERE $6::real IS NULL OR (b.rank, b.item_id) < ($6::real, $7::bigint)
     ORDER BY b.rank DESC, b.item_id DESC
     LIMIT $8)sql";

// Only of a page's items, because making a snippet reads the whole text. Hits stand between the
// characters 2 and 3, which no text has after the translate(). $4: how much of a text is looked
// at. Index comments_by_item.
constexpr radd::Sql snippets = R"sql(
    SELECT i.id,
           ts_headline($1::text::regconfig,
                       left(translate(normalize(concat_ws(E'\n', i.description,
                           (SELECT string_agg(c.body, E'\n' ORDER BY c.created_at DESC, c.id DESC)
                              FROM items.comments c WHERE c.item_id = i.id))),
                           chr(2) || chr(3), ''), $4::int),
                       websearch_to_tsquery($1::text::regconfig, normalize($2::text)),
                       format('StartSel="%s",StopSel="%s",MaxFragments=2,MinWords=5,MaxWords=20,'
                              'FragmentDelimiter=" … "', chr(2), chr(3))) AS snippet
      FROM items.items i
     WHERE i.id = ANY ($3::bigint[]))sql";

// Whatever else describes itself to a search.

// $1 type, $2 id, $3 event, $4 configuration: there if the index has it as it was then. Primary
// key.
constexpr radd::Sql select_entity = R"sql(
    SELECT as_of FROM search.entity_documents
     WHERE entity_type = $1 AND entity_id = $2 AND as_of >= $3 AND configuration = $4)sql";

constexpr radd::Sql select_settled = "SELECT settled FROM radd.stream";

// $1 type, $2 id, $3 title, $4 text, $5 configuration, $6 event. What is newer stays. Primary key.
constexpr radd::Sql index_entity = R"sql(
    INSERT INTO search.entity_documents
           (entity_type, entity_id, vector, configuration, shortened, as_of)
    SELECT $1, $2, v.vector, $5::text, v.shortened, $6::bigint
      FROM search.vector_of($5::text::regconfig, '', normalize($3::text), normalize($4::text),
                            '') v
    ON CONFLICT (entity_type, entity_id) DO UPDATE
       SET vector = excluded.vector, configuration = excluded.configuration,
           shortened = excluded.shortened, as_of = excluded.as_of
     WHERE entity_documents.as_of <= excluded.as_of)sql";

constexpr radd::Sql delete_entity = R"sql(
    DELETE FROM search.entity_documents WHERE entity_type = $1 AND entity_id = $2)sql";

// One chunk after ($1, $2), at most $3. Primary key.
constexpr radd::Sql select_entities = R"sql(
    SELECT entity_type, entity_id, as_of FROM search.entity_documents
     WHERE (entity_type, entity_id) > ($1, $2) ORDER BY entity_type, entity_id LIMIT $3)sql";

// $1 configuration, $2 text, $3 types that are loaded, $4 size. Of a word in very many, 5 000 are
// ranked. Index entity_documents_by_word.
constexpr radd::Sql search_entities = R"sql(
    SELECT entity_type, entity_id, rank::text AS rank
      FROM (SELECT d.entity_type, d.entity_id, ts_rank(d.vector, q.query) AS rank
              FROM (SELECT websearch_to_tsquery($1::text::regconfig, normalize($2::text))) q (query)
              JOIN search.entity_documents d ON d.vector @@ q.query
             WHERE d.entity_type = ANY ($3::text[])
             LIMIT 5000) hits
     ORDER BY hits.rank DESC, entity_type, entity_id
     LIMIT $4)sql";

// As `snippets`, of the texts $3.
constexpr radd::Sql text_snippets = R"sql(
    SELECT t.place,
           ts_headline($1::text::regconfig,
                       left(translate(normalize(t.text), chr(2) || chr(3), ''), $4::int),
                       websearch_to_tsquery($1::text::regconfig, normalize($2::text)),
                       format('StartSel="%s",StopSel="%s",MaxFragments=2,MinWords=5,MaxWords=20,'
                              'FragmentDelimiter=" … "', chr(2), chr(3))) AS snippet
      FROM unnest($3::text[]) WITH ORDINALITY t (text, place))sql";

}  // namespace search::sql
