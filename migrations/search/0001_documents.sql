-- What is found: one row an item, as words. What is shown is read from the items themselves.

CREATE SCHEMA search;

CREATE TABLE search.documents (
    -- No foreign key: deleting an item must not wait for its index. Whoever reads joins the item.
    item_id       bigint PRIMARY KEY,
    key           text COLLATE "C" NOT NULL,
    vector        tsvector NOT NULL,
    -- The text search configuration that made the vector.
    configuration text NOT NULL,
    -- The text was too long for a vector; its beginning is indexed.
    shortened     boolean NOT NULL,
    -- Every event up to this id was visible when the item was read: its effect is in the vector.
    as_of         bigint NOT NULL
);
CREATE INDEX documents_by_word ON search.documents USING gin (vector);
-- PROJ-12 and what begins with it: key >= 'PROJ-12' AND key < 'PROJ-12' || U&'\+10FFFF'.
CREATE INDEX documents_by_key ON search.documents (key);

COMMENT ON TABLE search.documents IS
    'The full-text index over items and comments, built by the consumer search.indexer';
COMMENT ON COLUMN search.documents.as_of IS
    'Events up to this id are in the vector: replaying them does not index the item again';

CREATE FUNCTION search.weighed(configuration regconfig, key text, title text, description text,
                               comments text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT setweight(to_tsvector(configuration, title || ' ' || key), 'A')
        || setweight(to_tsvector(configuration, description), 'B')
        || setweight(to_tsvector(configuration, comments), 'C')
$$;

-- A vector holds 1 MB of different words, a text may have more of them. Title and key always fit.
-- Catching costs a savepoint, which long texts alone pay: below, none can be too long, as a byte of
-- text makes at most some four of a vector (a host name and its path are indexed thrice).
CREATE FUNCTION search.vector_of(configuration regconfig, key text, title text, description text,
                                 comments text, OUT vector tsvector, OUT shortened boolean)
LANGUAGE plpgsql IMMUTABLE PARALLEL UNSAFE AS $$
DECLARE
    kept int := greatest(length(description), length(comments));
BEGIN
    shortened := false;
    IF octet_length(title) + octet_length(description) + octet_length(comments) < 150000 THEN
        vector := search.weighed(configuration, key, title, description, comments);
        RETURN;
    END IF;
    LOOP
        BEGIN
            vector := search.weighed(configuration, key, title, left(description, kept),
                                     left(comments, kept));
            RETURN;
        EXCEPTION WHEN program_limit_exceeded THEN
            shortened := true;
            kept := kept / 2;
        END;
    END LOOP;
END $$;
COMMENT ON FUNCTION search.vector_of IS
    'The weighed words of an item; of the beginning of its texts where a vector does not hold all';
