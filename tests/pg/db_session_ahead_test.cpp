// What travels in front of another statement.

#include <string>

#include <doctest/doctest.h>

#include <host/db/session.hpp>
#include <tests/support/test_database.hpp>
#include <tests/support/wait.hpp>

using radd::SqlError;
using radd::Unavailable;
using radd::db::Session;
using radd::testing::eventually;
using radd::testing::TestDatabase;

namespace {

struct Bench {
    TestDatabase db;
    Session session{db.options()};

    Bench() { db.execute("CREATE TABLE kept (id bigint PRIMARY KEY)"); }

    void insert(std::int64_t id) { session.query("INSERT INTO kept (id) VALUES ($1)", id); }
    std::string ids() {
        return db.value("SELECT coalesce(string_agg(id::text, ' ' ORDER BY id), '') FROM kept");
    }
};

}  // namespace

TEST_SUITE("session, what is sent ahead") {
    TEST_CASE_FIXTURE(Bench, "costs no round trip and runs before what follows") {
        for (int id = 1; id <= 3; ++id) insert(id);  // Known and prepared from here on.
        session.begin();
        const auto sent = session.statements_sent();
        session.send_ahead("SAVEPOINT a");
        insert(4);
        session.send_ahead("RELEASE SAVEPOINT a");
        session.send_ahead("SAVEPOINT a");
        insert(5);
        CHECK(session.statements_sent() == sent + 2);
        session.run_script("ROLLBACK TO SAVEPOINT a");
        session.commit();

        CHECK(ids() == "1 2 3 4");
    }

    TEST_CASE_FIXTURE(Bench, "is there for the statement that fails behind it") {
        insert(1);
        session.begin();
        for (int again = 0; again < 3; ++again) {
            session.send_ahead("SAVEPOINT a");
            CHECK_THROWS_WITH_AS(insert(1), doctest::Contains("duplicate key value"), SqlError);
            CHECK(session.transaction_failed());
            session.run_script("ROLLBACK TO SAVEPOINT a; RELEASE SAVEPOINT a");
            CHECK_FALSE(session.transaction_failed());
        }
        insert(2);
        session.commit();

        CHECK(ids() == "1 2");
    }

    TEST_CASE_FIXTURE(Bench, "holds also a statement that cannot be prepared") {
        constexpr radd::Sql select = "SELECT id FROM fleeting";
        db.execute("CREATE TABLE fleeting (id bigint)");
        session.query(select);
        db.execute("DROP TABLE fleeting");
        session.begin();
        insert(1);
        session.send_ahead("SAVEPOINT a");
        CHECK_THROWS_AS(session.query(select), SqlError);  // Its second use: to be prepared first.
        session.run_script("ROLLBACK TO SAVEPOINT a");
        session.commit();

        CHECK(ids() == "1");
    }

    TEST_CASE_FIXTURE(Bench, "goes before a script and moves none of its lines") {
        session.begin();
        session.send_ahead("SAVEPOINT a");
        CHECK_THROWS_WITH_AS(session.run_script("SELECT 1;\nSELECT nothing"),
                             doctest::Contains("line 2: "),
                             SqlError);
        session.run_script("ROLLBACK TO SAVEPOINT a");
        insert(1);
        session.commit();

        CHECK(ids() == "1");
    }

    TEST_CASE_FIXTURE(Bench, "that fails is answered in the place of what follows") {
        session.begin();
        session.send_ahead("RELEASE SAVEPOINT nobody_set");
        CHECK_THROWS_WITH_AS(insert(1), doctest::Contains("3B001"), SqlError);
        session.rollback();
        insert(2);

        CHECK(ids() == "2");
    }

    TEST_CASE_FIXTURE(Bench, "is dropped with its transaction") {
        for (const bool commits : {true, false}) {
            session.begin();
            session.send_ahead("RELEASE SAVEPOINT nobody_set");
            if (commits) session.commit();
            if (!commits) session.rollback();
            session.begin();
            insert(commits ? 1 : 2);
            session.commit();
        }

        CHECK(ids() == "1 2");
        CHECK_THROWS_AS(session.send_ahead("SAVEPOINT a"), radd::Error);
    }

    TEST_CASE_FIXTURE(Bench, "finds a lost connection as any statement does") {
        session.begin();
        insert(1);
        const std::string pid = std::to_string(session.backend_pid());
        REQUIRE(db.value("SELECT pg_terminate_backend(" + pid + ")") == "true");
        REQUIRE(eventually([&] {
            return db.value("SELECT count(*) FROM pg_stat_activity WHERE pid = " + pid) == "0";
        }));
        session.send_ahead("SAVEPOINT a");
        CHECK_THROWS_AS(insert(2), Unavailable);
        CHECK_FALSE(session.usable());
        CHECK_THROWS_AS(session.send_ahead("SAVEPOINT a"), Unavailable);

        CHECK(ids().empty());
    }
}
