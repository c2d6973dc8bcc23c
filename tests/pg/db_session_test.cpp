// P05, P06 (the database's part), P21, and what a session promises beside them.

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <host/db/errors.hpp>
#include <host/db/session.hpp>
#include <host/db/statement_cache.hpp>
#include <tests/support/test_database.hpp>
#include <tests/support/wait.hpp>

using namespace std::chrono_literals;
using radd::CommitInDoubt;
using radd::Contention;
using radd::InvalidInput;
using radd::SqlError;
using radd::Unavailable;
using radd::db::CommitFailed;
using radd::db::Session;
using radd::testing::eventually;
using radd::testing::TestDatabase;

namespace {

struct Bench {
    TestDatabase db;
    Session session{db.options()};

    Bench() { db.execute("CREATE TABLE kept (id bigint PRIMARY KEY, text text)"); }

    void insert(std::int64_t id) { session.query("INSERT INTO kept (id) VALUES ($1)", id); }
    void raise(const std::string& sqlstate) {
        session.query_text("DO $$ BEGIN RAISE SQLSTATE '" + sqlstate + "'; END $$", {}, false);
    }
    std::string ids() {
        return db.value("SELECT coalesce(string_agg(id::text, ' ' ORDER BY id), '') FROM kept");
    }
    void kill(const Session& victim) {
        const std::string pid = std::to_string(victim.backend_pid());
        REQUIRE(db.value("SELECT pg_terminate_backend(" + pid + ")") == "true");
        REQUIRE(eventually([&] {
            return db.value("SELECT count(*) FROM pg_stat_activity WHERE pid = " + pid) == "0";
        }));
    }
};

}  // namespace

TEST_SUITE("session") {
    TEST_CASE_FIXTURE(Bench, "a value comes back as it went in") {
        const auto rows = session.query(
            "SELECT $1::bigint AS number, $2::boolean AS yes, $3::float8 AS real, $4::text AS "
            "text, "
            "$5::text AS nothing, $6::uuid AS id",
            -9223372036854775807LL - 1,
            true,
            0.1,
            "π \\ ' \" \n",
            std::optional<std::string>{},
            "6F9619FF-8B86-D011-B42D-00C04FC964FF");

        REQUIRE(rows.size() == 1);
        CHECK(rows[0].integer("number") == -9223372036854775807LL - 1);
        CHECK(rows[0].boolean("yes"));
        CHECK(rows[0].text("real") == "0.1");
        CHECK(rows[0].text("text") == "π \\ ' \" \n");
        CHECK(rows[0].is_null("nothing"));
        CHECK(rows[0].text("id") == "6f9619ff-8b86-d011-b42d-00c04fc964ff");
    }

    TEST_CASE_FIXTURE(Bench, "microseconds and the zone survive") {
        const auto rows =
            session.query("SELECT $1::timestamptz AS at", "2026-03-01T12:00:00.123456+05:30");

        CHECK(rows[0].text("at") == "2026-03-01 06:30:00.123456+00");
    }

    TEST_CASE_FIXTURE(Bench, "a statement without a result tells how many rows it touched") {
        CHECK(session.query("INSERT INTO kept SELECT generate_series(1, 7)").affected() == 7);
        CHECK(session.query("DELETE FROM kept WHERE id > $1", 5).affected() == 2);
    }

    // P21
    TEST_CASE_FIXTURE(Bench, "a NUL byte is refused before anything is sent") {
        const auto sent = session.statements_sent();

        CHECK_THROWS_AS(
            session.query("INSERT INTO kept (id, text) VALUES (1, $1)", std::string{"ab\0cd", 5}),
            InvalidInput);
        CHECK(session.statements_sent() == sent);
        CHECK(ids().empty());
    }

    // P21
    TEST_CASE_FIXTURE(Bench, "what PostgreSQL could not read is not repeated in the error") {
        const auto message_of = [&](radd::Sql sql, std::string_view value) -> std::string {
            try {
                session.query(sql, value);
            } catch (const SqlError& error) {
                return error.what();
            }
            return "accepted";
        };

        CHECK(message_of("SELECT $1::uuid", "s3cret") ==
              "invalid input syntax for type uuid: \"…\" (SQLSTATE 22P02)");
        CHECK(message_of("SELECT $1::bigint[]", "{1,s3cret}").find("s3cret") == std::string::npos);
        CHECK(message_of("SELECT $1::numeric", "a\"s3cret\"").find("s3cret") == std::string::npos);
        CHECK(message_of("INSERT INTO nowhere VALUES ($1)", "nowhere") ==
              "relation \"nowhere\" does not exist (SQLSTATE 42P01)");
    }

    TEST_CASE_FIXTURE(Bench, "the second use prepares and the third does not") {
        const auto trips = [&] {
            const auto before = session.statements_sent();
            session.query("SELECT id FROM kept WHERE id = $1", 1);
            return session.statements_sent() - before;
        };
        const auto prepared = [&] {
            return session.query("SELECT count(*) AS n FROM pg_prepared_statements")[0].integer(
                "n");
        };

        CHECK(trips() == 1);
        CHECK(prepared() == 0);
        CHECK(trips() == 2);
        CHECK(trips() == 1);
        CHECK(prepared() == 2);
    }

    TEST_CASE_FIXTURE(Bench, "the server keeps no more statements than the cache") {
        constexpr auto most = static_cast<std::int64_t>(radd::db::StatementCache::entries_max);
        for (int use = 0; use < 2; ++use) {
            for (std::int64_t i = 0; i < most + 20; ++i) {
                const std::string sql = "SELECT " + std::to_string(i);
                session.query_text(sql, {}, true);
                session.query_text(sql, {}, true);
            }
        }

        const auto rows =
            session.query_text("SELECT count(*) AS n FROM pg_prepared_statements", {}, false);
        CHECK(rows[0].integer("n") <= most);
        CHECK(rows[0].integer("n") > most - 5);
    }

    TEST_CASE_FIXTURE(Bench,
                      "a changed table makes prepared statements anew outside a transaction") {
        const auto read = [&] { return session.query("TABLE kept"); };
        session.query("INSERT INTO kept VALUES (1, 'a')");
        for (int i = 0; i < 3; ++i) read();
        db.execute("ALTER TABLE kept ADD more text DEFAULT 'new'");

        CHECK(read()[0].text("more") == "new");
    }

    TEST_CASE_FIXTURE(Bench, "a changed table in mid-transaction is worth another attempt") {
        const auto read = [&] { return session.query("TABLE kept"); };
        for (int i = 0; i < 3; ++i) read();
        db.execute("ALTER TABLE kept ADD more text");

        session.begin();
        CHECK_THROWS_AS(read(), Contention);
        session.rollback();
        session.begin();
        CHECK_NOTHROW(read());
        session.commit();
    }

    TEST_CASE_FIXTURE(Bench, "each SQLSTATE says what to do about it") {
        for (const auto* code : {"40001", "40P01", "55P03", "57014"})
            CHECK_THROWS_AS(raise(code), Contention);
        for (const auto* code : {"23505", "P0001", "42501", "22003"}) {
            CAPTURE(code);
            CHECK_THROWS_AS(raise(code), SqlError);
        }
        CHECK(session.usable());

        for (const auto* code :
             {"08006", "57P01", "57P02", "57P03", "57P05", "53100", "53300", "25006"}) {
            Session victim{db.options()};
            const std::string sql =
                std::string{"DO $$ BEGIN RAISE SQLSTATE '"} + code + "'; END $$";
            CAPTURE(code);
            CHECK_THROWS_AS(victim.query_text(sql, {}, false), Unavailable);
            CHECK_FALSE(victim.usable());
        }
    }

    TEST_CASE_FIXTURE(Bench, "a statement that takes too long is ended and costs no session") {
        Session hasty{{.url = db.url(), .statement_timeout = 1s}};

        CHECK_THROWS_AS(hasty.query("SELECT pg_sleep(30)"), Contention);
        CHECK(hasty.query("SELECT 1 AS one")[0].integer("one") == 1);
    }

    TEST_CASE_FIXTURE(Bench, "another thread can cut it off in the middle of a statement") {
        std::thread cutter{[&] {
            REQUIRE(eventually([&] {
                return db.value(
                           "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND "
                           "query LIKE 'SELECT pg_sleep%' AND pid = " +
                           std::to_string(session.backend_pid())) == "1";
            }));
            session.cut();
        }};

        CHECK_THROWS_AS(session.query("SELECT pg_sleep(60)"), Unavailable);
        cutter.join();
        CHECK_FALSE(session.usable());
    }

    TEST_CASE_FIXTURE(Bench, "settings are those the host relies on and not those of the role") {
        db.execute("ALTER DATABASE " + db.name() + " SET TimeZone = 'Asia/Tokyo'");
        db.execute("ALTER DATABASE " + db.name() +
                   " SET default_transaction_isolation = 'serializable'");
        db.execute("ALTER DATABASE " + db.name() + " SET DateStyle = 'German'");
        Session fresh{{.url = db.url() + " options='-c work_mem=5MB -c statement_timeout=7s'"}};

        const auto setting = [&](std::string_view name) {
            return fresh.query("SELECT current_setting($1) AS value", name)[0].text("value");
        };
        CHECK(setting("TimeZone") == "UTC");
        CHECK(setting("DateStyle") == "ISO, MDY");
        CHECK(setting("client_encoding") == "UTF8");
        CHECK(setting("application_name") == "radd");
        CHECK(setting("idle_in_transaction_session_timeout") == "1min");
        CHECK(setting("lock_timeout") == "0");
        CHECK(setting("jit") == "off");
        CHECK(setting("statement_timeout") == "7s");
        CHECK(setting("work_mem") == "5MB");
        fresh.begin();
        CHECK(setting("transaction_isolation") == "read committed");
    }

    TEST_CASE_FIXTURE(Bench,
                      "behind a pooler nothing is prepared and each transaction is bounded") {
        Session pooled{
            {.url = db.url(), .statement_timeout = 1234ms, .prepared_statements = false}};
        pooled.begin();
        for (int i = 0; i < 3; ++i) pooled.query("SELECT 1");

        CHECK(pooled.query("SELECT count(*) AS n FROM pg_prepared_statements")[0].integer("n") ==
              0);
        const auto bound = [&] {
            return pooled.query("SELECT current_setting('statement_timeout') AS t")[0].text("t");
        };
        CHECK(bound() == "1234ms");
        pooled.commit();
        CHECK(bound() == "0");
    }

    TEST_CASE_FIXTURE(Bench, "notices go where they are heard and nowhere else") {
        std::string heard;
        Session listener{
            {.url = db.url(), .on_notice = [&](std::string_view text) { heard += text; }}};

        listener.query("DO $$ BEGIN RAISE NOTICE 'psst'; END $$");

        CHECK(heard.find("psst") != std::string::npos);
    }

    // P05 variant C
    TEST_CASE_FIXTURE(Bench, "a statement cannot end the transaction or change the session") {
        session.begin();
        insert(1);
        CHECK_THROWS_AS(session.query("COMMIT"), InvalidInput);
        CHECK_THROWS_AS(session.query("SET statement_timeout = 0"), InvalidInput);
        CHECK_NOTHROW(session.query("SET LOCAL statement_timeout = 0"));
        CHECK(session.in_transaction());
        session.rollback();

        CHECK(ids().empty());
    }

    // P05 variant B
    TEST_CASE_FIXTURE(Bench, "a commit after a swallowed error fails and nothing landed") {
        session.begin();
        insert(1);
        CHECK_THROWS_AS(insert(1), SqlError);
        CHECK(session.transaction_failed());

        CHECK_THROWS_AS(session.commit(), CommitFailed);

        CHECK(ids().empty());
        CHECK_FALSE(session.in_transaction());
        session.begin();
        insert(2);
        session.commit();
        CHECK(ids() == "2");
    }

    TEST_CASE_FIXTURE(Bench,
                      "a commit that a deferred constraint refuses is an error of the work") {
        db.execute("CREATE TABLE child (id bigint REFERENCES kept DEFERRABLE INITIALLY DEFERRED)");
        session.begin();
        session.query("INSERT INTO child VALUES (9)");

        CHECK_THROWS_AS(session.commit(), SqlError);

        CHECK_FALSE(session.in_transaction());
        CHECK(session.usable());
    }

    TEST_CASE_FIXTURE(Bench, "a second begin is refused and the transaction goes on") {
        session.begin();
        insert(1);
        CHECK_THROWS_AS(session.begin(), radd::Error);
        session.commit();

        CHECK(ids() == "1");
        CHECK_THROWS_AS(session.commit(), radd::Error);
    }

    // P06
    TEST_CASE_FIXTURE(Bench,
                      "after the connection is lost no statement runs outside the transaction") {
        session.begin();
        insert(1);
        kill(session);

        CHECK_THROWS_AS(insert(2), Unavailable);
        CHECK_THROWS_AS(insert(3), Unavailable);
        CHECK_THROWS_AS(session.begin(), Unavailable);
        CHECK_THROWS_AS(session.commit(), Unavailable);
        session.rollback();

        CHECK_FALSE(session.usable());
        CHECK(ids().empty());
    }

    // P06
    TEST_CASE_FIXTURE(Bench, "a connection lost before COMMIT was sent is no doubt") {
        session.begin();
        insert(1);
        kill(session);

        bool in_doubt = false;
        try {
            session.commit();
        } catch (const CommitInDoubt&) {
            in_doubt = true;
        } catch (const Unavailable&) {}
        CHECK_FALSE(in_doubt);
        CHECK(ids().empty());
    }

    // P06
    TEST_CASE_FIXTURE(Bench, "a connection lost while COMMIT ran leaves the outcome in doubt") {
        // A deferred trigger holds the commit open for as long as the test needs.
        db.execute(
            "CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS "
            "'BEGIN PERFORM pg_sleep(60); RETURN NULL; END';"
            "CREATE CONSTRAINT TRIGGER hold AFTER INSERT ON kept DEFERRABLE INITIALLY DEFERRED "
            "FOR EACH ROW EXECUTE FUNCTION hold()");
        session.begin();
        insert(1);
        std::thread killer{[&] {
            REQUIRE(eventually([&] {
                return db.value(
                           "SELECT count(*) FROM pg_stat_activity WHERE query = 'COMMIT' AND "
                           "state = 'active' AND pid = " +
                           std::to_string(session.backend_pid())) == "1";
            }));
            kill(session);
        }};

        CHECK_THROWS_AS(session.commit(), CommitInDoubt);
        killer.join();
        CHECK_FALSE(session.usable());
    }

    TEST_CASE_FIXTURE(Bench, "COPY in a query ends the session and not the host") {
        CHECK_THROWS_AS(session.query("COPY kept FROM STDIN"), Unavailable);
        CHECK_THROWS_AS(session.query("SELECT 1"), Unavailable);
    }

    TEST_CASE_FIXTURE(Bench, "a script is one transaction and its error names the line") {
        std::string message;
        try {
            session.run_script(
                "INSERT INTO kept VALUES (1);\n-- π\nINSERT INTO nowhere VALUES (1)");
        } catch (const SqlError& error) {
            message = error.what();
        }

        CHECK(message == "line 3: relation \"nowhere\" does not exist (SQLSTATE 42P01)");
        CHECK(ids().empty());
    }
}
