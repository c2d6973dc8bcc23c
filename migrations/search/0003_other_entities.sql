-- Whatever else says by what it is found: one row an entity, as words. What is shown is asked from
-- who keeps the entity.

CREATE TABLE search.entity_documents (
    entity_type   text COLLATE "C" NOT NULL,
    entity_id     text COLLATE "C" NOT NULL,
    vector        tsvector NOT NULL,
    -- As in search.documents.
    configuration text NOT NULL,
    shortened     boolean NOT NULL,
    as_of         bigint NOT NULL,
    PRIMARY KEY (entity_type, entity_id)
);
CREATE INDEX entity_documents_by_word ON search.entity_documents USING gin (vector);

COMMENT ON TABLE search.entity_documents IS
    'The full-text index over entities that describe themselves to a search, built by search.indexer';
