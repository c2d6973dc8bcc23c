-- Each import by its id, with what it wrote, so that it can be taken back.

CREATE TABLE importer.imports (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind        text NOT NULL,
    file        text NOT NULL,
    source      text NOT NULL,
    quiet       boolean NOT NULL,
    -- running: or ended by force; nothing else leaves it so.
    state       text NOT NULL DEFAULT 'running'
                CHECK (state IN ('running', 'stopped', 'finished', 'rolling_back', 'rolled_back',
                                 'partly_rolled_back')),
    started_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    finished_at timestamptz,
    counts      jsonb NOT NULL DEFAULT '{}'
);

-- In the order they were made. `before`: the values that were replaced, of a change; NULL of what
-- was made. `after`: a digest of each value that was written, enough to see whether it still stands.
CREATE TABLE importer.writes (
    import_id bigint NOT NULL REFERENCES importer.imports ON DELETE CASCADE,
    seq       bigint GENERATED ALWAYS AS IDENTITY,
    kind      text NOT NULL CHECK (kind IN ('item', 'comment', 'person', 'project')),
    entity_id text NOT NULL,
    item_id   bigint,  -- The item itself, or that of the comment.
    before    jsonb,
    after     jsonb NOT NULL,
    undone_at timestamptz,
    PRIMARY KEY (import_id, seq)
);
CREATE INDEX writes_of_item ON importer.writes (import_id, item_id) WHERE undone_at IS NULL;
