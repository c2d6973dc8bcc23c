-- Who is asked, and what was answered.

CREATE SCHEMA csat;

-- A project is in here if it wants surveys.
CREATE TABLE csat.projects (
    project_id bigint PRIMARY KEY REFERENCES items.projects ON DELETE CASCADE,
    enabled_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE csat.surveys (
    -- The key is the promise: one survey in the life of an item, however often it is resolved.
    item_id      bigint PRIMARY KEY REFERENCES items.items ON DELETE CASCADE,
    -- SHA-256 of the token in the mail. The token itself is in the mail alone, so that nobody who
    -- reads this table can answer in another's name.
    token_hash   bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    requested_at timestamptz NOT NULL DEFAULT now(),
    -- How many mails were tried. All but the last are known not to have gone out.
    attempts     integer NOT NULL DEFAULT 1 CHECK (attempts > 0),
    -- Since when the last mail is known not to have gone out. Null: it went out, or nobody knows,
    -- and then nobody is asked again.
    unsent_since timestamptz,
    score        integer CHECK (score BETWEEN 1 AND 5),
    comment      text CHECK (length(comment) <= 4000),
    responded_at timestamptz,
    CHECK ((score IS NULL) = (responded_at IS NULL)),
    CHECK (comment IS NULL OR score IS NOT NULL),
    -- An answer proves that the mail arrived.
    CHECK (unsent_since IS NULL OR responded_at IS NULL)
);
