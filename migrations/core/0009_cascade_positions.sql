-- A plugin that is off sweeps nothing, and events.cascade goes on without it. How far the sweeps
-- of each plugin have come is therefore kept for each, so that they go on there when it is back.

CREATE TABLE radd.cascade_positions (
    plugin   text   PRIMARY KEY,
    swept_to bigint NOT NULL,
    CONSTRAINT swept_to_is_a_position CHECK (swept_to >= 0)
);

COMMENT ON TABLE radd.cascade_positions IS 'How far the cascades of each plugin have swept the stream';
COMMENT ON COLUMN radd.cascade_positions.swept_to IS
    'Every event up to this id that a cascade of the plugin follows was swept, or came before the plugin';
