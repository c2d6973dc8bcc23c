-- Who is told of what, and what came of each attempt. The deliveries are in radd.deliveries.

CREATE SCHEMA webhooks;

CREATE TABLE webhooks.endpoints (
    id               bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name             text        NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 200),
    url              text        NOT NULL CHECK (octet_length(url) <= 8192),
    format           text        NOT NULL CHECK (format IN ('cloudevents', 'plain')),
    -- Empty: all. `item.*` is every type that begins with `item.`.
    event_types      text[]      NOT NULL DEFAULT '{}',
    entity_types     text[]      NOT NULL DEFAULT '{}',
    project_ids      bigint[]    NOT NULL DEFAULT '{}',
    enabled          boolean     NOT NULL DEFAULT true,
    -- Sealed under a key outside the database.
    secret           text        NOT NULL,
    -- After a rotation both sign until the old one's time is over.
    old_secret       text,
    old_secret_until timestamptz,
    -- Since when no attempt has succeeded; null: the last one did, or there was none.
    failing_since    timestamptz,
    disabled_at      timestamptz,
    disabled_reason  text,
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK ((old_secret IS NULL) = (old_secret_until IS NULL)),
    CHECK (enabled = (disabled_at IS NULL))
);
COMMENT ON TABLE webhooks.endpoints IS 'Receivers of webhooks, their filters and sealed secrets';

CREATE TABLE webhooks.attempts (
    id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    endpoint_id bigint      NOT NULL,
    delivery_id bigint      NOT NULL,
    attempt     int         NOT NULL,
    outcome     text        NOT NULL,
    status      int,
    detail      text        NOT NULL,
    took_ms     bigint      NOT NULL,
    at          timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE webhooks.attempts IS 'One row per attempt, for as long as the setting attempts_kept says';
COMMENT ON COLUMN webhooks.attempts.delivery_id IS 'In radd.deliveries, while that row is kept';

CREATE INDEX attempts_of_endpoint ON webhooks.attempts (endpoint_id, id);
COMMENT ON INDEX webhooks.attempts_of_endpoint IS 'The latest attempts of an endpoint';
CREATE INDEX attempts_by_time ON webhooks.attempts (at);
COMMENT ON INDEX webhooks.attempts_by_time IS 'What is removed next';
