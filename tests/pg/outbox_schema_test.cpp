// What the migration promises to applications, and what the host checks before it trusts it.

#include <string>
#include <string_view>

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

/// radd.emit() of one note, with `argument` beside or instead of what names it.
struct Emitting : OutboxBench {
    void emit(const std::string& argument) {
        std::string call = "SELECT radd.emit(" + argument;
        for (const char* other :
             {"event_type => 'a.b'", "entity_type => 'note'", "entity_id => '1'"}) {
            const std::string_view given{other};
            if (!argument.starts_with(given.substr(0, given.find(' '))))
                call.append(", ").append(given);
        }
        database.execute(call + ")");
    }
    void kept(const std::string& argument) {
        const auto before = stored();
        CHECK_NOTHROW_MESSAGE(emit(argument), argument);
        CHECK_MESSAGE(stored() == before + 1, argument);
    }
    void refused(const std::string& argument, const char* complaint) {
        const auto before = stored();
        CAPTURE(argument);
        CHECK_THROWS_WITH_AS(emit(argument), doctest::Contains(complaint), SqlError);
        CHECK(stored() == before);
    }
    int stored() { return std::stoi(database.value("SELECT count(*) FROM radd.events")); }
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

    TEST_CASE_FIXTURE(Emitting, "radd.emit refuses what the SDK would") {
        refused("event_type => 'Item.Updated'", "event_type 'Item.Updated' is not lower_case");
        refused("event_type => ''", "event_type '' is not lower_case");
        refused("event_type => null", "event_type null is not lower_case");
        refused("entity_type => 'Note'", "entity_type 'Note' is not lower_case");
        refused("entity_id => ''", "entity_id has 0 bytes");
        kept("entity_id => repeat('x', 200)");
        refused("entity_id => repeat('x', 201)", "entity_id has 201 bytes; 1 to 200 are allowed");
        kept("traceparent => repeat('x', 200)");
        refused("traceparent => repeat('x', 201)", "traceparent has 201 bytes, the limit is 200");
        kept("automated_cause => repeat('x', 1000)");
        refused("automated_cause => repeat('x', 1001)", "has 1001 bytes, the limit is 1000");
        database.execute("SELECT set_config('radd.automated', repeat('x', 1001), false)");
        refused("silent => true", "automated_cause has 1001 bytes, the limit is 1000");
        kept("automated_cause => ''");
        CHECK(last("automated_cause IS NULL") == "true");
    }

    TEST_CASE_FIXTURE(Emitting, "radd.emit keeps a payload as large and as deep as the SDK") {
        const auto nested = [](int arrays) {
            const auto count = std::to_string(arrays);
            return "payload => ('{\"a\":' || repeat('[', " + count + ") || repeat(']', " + count +
                   ") || '}')::jsonb";
        };
        refused("payload => '[]'", "payload is array, it must be an object");
        refused("payload => null", "payload is null, it must be an object");
        // {"k": "…"}
        kept("payload => jsonb_build_object('k', repeat('x', 262135))");
        refused("payload => jsonb_build_object('k', repeat('x', 262136))",
                "payload has 262145 bytes, the limit is 262144");
        kept(nested(63));
        refused(nested(64), "payload is nested deeper than 64 levels");
        kept("payload => jsonb_build_object('a', repeat('[', 1000), 'b', repeat('9', 1000))");
        kept(R"(payload => '{"n": 1.7976931348623157e308, "m": [-1.7976931348623157e308]}')");
        for (const char* number : {"1.8e308", "-1e400"}) {
            refused("payload => '{\"n\": [" + std::string{number} + "]}'",
                    "payload holds a number out of range");
        }
    }

    TEST_CASE_FIXTURE(Emitting, "radd.emit keeps differences of the shapes of the SDK") {
        const auto filled = [](const char* entry, int count) {
            return "changes => (SELECT jsonb_agg('" + std::string{entry} +
                   "'::jsonb) FROM generate_series(1, " + std::to_string(count) + "))";
        };
        kept("changes => '[]'");
        kept(R"(changes => '[{"field": "a", "from": null, "to": {"b": 1}}, {"field": "c"},
                             {"field": "d", "added": [1], "removed": []}]')");
        refused("changes => '{}'", "changes is object, it must be an array or null");
        for (const char* entry : {"1",
                                  "null",
                                  "[]",
                                  "{}",
                                  R"({"field": 1})",
                                  R"({"field": ""})",
                                  R"({"from": 1, "to": 2})",
                                  R"({"field": "a", "from": 1})",
                                  R"({"field": "a", "from": 1, "to": 2, "added": []})",
                                  R"({"field": "a", "added": [], "removed": null})",
                                  R"({"field": "a", "added": [1]})",
                                  R"({"field": "a", "label": "A"})"}) {
            refused("changes => '[{\"field\": \"a\"}, " + std::string{entry} + "]'",
                    "changes[1] is neither {field, from, to} nor");
        }
        kept("changes => jsonb_build_array(jsonb_build_object('field', repeat('x', 200)))");
        refused("changes => jsonb_build_array(jsonb_build_object('field', repeat('x', 201)))",
                "changes[0] is neither");
        kept(filled(R"({"field": "a"})", 1000));
        refused(filled(R"({"field": "a"})", 1001), "changes has 1001 entries, the limit is 1000");
    }

    TEST_CASE_FIXTURE(Emitting, "radd.emit keeps values of a difference as the SDK") {
        const auto with = [](const std::string& value) {
            return "changes => jsonb_build_array(jsonb_build_object('field', 'f', 'from', " +
                   value + ", 'to', 1))";
        };
        const auto nested = [](int arrays) {
            const auto count = std::to_string(arrays);
            return "(repeat('[', " + count + ") || repeat(']', " + count + "))::jsonb";
        };
        // [{"to": 1, "from": "…", "field": "f"}]
        kept(with("repeat('x', 262107)"));
        refused(with("repeat('x', 262108)"), "changes has 262145 bytes, the limit is 262144");
        kept(with(nested(64)));
        refused(with(nested(65)), "changes hold a value that is nested deeper than 64 levels");
        kept(with("1.7976931348623157e308"));
        refused(with("1.8e308"), "changes hold a number out of range");
    }

    // P20
    TEST_CASE_FIXTURE(Emitting, "radd.emit refuses a year that has not four digits") {
        kept("occurred_at => '0001-01-01T00:00:00Z'");
        kept("occurred_at => '9999-12-31T23:59:59.999999Z'");
        kept("occurred_at => '2016-12-31T23:59:60Z'");
        CHECK(last("occurred_at = '2017-01-01T00:00:00Z'") == "true");
        for (const char* time : {"infinity",
                                 "-infinity",
                                 "0044-03-15 BC",
                                 "0001-12-31T23:59:59.999999Z BC",
                                 "10000-01-01T00:00:00Z",
                                 "12024-03-15"}) {
            refused("occurred_at => '" + std::string{time} + "'", "is outside the years 1 to 9999");
        }
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

    TEST_CASE_FIXTURE(OutboxBench, "a server that does not show the locks of emitters is refused") {
        // Of this database alone: each has a catalogue of its own.
        const auto show = [&](const std::string& which) {
            database.execute(
                "SET allow_system_table_mods = on; CREATE OR REPLACE VIEW pg_catalog.pg_locks AS "
                "SELECT * FROM pg_catalog.pg_lock_status() AS l" +
                which);
        };
        show(" WHERE l.mode <> 'RowExclusiveLock'");
        CHECK_THROWS_WITH_AS(check(*this),
                             doctest::Contains("pg_locks: a transaction that drew an id is not "
                                               "seen to hold the sequence on server version "),
                             ConfigError);

        show("");
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
