-- Bringing one item up to date, with plans that fit a table of any size.
--
-- While the index is built its table grows from nothing, and a prepared statement keeps the plan
-- of its first events until the next ANALYZE: a sequential scan, which made each event dearer than
-- the one before, 70 items/s at 5 000 rows. Here each row is found by its key, whatever the
-- statistics say. What is scanned for want of a key, radd.stream, looks so dear by it that each call
-- would be compiled: no jit.

-- Null: the item is gone, or the index has seen the event already, so that a replay indexes each
-- item once. Else whether the text had to be shortened. What is settled in the snapshot of the
-- INSERT is visible in it. The newest comments come first: they are what is kept of too many.
CREATE FUNCTION search.refresh(item bigint, event bigint, wanted text) RETURNS boolean
LANGUAGE plpgsql VOLATILE SET enable_seqscan = off SET jit = off AS $$
DECLARE
    is_short boolean;
BEGIN
    IF EXISTS (SELECT FROM search.documents d
                WHERE d.item_id = item AND d.as_of >= event AND d.configuration = wanted) THEN
        RETURN NULL;
    END IF;
    INSERT INTO search.documents AS d (item_id, key, vector, configuration, shortened, as_of)
    SELECT t.id, t.key, v.vector, wanted, v.shortened, (SELECT settled FROM radd.stream)
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
COMMENT ON FUNCTION search.refresh IS
    'Indexes one item as it is now, after an event; null if there was nothing to do, else whether it was shortened';
