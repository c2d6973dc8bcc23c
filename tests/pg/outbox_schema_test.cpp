// What the migration promises to applications, and what the host checks before it trusts it.

#include <string>

#include <doctest/doctest.h>

#include <host/outbox/startup_checks.hpp>
#include <libpq-fe.h>
#include <tests/pg/outbox_bench.hpp>

namespace {

using namespace radd;
using namespace radd::testing;

/// Sends `lines` through COPY, as a bulk loader does. Returns libpq's complaint, or nothing.
std::string copy(const std::string& url, const std::string& command, const std::string& lines) {
    const std::unique_ptr<PGconn, decltype(&PQfinish)> connection{PQconnectdb(url.c_str()),
                                                                  &PQfinish};
    PQclear(PQexec(connection.get(), "SET radd.silent = 'on'"));
    PQclear(PQexec(connection.get(), command.c_str()));
    PQputCopyData(connection.get(), lines.data(), static_cast<int>(lines.size()));
    PQputCopyEnd(connection.get(), nullptr);
    PQclear(PQgetResult(connection.get()));
    return PQerrorMessage(connection.get());
}

/// What happened elsewhere: rows that no sequence has numbered.
constexpr const char* insert_thousand =
    "INSERT INTO radd.events (id, event_type, entity_type, entity_id) "
    "OVERRIDING SYSTEM VALUE SELECT i, 'a.b', 'note', i FROM generate_series(1, 1000) i";

/// A host whose role may look at everything of the stream and change nothing.
struct Onlooker : OutboxBench {
    Onlooker() {
        database.execute("CREATE ROLE " + role + "; GRANT USAGE ON SCHEMA radd TO " + role +
                         "; GRANT SELECT ON radd.events, radd.events_id_seq TO " + role +
                         "; GRANT EXECUTE ON FUNCTION radd.ids_left() TO " + role);
        session.run_script("SET ROLE " + role);
    }
    ~Onlooker() { database.execute("DROP OWNED BY " + role + "; DROP ROLE " + role); }

    std::string role = database.name() + "_looks";
    db::Session session{database.options()};
};

void check(OutboxBench& bench) {
    db::Session session{bench.database.options()};
    outbox::check_stream(session, bench.log);
}

}  // namespace

TEST_SUITE("outbox schema") {
    TEST_CASE_FIXTURE(OutboxBench, "COPY and INSERT and radd.emit are read alike") {
        auto tail = started_tail();
        CHECK(copy(database.url(),
                   "COPY radd.events (event_type, entity_type, entity_id) FROM STDIN",
                   "a.copied\tnote\t1\na.copied\tnote\t2\n")
                  .empty());
        database.execute(
            "INSERT INTO radd.events (event_type, entity_type, entity_id) "
            "VALUES ('a.inserted', 'note', '3'); "
            "SELECT radd.emit(entity_id => '4', entity_type => 'note', "
            "event_type => 'a.emitted', payload => '{\"n\":9007199254740993}')");
        std::vector<std::int64_t> ids;
        CHECK(eventually([&] {
            read_on(*tail, database.session(), ids);
            return joined(ids) == "1,2,3,4";
        }));

        CHECK(database.value("SELECT string_agg(silent::text, ',' ORDER BY id) FROM radd.events") ==
              "true,true,false,false");
        CHECK(last("payload->>'n'") == "9007199254740993");
    }

    TEST_CASE_FIXTURE(OutboxBench, "a mark is any spelling of true and a typo is no silence") {
        const auto emit_under = [&](const std::string& mark) {
            database.execute("BEGIN; SET LOCAL radd.silent = '" + mark +
                             "'; INSERT INTO radd.events (event_type, entity_type, entity_id) "
                             "VALUES ('a', 'b', 'c'); COMMIT");
            return last("silent");
        };
        CHECK(emit_under("on") == "true");
        CHECK(emit_under("true") == "true");
        CHECK(emit_under("") == "false");
        CHECK(emit_under("off") == "false");
        CHECK_THROWS_AS(emit_under("quiet"), SqlError);
    }

    TEST_CASE_FIXTURE(OutboxBench, "radd.emit refuses what the SDK would") {
        for (const char* call : {"'Item.Updated', 'note', '1'",
                                 "'', 'note', '1'",
                                 "'a.b', 'note', ''",
                                 "'a.b', 'note', repeat('x', 201)",
                                 "'a.b', 'note', '1', payload => '[]'",
                                 "null, 'note', '1'",
                                 "'a.b', 'note', '1', changes => '{}'"}) {
            CAPTURE(std::string{call});
            CHECK_THROWS_AS(database.execute("SELECT radd.emit(" + std::string{call} + ")"),
                            SqlError);
        }
        CHECK(stored_ids().empty());
    }

    TEST_CASE_FIXTURE(OutboxBench, "a role that may append can choose no id and draw none") {
        const std::string role = database.name() + "_app";
        database.execute("CREATE ROLE " + role + " LOGIN; GRANT USAGE ON SCHEMA radd TO " + role +
                         "; GRANT INSERT (event_type, entity_type, entity_id, actor_id, payload, "
                         "changes, project_id, silent, automated_cause, traceparent, occurred_at), "
                         "SELECT (id) ON radd.events TO " +
                         role);
        const auto as_app = [&](const std::string& statement) {
            db::Session app{database.options()};
            app.run_script("SET ROLE " + role + "; " + statement);
        };
        const std::string columns = "INSERT INTO radd.events (event_type, entity_type, entity_id";

        CHECK_NOTHROW(as_app(columns + ") VALUES ('a', 'b', 'c')"));
        CHECK_NOTHROW(as_app("SELECT radd.emit('a.b', 'note', '1')"));
        CHECK_NOTHROW(as_app("SELECT radd.settle()"));
        CHECK_THROWS_AS(as_app(columns + ", id) OVERRIDING SYSTEM VALUE VALUES ('a', 'b', 'c', 9)"),
                        SqlError);
        CHECK_THROWS_AS(as_app("SELECT nextval('radd.events_id_seq')"), SqlError);
        CHECK_THROWS_AS(as_app("SELECT payload FROM radd.events"), SqlError);
        CHECK_THROWS_AS(as_app("DELETE FROM radd.events"), SqlError);
        CHECK_THROWS_AS(as_app("SELECT radd.ensure_partitions()"), SqlError);

        database.execute("DROP OWNED BY " + role + "; DROP ROLE " + role);
    }

    TEST_CASE_FIXTURE(OutboxBench, "settle wants a snapshot of its own") {
        database.execute("SELECT radd.emit('a.b', 'note', '1')");
        CHECK_THROWS_AS(database.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; "
                                         "SELECT radd.settle(); COMMIT"),
                        SqlError);
    }

    TEST_CASE_FIXTURE(OutboxBench, "partitions are made while an emitter is open") {
        db::Session emitter{database.options()};
        emitter.begin();
        emitter.query("SELECT radd.emit('a.b', 'note', '1')");
        database.execute("SET lock_timeout = '5s'");

        CHECK(database.value("SELECT radd.ensure_partitions(ahead => 75000000)") == "2");
        CHECK(database.value("SELECT radd.ids_left()") == "79999998");
        emitter.commit();
        CHECK(database.value("SELECT radd.ensure_partitions()") == "0");
    }
}

TEST_SUITE("startup checks") {
    TEST_CASE_FIXTURE(OutboxBench, "a fresh database passes and burns no id") {
        CHECK_NOTHROW(check(*this));
        CHECK_NOTHROW(check(*this));
        database.execute("SELECT radd.emit('a.b', 'note', '1')");

        CHECK(stored_ids() == "1");
        CHECK(log.count(LogLevel::warn, "") == 0);
    }

    // P04
    TEST_CASE_FIXTURE(OutboxBench, "a sequence behind the rows is set forward with a warning") {
        database.execute(insert_thousand);
        check(*this);
        CHECK(log.count(LogLevel::warn, "behind the last row 1000") == 1);

        auto tail = started_tail();
        database.execute("SELECT radd.emit('a.b', 'note', 'after')");
        CHECK(tail->wait(1000, std::chrono::seconds{10}));
        CHECK(tail->position() == 1001);
        CHECK(database.value("SELECT id FROM radd.events WHERE entity_id = 'after'") == "1001");
    }

    TEST_CASE_FIXTURE(OutboxBench, "a cached sequence is refused with the command that helps") {
        database.execute("ALTER TABLE radd.events ALTER COLUMN id SET CACHE 20");
        CHECK_THROWS_WITH_AS(check(*this), doctest::Contains("SET CACHE 1"), ConfigError);

        database.execute("ALTER TABLE radd.events ALTER COLUMN id SET CACHE 1");
        CHECK_NOTHROW(check(*this));
    }

    TEST_CASE_FIXTURE(OutboxBench, "a sequence that leaves ids out is refused") {
        database.execute("ALTER TABLE radd.events ALTER COLUMN id SET INCREMENT 2");
        CHECK_THROWS_WITH_AS(
            check(*this),
            "radd.events_id_seq: INCREMENT is 2; run ALTER TABLE radd.events ALTER "
            "COLUMN id SET INCREMENT 1",
            ConfigError);

        database.execute("ALTER TABLE radd.events ALTER COLUMN id SET INCREMENT 1");
        CHECK_NOTHROW(check(*this));
    }

    TEST_CASE_FIXTURE(Onlooker, "a sequence that cannot be set forward is refused") {
        database.execute(insert_thousand);
        for (const char* part : {"at 0, behind the last row 1000, and could not be set forward: ",
                                 "permission denied",
                                 "run SELECT setval('radd.events_id_seq', 1000)"})
            CHECK_THROWS_WITH_AS(
                outbox::check_stream(session, log), doctest::Contains(part), ConfigError);

        database.execute("SELECT setval('radd.events_id_seq', 1000)");
        CHECK_NOTHROW(outbox::check_stream(session, log));
    }

    TEST_CASE_FIXTURE(Onlooker, "partitions that cannot be made are told before they are missed") {
        database.execute("SELECT setval('radd.events_id_seq', 59000000)");
        CHECK_NOTHROW(outbox::check_stream(session, log));
        CHECK(log.count(LogLevel::warn, "partitions end 999999 ids after the last one drawn") == 1);

        database.execute("SELECT setval('radd.events_id_seq', 59999999)");
        for (const char* part : {"partitions end 0 ids after the last one drawn, so inserts fail",
                                 "permission denied",
                                 "run SELECT radd.ensure_partitions() as the owner"})
            CHECK_THROWS_WITH_AS(
                outbox::check_stream(session, log), doctest::Contains(part), ConfigError);
    }

    TEST_CASE_FIXTURE(OutboxBench, "a server that takes no writes is refused") {
        database.execute("ALTER DATABASE " + database.name() +
                         " SET default_transaction_read_only = on");
        db::Session session{database.options()};
        CHECK_THROWS_WITH_AS(
            outbox::check_stream(session, log), doctest::Contains("read-only"), ConfigError);
    }

    TEST_CASE_FIXTURE(OutboxBench, "missing partitions are made") {
        database.execute("SELECT setval('radd.events_id_seq', 59000000)");
        check(*this);

        CHECK(log.count(LogLevel::info, "made 5 partitions") == 1);
        CHECK(database.value("SELECT radd.ids_left()") == "50999999");
    }
}
