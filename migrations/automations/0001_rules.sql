-- What happens by itself, and what came of it.

CREATE SCHEMA automations;

CREATE FUNCTION automations.rfc3339(at timestamptz) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
COMMENT ON FUNCTION automations.rfc3339 IS 'An instant as JSON has it';

CREATE TABLE automations.rules (
    id              bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- Of a rule that a plugin brings: `<plugin>.<name>`.
    name            text        NOT NULL UNIQUE CHECK (octet_length(name) BETWEEN 1 AND 200),
    plugin          text,
    -- trigger, when, then, chain: as people wrote it.
    definition      jsonb       NOT NULL,
    trigger_events  text[]      NOT NULL,
    -- What its actions name by id: `item/12`.
    subjects        text[]      NOT NULL,
    project_id      bigint,
    -- Null: events start it.
    next_run_at     timestamptz,
    enabled         boolean     NOT NULL DEFAULT true,
    -- The budget counts from here: whoever switches a rule on again gives it a new one.
    enabled_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    disabled_reason text,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK (enabled = (disabled_reason IS NULL))
);
COMMENT ON TABLE automations.rules IS 'Rules: which events or times start them, what they ask and do';

CREATE INDEX rules_by_event ON automations.rules USING gin (trigger_events) WHERE enabled;
COMMENT ON INDEX automations.rules_by_event IS 'Which rules an event starts';
CREATE INDEX rules_by_time ON automations.rules (next_run_at) WHERE enabled;
COMMENT ON INDEX automations.rules_by_time IS 'Which rule is due next';

CREATE TABLE automations.runs (
    id       bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    rule_id  bigint      NOT NULL REFERENCES automations.rules ON DELETE CASCADE,
    -- Null: the clock started it.
    event_id bigint,
    outcome  text        NOT NULL CHECK (outcome IN ('applied', 'idle', 'failed', 'stopped')),
    -- Why it failed or was stopped.
    detail   text        NOT NULL DEFAULT '',
    -- What was planned, action by action.
    plan     jsonb       NOT NULL DEFAULT '[]',
    -- How many rules stand before it in the chain, itself included.
    depth    int         NOT NULL,
    took_ms  bigint      NOT NULL,
    at       timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE automations.runs IS 'One row per run, for as long as the setting runs_kept says';

CREATE INDEX runs_of_rule ON automations.runs (rule_id, id);
COMMENT ON INDEX automations.runs_of_rule IS 'The latest runs of a rule, and how many there were in the last hour';
CREATE INDEX runs_by_time ON automations.runs (at);
COMMENT ON INDEX automations.runs_by_time IS 'What is removed next';
