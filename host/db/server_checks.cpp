#include <string>

#include <host/db/server_checks.hpp>
#include <radd/error.hpp>

namespace radd::db {
namespace {

constexpr Sql select_facts = R"sql(
    SELECT pg_catalog.pg_is_in_recovery() AS is_standby,
           current_setting('default_transaction_read_only')::boolean AS is_read_only,
           current_setting('server_encoding') AS encoding,
           current_database() AS database,
           current_user AS role,
           has_database_privilege(current_database(), 'CREATE') AS may_create,
           (SELECT has_schema_privilege(oid, 'USAGE')
              FROM pg_catalog.pg_namespace WHERE nspname = 'radd') AS may_use,
           -- The columns an emitter may write are granted one by one. Only whoever migrates writes
           -- the ledger, only radd.settle() the mark, only the owner what is dropped, and partitions
           -- are written through radd.events.
           (SELECT min(c.relname) FROM pg_catalog.pg_class c
              JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
             WHERE n.nspname = 'radd' AND c.relkind IN ('r', 'p') AND NOT c.relispartition
               AND c.relname NOT IN ('migrations', 'stream', 'retention')
               AND NOT (has_table_privilege(c.oid, 'SELECT')
                        AND has_any_column_privilege(c.oid, 'INSERT'))) AS closed_table)sql";

void check_writable(const Row& facts) {
    const std::string database = "database " + facts.text("database") + ": ";
    if (facts.boolean("is_standby")) {
        throw ConfigError{database +
                          "the server is a standby, which takes no writes; point database.url at "
                          "the primary (target_session_attrs=read-write finds it among several)"};
    }
    if (facts.boolean("is_read_only")) {
        throw ConfigError{database +
                          "default_transaction_read_only is on, so nothing can be written; turn it "
                          "off for this role or database"};
    }
    if (facts.text("encoding") != "UTF8") {
        throw ConfigError{database + "its encoding is " + facts.text("encoding") +
                          ", which cannot keep every text; create it with ENCODING 'UTF8'"};
    }
}

void check_rights(const Row& facts) {
    const std::string& role = facts.text("role");
    const std::string subject = "database " + facts.text("database") + ": role " + role;
    if (facts.is_null("may_use")) {
        if (facts.boolean("may_create")) return;
        throw ConfigError{subject +
                          " may not create the schema radd; run GRANT CREATE ON DATABASE \"" +
                          facts.text("database") + "\" TO \"" + role + "\""};
    }
    if (!facts.boolean("may_use")) {
        throw ConfigError{
            subject + " may not use the schema radd; run GRANT USAGE, CREATE ON SCHEMA radd TO \"" +
            role + "\", or radd migrate --roles and GRANT radd_host TO \"" + role + "\""};
    }
    if (!facts.is_null("closed_table")) {
        throw ConfigError{subject + " may not read and write radd." + facts.text("closed_table") +
                          "; run GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA radd "
                          "TO \"" +
                          role + "\", or radd migrate --roles as their owner"};
    }
}

}  // namespace

void check_version(int version) {
    if (version >= server_version_min) return;
    constexpr int per_major = 10000;
    throw ConfigError{"database: PostgreSQL " + std::to_string(version / per_major) +
                      " is too old; 13 is the oldest that works, upgrade the server"};
}

void check_server(Session& session) {
    check_version(session.server_version());
    const Rows rows = session.query(select_facts);
    check_writable(rows[0]);
    check_rights(rows[0]);
}

}  // namespace radd::db
