-- Rooms that are told of events, and the lines that wait for them. The deliveries are in
-- radd.deliveries, one a line; several lines may go out in one message.

CREATE SCHEMA chat;

CREATE TABLE chat.rooms (
    id              bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name            text        NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 200),
    url             text        NOT NULL,
    url_host        text        NOT NULL,
    -- Empty: all. `item.*` is every type that begins with `item.`.
    event_types     text[]      NOT NULL DEFAULT '{}',
    project_ids     bigint[]    NOT NULL DEFAULT '{}',
    enabled         boolean     NOT NULL DEFAULT true,
    next_post_at    timestamptz NOT NULL DEFAULT '-infinity',
    disabled_at     timestamptz,
    disabled_reason text,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK (enabled = (disabled_at IS NULL))
);
COMMENT ON TABLE chat.rooms IS 'Chat rooms by incoming webhook, and what they are told of';
COMMENT ON COLUMN chat.rooms.url IS 'Sealed under a key outside the database: who has it may post';
COMMENT ON COLUMN chat.rooms.url_host IS 'What is shown of it';
COMMENT ON COLUMN chat.rooms.next_post_at IS 'Not before: a second after the last message, or as long as the service has asked';

CREATE TABLE chat.lines (
    id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    room_id     bigint      NOT NULL REFERENCES chat.rooms ON DELETE CASCADE,
    text        text        NOT NULL,
    taken_by    bigint,
    taken_until timestamptz,
    posted_at   timestamptz,
    posted_with bigint,
    dropped     boolean     NOT NULL DEFAULT false,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK ((posted_at IS NULL) = (posted_with IS NULL))
);
COMMENT ON TABLE chat.lines IS 'One per event and room, so that a room that is behind gets several in one message';
COMMENT ON COLUMN chat.lines.text IS 'As it is posted, escaped';
COMMENT ON COLUMN chat.lines.taken_by IS 'The delivery that posts it, or that has tried last';
COMMENT ON COLUMN chat.lines.taken_until IS 'No other delivery takes it before';
COMMENT ON COLUMN chat.lines.posted_with IS 'The delivery whose message it was in';
COMMENT ON COLUMN chat.lines.dropped IS 'Its own delivery was given up';

CREATE INDEX lines_waiting ON chat.lines (room_id, id) WHERE posted_at IS NULL AND NOT dropped;
COMMENT ON INDEX chat.lines_waiting IS 'What goes into the next message of a room';
CREATE INDEX lines_taken ON chat.lines (taken_by) WHERE posted_at IS NULL;
COMMENT ON INDEX chat.lines_taken IS 'The lines of a delivery';
CREATE INDEX lines_by_time ON chat.lines (created_at);
COMMENT ON INDEX chat.lines_by_time IS 'What is removed next';
