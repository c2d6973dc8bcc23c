-- Whom an item concerns, what each person was told, and how they want to be told.
--
-- Rows of people go with the person. Rows of an item have no foreign key: it would make telling
-- wait for whoever has the item locked, and deleting an item wait for telling. They are swept when
-- the item is deleted, and what is read joins the item, so that nothing shows before that.

CREATE SCHEMA notify;

-- The watch graph. A person may have several reasons; who has none is not told.
CREATE TABLE notify.watches (
    item_id   bigint NOT NULL,
    person_id uuid   NOT NULL REFERENCES items.people ON DELETE CASCADE,
    reason    text   NOT NULL
        CHECK (reason IN ('reporter', 'assignee', 'commenter', 'mentioned', 'watcher')),
    PRIMARY KEY (item_id, person_id, reason)
);
CREATE INDEX watches_by_person ON notify.watches (person_id);

-- All reasons but `mentioned` are what the item itself says: as it was when `as_of` was the last
-- settled event, so that a backlog asks each item once and not once for each of its events.
CREATE TABLE notify.watched_items (
    item_id bigint PRIMARY KEY,
    as_of   bigint NOT NULL
);

CREATE TABLE notify.project_watches (
    project_id bigint NOT NULL REFERENCES items.projects ON DELETE CASCADE,
    person_id  uuid   NOT NULL REFERENCES items.people ON DELETE CASCADE,
    PRIMARY KEY (project_id, person_id)
);
CREATE INDEX project_watches_by_person ON notify.project_watches (person_id);

-- Who wants to hear no more of an item, whatever the reason.
CREATE TABLE notify.mutes (
    item_id   bigint NOT NULL,
    person_id uuid   NOT NULL REFERENCES items.people ON DELETE CASCADE,
    PRIMARY KEY (item_id, person_id)
);
CREATE INDEX mutes_by_person ON notify.mutes (person_id);

-- A person is here as soon as there is something for a digest, or a wish.
CREATE TABLE notify.people (
    person_id      uuid PRIMARY KEY REFERENCES items.people ON DELETE CASCADE,
    zone           text NOT NULL CHECK (length(zone) BETWEEN 1 AND 100),  -- IANA
    digest_hour    smallint NOT NULL CHECK (digest_hour BETWEEN 0 AND 23),
    -- Null: the next tick finds it out.
    next_digest_at timestamptz
);
CREATE INDEX people_by_digest ON notify.people (next_digest_at);

-- What a person has decided; what is not here is as the kind says.
CREATE TABLE notify.preferences (
    person_id uuid    NOT NULL REFERENCES items.people ON DELETE CASCADE,
    kind      text    NOT NULL CHECK (length(kind) BETWEEN 1 AND 200),
    inbox     boolean NOT NULL,
    mail      boolean NOT NULL,
    digest    boolean NOT NULL,
    PRIMARY KEY (person_id, kind)
);

CREATE TABLE notify.digests (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    person_id   uuid NOT NULL REFERENCES items.people ON DELETE CASCADE,
    -- Of the person, in their zone. The key is the promise: one digest a day, whatever the clocks do.
    day         date NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    outcome     text CHECK (outcome IN ('sent', 'given_up', 'cancelled')),
    outcome_detail text,
    UNIQUE (person_id, day),
    CHECK ((finished_at IS NULL) = (outcome IS NULL))
);

CREATE TABLE notify.notices (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    person_id   uuid NOT NULL REFERENCES items.people ON DELETE CASCADE,
    -- Null: a rule has told it, and may do so more than once.
    event_id    bigint,
    kind        text NOT NULL CHECK (length(kind) BETWEEN 1 AND 200),
    item_id     bigint NOT NULL,
    comment_id  bigint,
    actor_id    uuid,
    automated   text,
    -- Names of fields and states, or what a rule says; no text that somebody may change later.
    detail      jsonb NOT NULL DEFAULT '{}',
    in_inbox    boolean NOT NULL,
    in_digest   boolean NOT NULL,
    mail        boolean NOT NULL,
    -- A mail was wanted, and there had been too many: it is in the digest instead.
    over_limit  boolean NOT NULL DEFAULT false,
    created_at  timestamptz NOT NULL DEFAULT now(),
    read_at     timestamptz,
    archived_at timestamptz,
    digest_id   bigint REFERENCES notify.digests ON DELETE SET NULL,
    -- Mail is finished with this row: it went out, alone or in a digest, or was given up.
    emailed_at  timestamptz,
    mail_outcome text CHECK (mail_outcome IN ('sent', 'given_up', 'cancelled')),
    mail_detail text,
    -- One event tells a person once.
    UNIQUE (person_id, event_id),
    CHECK ((emailed_at IS NULL) = (mail_outcome IS NULL))
);
CREATE INDEX notices_inbox ON notify.notices (person_id, id) WHERE in_inbox;
CREATE INDEX notices_unread ON notify.notices (person_id)
 WHERE in_inbox AND read_at IS NULL AND archived_at IS NULL;
CREATE INDEX notices_for_digest ON notify.notices (person_id, id)
 WHERE in_digest AND NOT mail AND digest_id IS NULL AND read_at IS NULL AND archived_at IS NULL;
CREATE INDEX notices_mailed ON notify.notices (person_id, created_at) WHERE mail;
CREATE INDEX notices_of_digest ON notify.notices (digest_id) WHERE digest_id IS NOT NULL;
CREATE INDEX notices_by_item ON notify.notices (item_id);
CREATE INDEX notices_by_comment ON notify.notices (comment_id) WHERE comment_id IS NOT NULL;
CREATE INDEX notices_by_time ON notify.notices (created_at);
-- What an operator looks for: mails that wait, and those that did not go out.
CREATE INDEX notices_unfinished ON notify.notices (id) WHERE mail AND emailed_at IS NULL;
CREATE INDEX notices_given_up ON notify.notices (id) WHERE mail_outcome = 'given_up';

COMMENT ON TABLE notify.watches IS 'Whom an item concerns, and why';
COMMENT ON TABLE notify.notices IS 'What each person was told, kept as long as the setting notices_kept says';
COMMENT ON COLUMN notify.notices.emailed_at IS 'Since when mail is finished with it, however it ended; no further attempt and no digest takes it up';
