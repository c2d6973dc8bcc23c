-- Service levels: which time is promised for which items, and how far each item's time has run.
--
-- A clock is a function of its item's history, a policy and a calendar: it is computed anew from
-- these whenever one of them changes, and only what has been told stays as it was told.

CREATE SCHEMA sla;

CREATE TABLE sla.calendars (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text        NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 200),
    -- IANA name, e.g. Europe/Berlin.
    zone       text        NOT NULL,
    -- [{"day":"mon","from":"08:00","to":"18:00"}]; `to` at or before `from` is on the next day.
    hours      jsonb       NOT NULL CHECK (jsonb_array_length(hours) > 0),
    -- [{"date":"2026-12-25","name":"Christmas Day","yearly":true}]
    holidays   jsonb       NOT NULL DEFAULT '[]',
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE sla.calendars IS 'When time counts: weekly hours in a zone, without holidays';

CREATE TABLE sla.policies (
    id                 bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id         bigint      NOT NULL REFERENCES items.projects ON DELETE CASCADE,
    name               text        NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    -- Of the policies that an item fits, the first by (position, id) is the item's.
    position           int         NOT NULL CHECK (position BETWEEN 0 AND 1000000),
    enabled            boolean     NOT NULL DEFAULT true,
    -- Empty: any. Labels: one of them is enough.
    types              text[]      NOT NULL DEFAULT '{}',
    priorities         text[]      NOT NULL DEFAULT '{}',
    labels             text[]      NOT NULL DEFAULT '{}',
    calendar_id        bigint      NOT NULL REFERENCES sla.calendars,
    -- Names of states in which no time counts.
    pause_states       text[]      NOT NULL DEFAULT '{}',
    -- {"first_response":{"within_minutes":60,"due_soon_minutes":15},"resolution":{…}}
    targets            jsonb       NOT NULL CHECK (targets <> '{}'),
    -- Whether what was overdue before anybody could know raises an alarm all the same.
    alarm_for_past     boolean     NOT NULL DEFAULT false,
    created_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at         timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE sla.policies IS 'What is promised for the items of a project, and which items';
CREATE INDEX policies_of_project ON sla.policies (project_id, position, id);
CREATE INDEX policies_of_calendar ON sla.policies (calendar_id);

-- No foreign keys to items: deleting one must not wait for its clocks.
CREATE TABLE sla.histories (
    item_id     bigint      PRIMARY KEY,
    -- When it was imported; null: it was made here.
    imported_at timestamptz,
    as_of       bigint      NOT NULL
);
COMMENT ON TABLE sla.histories IS 'How far the stream has been taken in, item by item';
COMMENT ON COLUMN sla.histories.as_of IS
    'The last event of the item that was taken in: no alarm is raised while there is a later one';

CREATE TABLE sla.state_changes (
    item_id       bigint      NOT NULL,
    event_id      bigint      NOT NULL,
    at            timestamptz NOT NULL,
    from_state    text        NOT NULL,
    from_category text        NOT NULL,
    to_state      text        NOT NULL,
    to_category   text        NOT NULL,
    PRIMARY KEY (item_id, event_id)
);
COMMENT ON TABLE sla.state_changes IS 'Each change of state of an item, as its event told it';

CREATE TABLE sla.clocks (
    item_id         bigint      NOT NULL,
    policy_id       bigint      NOT NULL REFERENCES sla.policies ON DELETE CASCADE,
    target          text        NOT NULL CHECK (target IN ('first_response', 'resolution')),
    -- The event that reopened the item; 0 until one has.
    life            bigint      NOT NULL,
    began_at        timestamptz NOT NULL,
    -- False: another policy is the item's by now, or this one has lost the target.
    followed        boolean     NOT NULL,
    paused          boolean     NOT NULL,
    -- What is left while it is paused, in working time.
    remaining_ms    bigint,
    due_soon_at     timestamptz,
    -- Null: paused before it was due, or the calendar does not get there within ten years.
    due_at          timestamptz,
    met_at          timestamptz,
    -- Moments before this raise no alarm: nobody could have acted on them.
    alarm_from      timestamptz NOT NULL,
    due_soon_sent_at timestamptz,
    breach_sent_at  timestamptz,
    -- What there is to tell next, and when. What was breached is never due soon any more.
    alarm_at        timestamptz GENERATED ALWAYS AS (
        CASE WHEN followed AND breach_sent_at IS NULL THEN least(
            CASE WHEN due_soon_sent_at IS NULL AND met_at IS NULL AND due_at IS NOT NULL
                      AND due_soon_at >= alarm_from THEN due_soon_at END,
            CASE WHEN due_at >= alarm_from AND (met_at IS NULL OR due_at < met_at)
                 THEN due_at END)
        END) STORED,
    PRIMARY KEY (item_id, policy_id, target, life)
);
COMMENT ON TABLE sla.clocks IS 'One row per item, policy, target and life: each is told of once';
CREATE INDEX clocks_of_policy ON sla.clocks (policy_id);
CREATE INDEX clocks_by_alarm ON sla.clocks (alarm_at, item_id, policy_id, target, life)
    WHERE alarm_at IS NOT NULL;
COMMENT ON INDEX sla.clocks_by_alarm IS 'What is told next';
CREATE INDEX clocks_open ON sla.clocks (coalesce(due_at, 'infinity'::timestamptz), item_id, policy_id, target, life)
    WHERE followed AND met_at IS NULL;
COMMENT ON INDEX sla.clocks_open IS 'What people look at: what runs, the most urgent first';

-- A project is in here while its open items wait to be computed anew.
CREATE TABLE sla.refreshes (
    project_id bigint      PRIMARY KEY REFERENCES items.projects ON DELETE CASCADE,
    changed_at timestamptz NOT NULL,
    after_item bigint      NOT NULL DEFAULT 0
);
COMMENT ON TABLE sla.refreshes IS 'Projects whose policies or calendars have changed, and how far their items are done';

-- A clock as readers want it: its state by the database's clock, names beside ids.
CREATE VIEW sla.clock_details AS
SELECT c.item_id, i.key, i.title, project.key AS project_key, c.policy_id, p.name AS policy_name,
       c.target, c.life, c.followed, c.remaining_ms,
       CASE WHEN c.due_at < coalesce(c.met_at, clock_timestamp()) THEN 'breached'
            WHEN c.met_at IS NOT NULL THEN 'met'
            WHEN c.paused THEN 'paused'
            WHEN c.due_soon_at <= clock_timestamp() THEN 'due_soon'
            ELSE 'running' END AS state,
       (extract(epoch FROM c.due_at) * 1000000)::bigint AS due_us,
       to_char(c.began_at AT TIME ZONE 'UTC', f.text) AS began_at,
       to_char(c.due_soon_at AT TIME ZONE 'UTC', f.text) AS due_soon_at,
       to_char(c.due_at AT TIME ZONE 'UTC', f.text) AS due_at,
       to_char(c.met_at AT TIME ZONE 'UTC', f.text) AS met_at,
       to_char(c.due_soon_sent_at AT TIME ZONE 'UTC', f.text) AS due_soon_sent_at,
       to_char(c.breach_sent_at AT TIME ZONE 'UTC', f.text) AS breach_sent_at
FROM (SELECT 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"' AS text) f, sla.clocks c
JOIN sla.policies p ON p.id = c.policy_id
JOIN items.items i ON i.id = c.item_id
JOIN items.projects project ON project.id = i.project_id;
COMMENT ON VIEW sla.clock_details IS
    'Clocks with their state: running, paused, due_soon, breached or met';
