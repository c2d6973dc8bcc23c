#pragma once

/// Every statement about accounts and tokens as they are managed; see sign_in_sql.hpp for those of
/// a request. Rows are found by primary key or by the index that is named.

#include <radd/sql.hpp>

namespace radd::accounts::sql {

// Until the end of the transaction: changes of who may do what take turns over all hosts, so that
// two administrators cannot remove each other, and a link is used before or after a change of its
// account. Sign-in and requests do not take it.
inline constexpr Sql lock_administration = "SELECT pg_advisory_xact_lock(7301, 4)";

inline constexpr Sql account_by_id = R"sql(
    SELECT id, name, role, password IS NOT NULL AS has_password,
           to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created_at,
           to_char(last_sign_in_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
               AS last_sign_in_at,
           to_char(disabled_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS disabled_at
      FROM radd.accounts WHERE id = $1::uuid)sql";

// Index accounts_name.
inline constexpr Sql account_by_name = R"sql(
    SELECT id, name, role, password IS NOT NULL AS has_password,
           to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created_at,
           to_char(last_sign_in_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
               AS last_sign_in_at,
           to_char(disabled_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS disabled_at
      FROM radd.accounts WHERE lower(name) = lower($1))sql";

inline constexpr Sql lock_account = R"sql(
    SELECT id, name, role, password IS NOT NULL AS has_password,
           to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created_at,
           to_char(last_sign_in_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
               AS last_sign_in_at,
           to_char(disabled_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS disabled_at
      FROM radd.accounts WHERE id = $1::uuid FOR UPDATE)sql";

// Index accounts_name, from the one after $1 on.
inline constexpr Sql list_accounts = R"sql(
    SELECT id, name, role, password IS NOT NULL AS has_password,
           to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created_at,
           to_char(last_sign_in_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
               AS last_sign_in_at,
           to_char(disabled_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS disabled_at
      FROM radd.accounts
     WHERE $1::uuid IS NULL
        OR lower(name) > (SELECT lower(a.name) FROM radd.accounts a WHERE a.id = $1::uuid)
     ORDER BY lower(name) LIMIT $2)sql";

inline constexpr Sql insert_account = R"sql(
    INSERT INTO radd.accounts (name, role, password) VALUES ($1, $2, $3)
    RETURNING id, name, role, password IS NOT NULL AS has_password,
           to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created_at,
           NULL AS last_sign_in_at, NULL AS disabled_at)sql";

// $3: null leaves it as it is.
inline constexpr Sql change_account = R"sql(
    UPDATE radd.accounts
       SET role = $2,
           disabled_at = CASE WHEN $3::boolean IS NULL THEN disabled_at
                              WHEN $3::boolean THEN coalesce(disabled_at, clock_timestamp()) END
     WHERE id = $1::uuid
    RETURNING id, name, role, password IS NOT NULL AS has_password,
           to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created_at,
           to_char(last_sign_in_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
               AS last_sign_in_at,
           to_char(disabled_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
               AS disabled_at)sql";

// Besides $1, who may be null. Reads the whole table: it is small, and this is rare.
inline constexpr Sql other_admins = R"sql(
    SELECT EXISTS (SELECT FROM radd.accounts
                    WHERE role = 'admin' AND disabled_at IS NULL AND password IS NOT NULL
                      AND id IS DISTINCT FROM $1::uuid) AS found)sql";

// Index sessions_account.
inline constexpr Sql end_sessions = "DELETE FROM radd.sessions WHERE account_id = $1::uuid";
// Index devices_account.
inline constexpr Sql delete_devices = "DELETE FROM radd.devices WHERE account_id = $1::uuid";

// Index tokens_account.
inline constexpr Sql revoke_tokens_of = R"sql(
    UPDATE radd.tokens SET revoked_at = clock_timestamp()
     WHERE account_id = $1::uuid AND revoked_at IS NULL)sql";

// Used ones as well. The table holds a handful of rows per account.
inline constexpr Sql delete_links = "DELETE FROM radd.links WHERE account_id = $1::uuid";
inline constexpr Sql delete_first_admin_links =
    "DELETE FROM radd.links WHERE purpose = 'first_admin'";

inline constexpr Sql insert_link = R"sql(
    INSERT INTO radd.links (code_hash, purpose, account_id, expires_at)
    VALUES (decode($1, 'hex'), $2, $3::uuid, clock_timestamp() + $4::bigint * interval '1 second')
    RETURNING to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
              AS expires_at)sql";

// No row: the account is not there, disabled, or below the role. Its row is locked against a
// change meanwhile, which would then not see the token it has to end.
inline constexpr Sql insert_token = R"sql(
    WITH owner AS (
        SELECT a.id FROM radd.accounts a
         WHERE a.id = $4::uuid AND a.disabled_at IS NULL AND (a.role = 'admin' OR $3 = 'member')
           FOR SHARE)
    INSERT INTO radd.tokens (token_hash, name, role, account_id, expires_at)
    SELECT decode($1, 'hex'), $2, $3, $4::uuid,
           clock_timestamp() + $5::bigint * interval '1 second'
     WHERE $4::uuid IS NULL OR EXISTS (SELECT FROM owner)
    RETURNING id, name, role, account_id,
           to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created_at,
           NULL AS last_used_at,
           to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS expires_at,
           NULL AS revoked_at)sql";

// Index tokens_created, backwards from the one after $1.
inline constexpr Sql list_tokens = R"sql(
    SELECT id, name, role, account_id,
           to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created_at,
           to_char(last_used_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
               AS last_used_at,
           to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS expires_at,
           to_char(revoked_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS revoked_at
      FROM radd.tokens t
     WHERE $1::uuid IS NULL
        OR (t.created_at, t.id) < (SELECT b.created_at, b.id FROM radd.tokens b
                                    WHERE b.id = $1::uuid)
     ORDER BY t.created_at DESC, t.id DESC LIMIT $2)sql";

inline constexpr Sql revoke_token = R"sql(
    UPDATE radd.tokens SET revoked_at = coalesce(revoked_at, clock_timestamp())
     WHERE id = $1::uuid
    RETURNING id, name, role, account_id,
           to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created_at,
           to_char(last_used_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
               AS last_used_at,
           to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS expires_at,
           to_char(revoked_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
               AS revoked_at)sql";

}  // namespace radd::accounts::sql
