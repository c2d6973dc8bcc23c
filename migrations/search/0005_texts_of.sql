-- What is indexed of an item, for whoever builds the index anew or compares it: one row, none if the
-- item is gone. The newest comments come first: they are what is kept of too many. Inlined where it
-- is called. Index comments_by_item.
CREATE FUNCTION search.texts_of(item bigint)
RETURNS TABLE (id bigint, key text, title text, description text, comments text)
LANGUAGE sql STABLE AS $$
    SELECT i.id, i.key, normalize(i.title), normalize(i.description),
           coalesce((SELECT string_agg(normalize(c.body), E'\n'
                                       ORDER BY c.created_at DESC, c.id DESC)
                       FROM items.comments c WHERE c.item_id = i.id), '')
      FROM items.items i WHERE i.id = item
$$;
COMMENT ON FUNCTION search.texts_of IS 'The texts of an item as search.vector_of() takes them';
