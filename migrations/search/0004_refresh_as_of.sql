-- What is settled is written down every tenth of a second only. Between two of these, an item that was
-- indexed for a newer event looked no newer than a rebuild that had read it before, and the words of
-- that event were lost until the next one. An event that is handed on is settled, as is all before it.

CREATE OR REPLACE FUNCTION search.refresh(item bigint, event bigint, wanted text) RETURNS boolean
LANGUAGE plpgsql VOLATILE SET enable_seqscan = off SET jit = off AS $$
DECLARE
    is_short boolean;
BEGIN
    IF EXISTS (SELECT FROM search.documents d
                WHERE d.item_id = item AND d.as_of >= event AND d.configuration = wanted) THEN
        RETURN NULL;
    END IF;
    INSERT INTO search.documents AS d (item_id, key, vector, configuration, shortened, as_of)
    SELECT t.id, t.key, v.vector, wanted, v.shortened,
           greatest((SELECT settled FROM radd.stream), event)
      FROM (SELECT i.id, i.key, normalize(i.title) AS title,
                   normalize(i.description) AS description,
                   coalesce((SELECT string_agg(normalize(c.body), E'\n'
                                               ORDER BY c.created_at DESC, c.id DESC)
                               FROM items.comments c WHERE c.item_id = i.id), '') AS comments
              FROM items.items i WHERE i.id = item) t,
           search.vector_of(wanted::regconfig, t.key, t.title, t.description, t.comments) v
    ON CONFLICT (item_id) DO UPDATE
       SET key = excluded.key, vector = excluded.vector, configuration = excluded.configuration,
           shortened = excluded.shortened, as_of = excluded.as_of
     WHERE d.as_of <= excluded.as_of
    RETURNING d.shortened INTO is_short;
    RETURN is_short;
END $$;
