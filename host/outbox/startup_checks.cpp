#include <cstdint>
#include <string>

#include <host/outbox/startup_checks.hpp>

namespace radd::outbox {
namespace {

constexpr std::int64_t ids_left_warning = 10'000'000;

constexpr Sql select_role = R"sql(
    SELECT pg_is_in_recovery() AS is_standby,
           current_setting('transaction_read_only')::boolean AS is_read_only)sql";

constexpr Sql select_sequence = R"sql(
    SELECT seqcache AS cache, seqincrement AS increment FROM pg_catalog.pg_sequence
     WHERE seqrelid = 'radd.events_id_seq'::regclass)sql";

constexpr Sql make_probe = "CREATE TEMPORARY SEQUENCE radd_probe";
constexpr Sql draw_probe = "SELECT nextval('pg_temp.radd_probe')";
constexpr Sql see_probe = R"sql(
    SELECT count(*) AS seen FROM pg_catalog.pg_locks
     WHERE locktype = 'relation' AND relation = 'pg_temp.radd_probe'::regclass
       AND mode = 'RowExclusiveLock' AND pid = pg_backend_pid())sql";

// Each partition's primary key answers from its end.
constexpr Sql select_distance = R"sql(
    SELECT coalesce((SELECT max(id) FROM radd.events), 0) AS last_row,
           CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS last_drawn
      FROM radd.events_id_seq)sql";

// Waits for emitters that have begun and keeps others out: none can draw an id between the look
// and setval(), which would put the sequence back below theirs.
constexpr Sql lock_emitters = "LOCK TABLE radd.events IN SHARE ROW EXCLUSIVE MODE";
constexpr Sql limit_wait = "SET LOCAL lock_timeout = '10s'";
constexpr Sql set_forward = R"sql(
    SELECT setval('radd.events_id_seq', greatest(
        (SELECT max(id) FROM radd.events),
        (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END
           FROM radd.events_id_seq))) AS now_at)sql";

constexpr Sql make_partitions = "SELECT radd.ensure_partitions() AS made";
constexpr Sql select_ids_left = "SELECT radd.ids_left() AS ids_left";

void check_primary(db::Session& session) {
    const Rows rows = session.query(select_role);
    if (rows[0].boolean("is_standby")) {
        throw ConfigError{
            "database.url: the server is a standby, where nothing can be written and the locks of "
            "emitters are not seen; point it at the primary"};
    }
    if (rows[0].boolean("is_read_only")) {
        throw ConfigError{
            "database.url: transactions are read-only here; set default_transaction_read_only to "
            "off for this role and database"};
    }
}

void check_sequence(db::Session& session) {
    const Rows rows = session.query(select_sequence);
    if (rows.empty()) {
        throw ConfigError{"radd.events_id_seq: there is no such sequence; run radd migrate"};
    }
    const auto cache = rows[0].integer("cache");
    if (cache != 1) {
        throw ConfigError{"radd.events_id_seq: CACHE is " + std::to_string(cache) +
                          ", so sessions keep ids beyond their transactions and events are lost; "
                          "run ALTER TABLE radd.events ALTER COLUMN id SET CACHE 1"};
    }
    const auto increment = rows[0].integer("increment");
    if (increment != 1) {
        throw ConfigError{"radd.events_id_seq: INCREMENT is " + std::to_string(increment) +
                          "; run ALTER TABLE radd.events ALTER COLUMN id SET INCREMENT 1"};
    }
}

void check_lock_is_seen(db::Session& session) {
    session.begin();
    session.query(make_probe);
    session.run_script("SAVEPOINT probe");
    session.query(draw_probe);
    session.run_script("ROLLBACK TO SAVEPOINT probe");
    const auto seen = session.query(see_probe)[0].integer("seen");
    session.rollback();
    if (seen > 0) return;
    throw ConfigError{
        "pg_locks: a transaction that drew an id is not seen to hold the sequence on server "
        "version " +
        std::to_string(session.server_version()) +
        ", so events could be lost; use a PostgreSQL release this host was tested on"};
}

void check_distance(db::Session& session, Log& log) {
    const Rows rows = session.query(select_distance);
    const auto last_row = rows[0].integer("last_row");
    const auto last_drawn = rows[0].integer("last_drawn");
    if (last_drawn >= last_row) return;
    std::int64_t now_at = 0;
    try {
        session.begin();
        session.query(limit_wait);
        session.query(lock_emitters);
        now_at = session.query(set_forward)[0].integer("now_at");
        session.commit();
    } catch (const SqlError& error) {
        session.rollback();
        throw ConfigError{"radd.events_id_seq: at " + std::to_string(last_drawn) +
                          ", behind the last row " + std::to_string(last_row) +
                          ", and could not be set forward: " + error.what() +
                          "; stop the emitters and run SELECT setval('radd.events_id_seq', " +
                          std::to_string(last_row) + ")"};
    }
    log.warn("radd.events_id_seq: was at " + std::to_string(last_drawn) + ", behind the last row " +
             std::to_string(last_row) +
             " (a restore or a backfill with explicit ids); set forward to " +
             std::to_string(now_at));
}

void check_partitions(db::Session& session, Log& log) {
    std::string problem;
    try {
        const auto made = session.query(make_partitions)[0].integer("made");
        if (made > 0) log.info("radd.events: made " + std::to_string(made) + " partitions ahead");
    } catch (const SqlError& error) {
        problem = error.what();
    }
    const auto left = session.query(select_ids_left)[0].integer("ids_left");
    const std::string distance =
        "radd.events: partitions end " + std::to_string(left) + " ids after the last one drawn";
    if (left <= 0) {
        throw ConfigError{distance + ", so inserts fail, and no more could be made: " + problem +
                          "; run SELECT radd.ensure_partitions() as the owner of radd.events"};
    }
    if (left < ids_left_warning)
        log.warn(distance + ", and no more could be made: " + problem +
                 "; run SELECT radd.ensure_partitions() as the owner of radd.events");
}

}  // namespace

void check_stream(db::Session& session, Log& log) {
    check_primary(session);
    check_sequence(session);
    check_lock_is_seen(session);
    check_distance(session, log);
    check_partitions(session, log);
}

}  // namespace radd::outbox
