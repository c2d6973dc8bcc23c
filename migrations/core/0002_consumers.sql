-- Who reads the stream, how far each has come, and what was skipped on the way.
--
-- A cursor lives in the database of the events, so that a consumer's writes and its cursor commit
-- together. Ownership is a lease in the same row and not a session lock, which vanishes behind a
-- transaction pooler and stays with a hung process. The epoch fences: every write of an owner
-- names the epoch it was given, and takeover, seek, pause and retire raise it.

CREATE TABLE radd.consumers (
    name             text        PRIMARY KEY,
    plugin           text        NOT NULL,
    plugin_version   text        NOT NULL DEFAULT '',
    kind             text        NOT NULL DEFAULT 'consumer',
    resume_policy    text        NOT NULL DEFAULT 'cursor',
    cursor           bigint      NOT NULL DEFAULT 0,
    seeded_at        bigint      NOT NULL DEFAULT 0,
    handled_count    bigint      NOT NULL DEFAULT 0,
    handled_hash     bigint      NOT NULL DEFAULT 0,
    owner            text,
    lease_until      timestamptz NOT NULL DEFAULT '-infinity',
    epoch            bigint      NOT NULL DEFAULT 0,
    updated_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    state            text        NOT NULL DEFAULT 'active',
    paused_until     timestamptz,
    pause_reason     text,
    disabled_since   timestamptz,
    run_by           text,
    attempt_event_id bigint,
    attempt_started  int         NOT NULL DEFAULT 0,
    overdue_event_id bigint,
    retry_round      bigint      NOT NULL DEFAULT 0,
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT consumer_name_is_short  CHECK (octet_length(name) BETWEEN 1 AND 200),
    CONSTRAINT consumer_kind_is_known  CHECK (kind IN ('consumer', 'task')),
    CONSTRAINT resume_policy_is_known  CHECK (resume_policy IN ('head', 'cursor')),
    CONSTRAINT consumer_state_is_known CHECK (state IN ('active', 'retired', 'beyond_head')),
    CONSTRAINT cursor_is_a_position    CHECK (cursor >= 0 AND seeded_at >= 0)
-- Half of each page stays free and no index but the key exists, so that every move of a cursor is
-- a HOT update: a million of them leave two pages.
) WITH (fillfactor = 50);

COMMENT ON TABLE radd.consumers IS
    'One row per consumer and periodic task ever declared: cursor, lease and receipt. Change it through `radd consumers`, which raises the epoch';
COMMENT ON COLUMN radd.consumers.name IS 'As the plugin declares it; kept for ever';
COMMENT ON COLUMN radd.consumers.plugin IS 'Who declared it last';
COMMENT ON COLUMN radd.consumers.plugin_version IS 'And in which version';
COMMENT ON COLUMN radd.consumers.kind IS 'consumer, or task: a periodic task, which has a lease and no cursor';
COMMENT ON COLUMN radd.consumers.resume_policy IS
    'Where it goes on after it was disabled or retired: head (it reaches outward) or cursor (it builds state)';
COMMENT ON COLUMN radd.consumers.cursor IS
    'Id of the last event it has passed; moves only to final ids, and only by a compare-and-set that names the old value and the epoch';
COMMENT ON COLUMN radd.consumers.seeded_at IS
    'The receipt counts events above this id: where it first began, or the target of the last seek';
COMMENT ON COLUMN radd.consumers.handled_count IS
    'Receipt: events passed since seeded_at without a record of phase plan or quarantine in radd.skipped_events';
COMMENT ON COLUMN radd.consumers.handled_hash IS
    'Receipt: sum of splitmix64(id) over the same events, modulo 2^64, as a signed number';
COMMENT ON COLUMN radd.consumers.owner IS 'host:pid:random of the process that runs it; null: released';
COMMENT ON COLUMN radd.consumers.lease_until IS
    'By the database''s clock. Past, with an owner: the owner died or hangs, and anybody may take over';
COMMENT ON COLUMN radd.consumers.epoch IS 'Raised by takeover, seek, pause and retire; fences the owner before';
COMMENT ON COLUMN radd.consumers.updated_at IS 'When the cursor last moved; renewing a lease does not touch it';
COMMENT ON COLUMN radd.consumers.state IS
    'active; retired by an operator; beyond_head: the cursor was past the stream (a restored backup), held until a seek';
COMMENT ON COLUMN radd.consumers.paused_until IS 'infinity: until resumed; null or past: not paused';
COMMENT ON COLUMN radd.consumers.pause_reason IS 'What the operator wrote';
COMMENT ON COLUMN radd.consumers.disabled_since IS
    'Set when a host started without its plugin and nobody ran it, or it was retired; cleared when it is declared again, which is when resume_policy applies';
-- Hosts of one database need not have the same plugins. One that starts without a plugin while the
-- host that has it restarts must not mark its consumers as disabled: those that resume at the head
-- would then pass what was written meanwhile.
COMMENT ON COLUMN radd.consumers.run_by IS
    'Installation (host name and manifests folder) that ran it last, or else declared it first. Only a start of that one sets disabled_since';
COMMENT ON COLUMN radd.consumers.attempt_event_id IS
    'Event whose planning was started in cautious mode, after an owner had died; stale once the cursor has passed it';
COMMENT ON COLUMN radd.consumers.attempt_started IS 'How many owners have started it; none came back if it counts above 1';
COMMENT ON COLUMN radd.consumers.overdue_event_id IS 'Event whose handler has outlived its deadline and still runs';
COMMENT ON COLUMN radd.consumers.retry_round IS 'Raised by each request to retry skipped events; the owner sees it with its renewal';

CREATE TABLE radd.skipped_events (
    id                 bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    consumer           text        NOT NULL,
    event_id           bigint      NOT NULL,
    event              jsonb       NOT NULL,
    phase              text        NOT NULL,
    error              text        NOT NULL,
    plugin             text        NOT NULL,
    plugin_version     text        NOT NULL,
    attempts           int         NOT NULL DEFAULT 1,
    skipped_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    retry_requested_at timestamptz,
    resolved_at        timestamptz,
    resolution         text,
    CONSTRAINT skipped_phase_is_known      CHECK (phase IN ('plan', 'deliver', 'quarantine')),
    CONSTRAINT skipped_error_is_short      CHECK (octet_length(error) <= 8192),
    CONSTRAINT skipped_resolution_is_known CHECK (resolution IN ('retried', 'replayed')),
    CONSTRAINT skipped_resolved_once       CHECK ((resolved_at IS NULL) = (resolution IS NULL))
);

-- No second open record of one failure: it is what ON CONFLICT adds its attempt to. Also how
-- open records of one consumer are found and counted.
CREATE UNIQUE INDEX skipped_events_open ON radd.skipped_events (consumer, event_id, phase)
 WHERE resolved_at IS NULL;
-- What `radd verify` leaves out of a receipt: WHERE consumer = … AND event_id > … AND event_id <= …
CREATE INDEX skipped_events_of_consumer ON radd.skipped_events (consumer, event_id);

COMMENT ON TABLE radd.skipped_events IS
    'Events a consumer has passed without their effect, each with a copy of the event: nothing skipped is lost. `radd consumers retry NAME` plans them again';
COMMENT ON INDEX radd.skipped_events_open IS 'One open record per consumer, event and phase';
COMMENT ON INDEX radd.skipped_events_of_consumer IS 'All records of one consumer, in order of the stream';
COMMENT ON COLUMN radd.skipped_events.event IS 'The whole row of radd.events, which may be dropped by retention before it is retried';
COMMENT ON COLUMN radd.skipped_events.phase IS
    'plan: planning failed and was undone; deliver: planned and committed, and the delivery failed; quarantine: its planning has killed the process too often';
COMMENT ON COLUMN radd.skipped_events.error IS 'One line';
COMMENT ON COLUMN radd.skipped_events.plugin_version IS 'Version that failed';
COMMENT ON COLUMN radd.skipped_events.attempts IS 'How often it has failed, retries included';
COMMENT ON COLUMN radd.skipped_events.retry_requested_at IS 'An operator asked to plan it again; the owner has not done so yet';
COMMENT ON COLUMN radd.skipped_events.resolved_at IS 'When it was settled; null: open';
COMMENT ON COLUMN radd.skipped_events.resolution IS
    'retried: planned again outside the cursor; replayed: the cursor was set back before it, so the consumer meets it again';
