-- Who may use this installation: people with a role, tokens for programs, sessions of browsers,
-- one-time links, and what bounds guessing.
--
-- No secret is stored. Tokens, cookies and links are 256 random bits, of which SHA-256 is kept: a
-- reader of these tables or of a backup can use none of them. Passwords are kept as scrypt, salted.
-- Every time is the database's, so hosts whose clocks differ agree on what has expired. All that
-- is looked up on a request is found by a primary key or a unique index; rows are locked one at a
-- time, except where the last administrator is at stake (advisory lock 7301, 4).

CREATE TABLE radd.accounts (
    id              uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    name            text        NOT NULL,
    role            text        NOT NULL,
    password        text,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_sign_in_at timestamptz,
    disabled_at     timestamptz,
    CONSTRAINT account_name_is_short    CHECK (octet_length(name) BETWEEN 1 AND 200),
    CONSTRAINT account_role_is_known    CHECK (role IN ('member', 'admin')),
    CONSTRAINT account_password_is_hash CHECK (password LIKE '$scrypt$%' AND octet_length(password) <= 300)
);
-- One name, however it is written. Sign-in looks it up: WHERE lower(name) = lower(…).
CREATE UNIQUE INDEX accounts_name ON radd.accounts (lower(name));

COMMENT ON TABLE radd.accounts IS
    'People who may sign in. Change it through `radd account`, which ends sessions and tokens where a right is lost. Rows are never deleted: events name them as actors';
COMMENT ON INDEX radd.accounts_name IS 'No two accounts differ in case alone';
COMMENT ON COLUMN radd.accounts.id IS 'What events carry as actor_id';
COMMENT ON COLUMN radd.accounts.name IS 'Typed at sign-in, in any case';
COMMENT ON COLUMN radd.accounts.role IS 'member or admin';
COMMENT ON COLUMN radd.accounts.password IS
    '$scrypt$ln=…,r=…,p=…$salt$hash; null: none was ever set, nobody can sign in but by a one-time link';
COMMENT ON COLUMN radd.accounts.disabled_at IS 'Since when nobody can sign in as this; null: enabled';

CREATE TABLE radd.tokens (
    id           uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    token_hash   bytea       NOT NULL UNIQUE,
    name         text        NOT NULL,
    role         text        NOT NULL,
    account_id   uuid        REFERENCES radd.accounts (id),
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_used_at timestamptz,
    expires_at   timestamptz,
    revoked_at   timestamptz,
    CONSTRAINT token_hash_is_sha256   CHECK (octet_length(token_hash) = 32),
    CONSTRAINT token_name_is_short    CHECK (octet_length(name) BETWEEN 1 AND 200),
    CONSTRAINT token_role_is_known    CHECK (role IN ('member', 'admin')),
    CONSTRAINT token_expiry_is_finite CHECK (isfinite(expires_at))
);
-- The list, newest first, a page at a time.
CREATE INDEX tokens_created ON radd.tokens (created_at, id);
-- Which tokens end with a right of an account.
CREATE INDEX tokens_account ON radd.tokens (account_id) WHERE revoked_at IS NULL;

COMMENT ON TABLE radd.tokens IS
    'Bearer tokens of programs. A token is shown once, when it is made; `radd token revoke` ends it. Revoked ones stay, for the record';
COMMENT ON INDEX radd.tokens_created IS 'Newest first';
COMMENT ON INDEX radd.tokens_account IS 'Tokens in force of one account';
COMMENT ON COLUMN radd.tokens.id IS 'What events carry as actor_id, if the token has no account';
COMMENT ON COLUMN radd.tokens.token_hash IS 'SHA-256 of the token';
COMMENT ON COLUMN radd.tokens.name IS 'What it is for, in words';
COMMENT ON COLUMN radd.tokens.role IS 'member or admin; with an account, the lower of both counts';
COMMENT ON COLUMN radd.tokens.account_id IS 'Whom it acts for; null: for itself';
COMMENT ON COLUMN radd.tokens.last_used_at IS 'Written at most once a minute';
COMMENT ON COLUMN radd.tokens.expires_at IS 'Null: never';

CREATE TABLE radd.sessions (
    session_hash bytea       PRIMARY KEY,
    account_id   uuid        NOT NULL REFERENCES radd.accounts (id),
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at   timestamptz NOT NULL,
    CONSTRAINT session_hash_is_sha256 CHECK (octet_length(session_hash) = 32)
);
CREATE INDEX sessions_account ON radd.sessions (account_id, last_seen_at);
CREATE INDEX sessions_expiry ON radd.sessions (expires_at);

COMMENT ON TABLE radd.sessions IS
    'Browsers that are signed in. The CSRF token is derived from the cookie and stored nowhere. Deleting a row signs it out';
COMMENT ON INDEX radd.sessions_account IS 'Sessions of one account, the least recently seen first';
COMMENT ON INDEX radd.sessions_expiry IS 'What each new session clears away';
COMMENT ON COLUMN radd.sessions.session_hash IS 'SHA-256 of the cookie';
COMMENT ON COLUMN radd.sessions.last_seen_at IS 'Written at most once a minute';
COMMENT ON COLUMN radd.sessions.expires_at IS
    'Moves on with last_seen_at, never beyond a fixed time after created_at';

CREATE TABLE radd.links (
    code_hash  bytea       PRIMARY KEY,
    purpose    text        NOT NULL,
    account_id uuid        REFERENCES radd.accounts (id),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz NOT NULL,
    used_at    timestamptz,
    CONSTRAINT link_hash_is_sha256   CHECK (octet_length(code_hash) = 32),
    CONSTRAINT link_purpose_is_known CHECK (purpose IN ('first_admin', 'set_password')),
    CONSTRAINT link_has_its_account  CHECK ((purpose = 'set_password') = (account_id IS NOT NULL))
);
-- A new link replaces the one before: at most one that is open per account, and one for the first
-- administrator.
CREATE UNIQUE INDEX links_open ON radd.links (purpose, account_id) WHERE used_at IS NULL;
CREATE UNIQUE INDEX links_open_first_admin ON radd.links (purpose)
 WHERE used_at IS NULL AND purpose = 'first_admin';

COMMENT ON TABLE radd.links IS 'One-time links. Each is used by exactly one request, and replaced by the next one for the same purpose';
COMMENT ON INDEX radd.links_open IS 'One open link per account';
COMMENT ON INDEX radd.links_open_first_admin IS 'One open link for the first administrator';
COMMENT ON COLUMN radd.links.code_hash IS 'SHA-256 of the code in the link';
COMMENT ON COLUMN radd.links.purpose IS
    'first_admin: makes an administrator where there is none; set_password: sets the password of its account';
COMMENT ON COLUMN radd.links.used_at IS 'Null: not yet';

-- A bucket per thing that is counted. It holds one instant instead of a list of attempts: each
-- attempt moves it on by a step, and one that would move it further ahead than the bucket is deep
-- is refused (GCRA). One statement, so hosts and threads cannot overtake each other.
CREATE TABLE radd.sign_in_limits (
    bucket     bytea       PRIMARY KEY,
    busy_until timestamptz NOT NULL,
    CONSTRAINT bucket_is_sha256 CHECK (octet_length(bucket) = 32)
);
CREATE INDEX sign_in_limits_idle ON radd.sign_in_limits (busy_until);

COMMENT ON TABLE radd.sign_in_limits IS
    'How often sign-in was tried, per name, per address and per both. Deleting the rows forgives everybody';
COMMENT ON INDEX radd.sign_in_limits_idle IS 'What each attempt clears away';
COMMENT ON COLUMN radd.sign_in_limits.bucket IS
    'SHA-256 of what is counted: people type passwords where the name belongs';
COMMENT ON COLUMN radd.sign_in_limits.busy_until IS 'Empty from then on; what lies ahead of now is what it holds';

-- A browser that has signed in as somebody is not held up by strangers who guess at that name.
CREATE TABLE radd.devices (
    device_hash bytea       PRIMARY KEY,
    account_id  uuid        NOT NULL REFERENCES radd.accounts (id),
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at  timestamptz NOT NULL,
    CONSTRAINT device_hash_is_sha256 CHECK (octet_length(device_hash) = 32)
);
CREATE INDEX devices_account ON radd.devices (account_id, expires_at);
CREATE INDEX devices_expiry ON radd.devices (expires_at);

COMMENT ON TABLE radd.devices IS
    'Browsers that have signed in as an account. Gives no right but to be counted apart from strangers at sign-in';
COMMENT ON INDEX radd.devices_account IS 'Browsers of one account, the oldest first';
COMMENT ON INDEX radd.devices_expiry IS 'What each new session clears away';
COMMENT ON COLUMN radd.devices.device_hash IS 'SHA-256 of the cookie that is left behind at sign-in';
