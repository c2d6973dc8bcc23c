-- Deliveries that must arrive: one row each, whatever queue it is of.
--
-- A worker takes due rows with FOR UPDATE SKIP LOCKED, counts the attempt and sets next_attempt_at
-- and claimed_until to the end of its claim, all in one short statement; the attempt itself holds
-- no transaction. Who dies meanwhile leaves a row that is due again when the claim has passed.

CREATE TABLE radd.deliveries (
    id              bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid             uuid        NOT NULL DEFAULT gen_random_uuid(),
    queue           text        NOT NULL,
    lane            text        NOT NULL,
    -- json and not jsonb: it is kept byte for byte, and what was signed is what is sent.
    payload         json        NOT NULL,
    event_id        bigint,
    key             text,
    state           text        NOT NULL DEFAULT 'pending',
    attempts        int         NOT NULL DEFAULT 0,
    next_attempt_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    claimed_until   timestamptz,
    last_attempt_at timestamptz,
    last_error      text,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    finished_at     timestamptz,
    replay_of       bigint,
    CONSTRAINT delivery_queue_is_short     CHECK (octet_length(queue) BETWEEN 1 AND 200),
    CONSTRAINT delivery_lane_is_short      CHECK (octet_length(lane) BETWEEN 1 AND 200),
    CONSTRAINT delivery_key_is_short       CHECK (octet_length(key) BETWEEN 1 AND 200),
    CONSTRAINT delivery_payload_is_bounded CHECK (octet_length(payload::text) <= 1048576),
    CONSTRAINT delivery_state_is_known
        CHECK (state IN ('pending', 'delivered', 'dead', 'cancelled')),
    CONSTRAINT delivery_ends_once          CHECK ((state = 'pending') = (finished_at IS NULL)),
    CONSTRAINT attempts_are_counted        CHECK (attempts >= 0)
-- Rows change some times and then stand; the due index must not grow with what is done.
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

COMMENT ON TABLE radd.deliveries IS
    'One row per delivery of every queue: what is due, what arrived, and dead letters. Repeated by the plugin that owns the queue, e.g. `radd webhooks replay`, which makes new rows';
COMMENT ON COLUMN radd.deliveries.uid IS 'What a receiver knows it by: the same in all attempts, another in a replay';
COMMENT ON COLUMN radd.deliveries.queue IS 'As the plugin declares it';
COMMENT ON COLUMN radd.deliveries.lane IS 'One receiver: lanes are served in turn, and one that does not answer delays no other';
COMMENT ON COLUMN radd.deliveries.payload IS 'What the handler needs, byte for byte as queued';
COMMENT ON COLUMN radd.deliveries.event_id IS 'The event it tells of';
COMMENT ON COLUMN radd.deliveries.key IS 'At most one row of a queue has it; replays have none';
COMMENT ON COLUMN radd.deliveries.state IS 'pending; delivered; dead: the schedule is used up or no attempt can succeed; cancelled';
COMMENT ON COLUMN radd.deliveries.attempts IS 'Attempts begun, counted before each';
COMMENT ON COLUMN radd.deliveries.next_attempt_at IS 'Due from then on, by the database''s clock; while an attempt is under way, the end of its claim';
COMMENT ON COLUMN radd.deliveries.claimed_until IS 'An attempt is under way; past: its process died before it recorded the result';
COMMENT ON COLUMN radd.deliveries.last_attempt_at IS 'When the last result was recorded; the next wait counts from then';
COMMENT ON COLUMN radd.deliveries.last_error IS 'Detail of the last attempt, or why it was cancelled';
COMMENT ON COLUMN radd.deliveries.finished_at IS 'When it became delivered, dead or cancelled';
COMMENT ON COLUMN radd.deliveries.replay_of IS 'The delivery that this one repeats';

-- Lane by lane, so that one with ten thousand due rows is one step of the walk over all lanes.
CREATE INDEX deliveries_due ON radd.deliveries (queue, lane, next_attempt_at, id)
    WHERE state = 'pending';
COMMENT ON INDEX radd.deliveries_due IS 'The next due row of each lane';

CREATE INDEX deliveries_dead ON radd.deliveries (queue, id) WHERE state = 'dead';
COMMENT ON INDEX radd.deliveries_dead IS 'Dead letters, for lists and for replay';

CREATE INDEX deliveries_of_lane ON radd.deliveries (queue, lane, id);
COMMENT ON INDEX radd.deliveries_of_lane IS 'The deliveries of one receiver, newest first';

CREATE INDEX deliveries_finished ON radd.deliveries (queue, finished_at)
    WHERE finished_at IS NOT NULL;
COMMENT ON INDEX radd.deliveries_finished IS 'What retention removes next';

CREATE UNIQUE INDEX deliveries_key ON radd.deliveries (queue, key) WHERE key IS NOT NULL;
COMMENT ON INDEX radd.deliveries_key IS 'A key is queued once';

CREATE INDEX deliveries_replays ON radd.deliveries (replay_of) WHERE replay_of IS NOT NULL;
COMMENT ON INDEX radd.deliveries_replays IS 'Whether a dead letter has been replayed';
