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
using radd::Contention;
using radd::InvalidInput;
using radd::SqlError;
using radd::Unavailable;
using radd::db::CommitFailed;
using radd::db::CommitInDoubt;
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
}
