#pragma once

/// Every statement of a request: who is asking, signing in, and what bounds guessing.

#include <radd/sql.hpp>

namespace radd::accounts::sql {

// Unique index of token_hash. ms_left: null if it does not expire.
inline constexpr Sql find_token = R"sql(
    SELECT coalesce(a.id, t.id) AS id, coalesce(a.name, t.name) AS name,
           CASE WHEN a.role = 'member' THEN a.role ELSE t.role END AS role,
           (extract(epoch FROM t.expires_at - clock_timestamp()) * 1000)::bigint AS ms_left,
           coalesce(t.last_used_at < clock_timestamp() - $2::bigint * interval '1 second', true)
               AS touch_due
      FROM radd.tokens t LEFT JOIN radd.accounts a ON a.id = t.account_id
     WHERE t.token_hash = decode($1, 'hex') AND t.revoked_at IS NULL
       AND coalesce(t.expires_at > clock_timestamp(), true) AND a.disabled_at IS NULL)sql";

// Primary key. Sessions of a disabled account do not exist; the condition costs nothing.
inline constexpr Sql find_session = R"sql(
    SELECT a.id, a.name, a.role,
           (extract(epoch FROM s.expires_at - clock_timestamp()) * 1000)::bigint AS ms_left,
           s.last_seen_at < clock_timestamp() - $2::bigint * interval '1 second' AS touch_due
      FROM radd.sessions s JOIN radd.accounts a ON a.id = s.account_id
     WHERE s.session_hash = decode($1, 'hex') AND s.expires_at > clock_timestamp()
       AND a.disabled_at IS NULL)sql";

// Whoever is second at the row passes: it has just been done, and a request must not wait for it.
inline constexpr Sql touch_token = R"sql(
    UPDATE radd.tokens SET last_used_at = clock_timestamp()
     WHERE id IN (SELECT t.id FROM radd.tokens t WHERE t.token_hash = decode($1, 'hex')
                     FOR NO KEY UPDATE SKIP LOCKED))sql";

// $2 and $3: how long it lasts unseen, and at most, in seconds.
inline constexpr Sql touch_session = R"sql(
    UPDATE radd.sessions
       SET last_seen_at = clock_timestamp(),
           expires_at = least(clock_timestamp() + $2::bigint * interval '1 second',
                              created_at + $3::bigint * interval '1 second')
     WHERE session_hash IN (SELECT s.session_hash FROM radd.sessions s
                             WHERE s.session_hash = decode($1, 'hex')
                               FOR NO KEY UPDATE SKIP LOCKED))sql";

// One attempt into a bucket: $1 kind, $2 name, $3 address or device; $4 the step in milliseconds,
// $5 how many steps it holds. No row: it is full. Waits for others at this bucket alone.
inline constexpr Sql charge_bucket = R"sql(
    INSERT INTO radd.sign_in_limits AS l (bucket, busy_until)
    VALUES (sha256(convert_to($1 || chr(10) || lower($2) || chr(10) || $3, 'UTF8')),
            clock_timestamp() + $4::bigint * interval '1 millisecond')
    ON CONFLICT (bucket) DO UPDATE
       SET busy_until = greatest(l.busy_until, clock_timestamp())
                        + $4::bigint * interval '1 millisecond'
     WHERE l.busy_until <= clock_timestamp() + ($5::bigint - 1) * $4::bigint * interval '1 millisecond'
    RETURNING busy_until)sql";

inline constexpr Sql bucket_wait = R"sql(
    SELECT greatest(1, ceil(extract(epoch FROM busy_until - clock_timestamp()
               - ($5::bigint - 1) * $4::bigint * interval '1 millisecond')))::bigint AS seconds
      FROM radd.sign_in_limits
     WHERE bucket = sha256(convert_to($1 || chr(10) || lower($2) || chr(10) || $3, 'UTF8')))sql";

// Takes one attempt back.
inline constexpr Sql refund_bucket = R"sql(
    UPDATE radd.sign_in_limits SET busy_until = busy_until - $4::bigint * interval '1 millisecond'
     WHERE bucket = sha256(convert_to($1 || chr(10) || lower($2) || chr(10) || $3, 'UTF8')))sql";

// Index sign_in_limits_idle. A bucket that is empty is one that is not there.
inline constexpr Sql delete_idle_buckets = R"sql(
    DELETE FROM radd.sign_in_limits
     WHERE bucket IN (SELECT bucket FROM radd.sign_in_limits WHERE busy_until < clock_timestamp()
                       ORDER BY busy_until LIMIT $1 FOR UPDATE SKIP LOCKED))sql";

// Index accounts_name; a row also for a disabled account, which must cost the same.
inline constexpr Sql account_to_sign_in = R"sql(
    SELECT id, password, disabled_at IS NULL AS enabled
      FROM radd.accounts WHERE lower(name) = lower($1))sql";

// Primary key of devices. $2: the name typed.
inline constexpr Sql is_known_device = R"sql(
    SELECT EXISTS (SELECT FROM radd.devices d JOIN radd.accounts a ON a.id = d.account_id
                    WHERE d.device_hash = decode($1, 'hex') AND d.expires_at > clock_timestamp()
                      AND lower(a.name) = lower($2)) AS known)sql";

// No row: the account was disabled, or its password changed, after $2 was read. The lock of the row
// makes a change that ends sessions come before this one or see its session.
inline constexpr Sql admit_account = R"sql(
    UPDATE radd.accounts
       SET last_sign_in_at = clock_timestamp(), password = coalesce($3::text, password)
     WHERE id = $1::uuid AND password = $2 AND disabled_at IS NULL
    RETURNING id, name, role, true AS has_password,
           to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created_at,
           to_char(last_sign_in_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
               AS last_sign_in_at,
           NULL AS disabled_at)sql";

inline constexpr Sql insert_session = R"sql(
    INSERT INTO radd.sessions (session_hash, account_id, expires_at)
    VALUES (decode($1, 'hex'), $2::uuid, clock_timestamp() + $3::bigint * interval '1 second'))sql";

// Index sessions_account: all but the $2 seen last.
inline constexpr Sql trim_sessions = R"sql(
    DELETE FROM radd.sessions
     WHERE session_hash IN (SELECT session_hash FROM radd.sessions WHERE account_id = $1::uuid
                             ORDER BY last_seen_at DESC OFFSET $2))sql";

// Index sessions_expiry.
inline constexpr Sql delete_expired_sessions = R"sql(
    DELETE FROM radd.sessions
     WHERE session_hash IN (SELECT session_hash FROM radd.sessions
                             WHERE expires_at < clock_timestamp()
                             ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED))sql";

inline constexpr Sql delete_session = R"sql(
    DELETE FROM radd.sessions s USING radd.accounts a
     WHERE s.session_hash = decode($1, 'hex') AND a.id = s.account_id
    RETURNING a.name)sql";

// A known one is known for longer.
inline constexpr Sql keep_device = R"sql(
    INSERT INTO radd.devices (device_hash, account_id, expires_at)
    VALUES (decode($1, 'hex'), $2::uuid, clock_timestamp() + $3::bigint * interval '1 second')
    ON CONFLICT (device_hash) DO UPDATE SET expires_at = excluded.expires_at)sql";

// Index devices_account: all but the $2 that last longest.
inline constexpr Sql trim_devices = R"sql(
    DELETE FROM radd.devices
     WHERE device_hash IN (SELECT device_hash FROM radd.devices WHERE account_id = $1::uuid
                            ORDER BY expires_at DESC OFFSET $2))sql";

// Index devices_expiry.
inline constexpr Sql delete_expired_devices = R"sql(
    DELETE FROM radd.devices
     WHERE device_hash IN (SELECT device_hash FROM radd.devices
                            WHERE expires_at < clock_timestamp()
                            ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED))sql";

// No row: unknown, used, replaced, expired, of a disabled account, or for the first administrator
// when there is one.
inline constexpr Sql find_link = R"sql(
    SELECT l.purpose, a.name, l.account_id,
           to_char(l.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS expires_at
      FROM radd.links l LEFT JOIN radd.accounts a ON a.id = l.account_id
     WHERE l.code_hash = decode($1, 'hex') AND l.used_at IS NULL
       AND l.expires_at > clock_timestamp() AND a.disabled_at IS NULL
       AND (l.purpose <> 'first_admin'
            OR NOT EXISTS (SELECT FROM radd.accounts e
                            WHERE e.role = 'admin' AND e.disabled_at IS NULL
                              AND e.password IS NOT NULL)))sql";

// After lock_administration and find_link: of many who hold one code, one gets a row.
inline constexpr Sql use_link = R"sql(
    UPDATE radd.links SET used_at = clock_timestamp()
     WHERE code_hash = decode($1, 'hex') AND used_at IS NULL AND expires_at > clock_timestamp()
    RETURNING purpose)sql";

inline constexpr Sql set_password = R"sql(
    UPDATE radd.accounts SET password = $2 WHERE id = $1::uuid)sql";

}  // namespace radd::accounts::sql
