// P17 (a stream that turns heavy), and what reading row by row promises beside it.

#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <host/db/session.hpp>
#include <tests/support/test_database.hpp>

using radd::Error;
using radd::SchemaError;
using radd::SqlError;
using radd::db::RowView;
using radd::db::Session;
using radd::testing::TestDatabase;

namespace {

constexpr radd::Sql many_rows = "SELECT n FROM generate_series(1, 100000::bigint) n";

struct Bench {
    TestDatabase db;
    Session session{db.options()};

    /// Reads `sql` until `last`, and returns what it saw.
    std::vector<std::int64_t> numbers(radd::Sql sql, std::int64_t last, bool& whole) {
        std::vector<std::int64_t> seen;
        whole = session.read(sql, {}, [&](const RowView& row) {
            seen.push_back(row.integer(0));
            return seen.back() != last;
        });
        return seen;
    }
    bool answers() { return session.query("SELECT 7 AS n")[0].integer("n") == 7; }
};

}  // namespace

TEST_SUITE("reading row by row") {
    TEST_CASE_FIXTURE(Bench, "a column is read as the type it has") {
        int rows = 0;
        const bool whole = session.read(
            "SELECT -9223372036854775807::bigint, true, 'π', NULL::text, '{\"a\": 1.10}'::jsonb, "
            "'6F9619FF-8B86-D011-B42D-00C04FC964FF'::uuid, '2000-01-01 00:00:01+00'::timestamptz",
            {},
            [&](const RowView& row) {
                ++rows;
                CHECK(row.integer(0) == -9223372036854775807);
                CHECK(row.boolean(1));
                CHECK(row.text(2) == "π");
                CHECK(row.is_null(3));
                CHECK(row.json(4) == "{\"a\": 1.10}");
                CHECK(row.uuid(5) == "6f9619ff-8b86-d011-b42d-00c04fc964ff");
                CHECK(row.time(6) == 1'000'000);
                CHECK_THROWS_AS((void)row.text(3), SchemaError);
                CHECK_THROWS_AS((void)row.integer(2), SchemaError);
                CHECK_THROWS_AS((void)row.uuid(0), SchemaError);
                return true;
            });

        CHECK(whole);
        CHECK(rows == 1);
    }

    TEST_CASE_FIXTURE(Bench, "an early end is told apart and the session goes on") {
        for (int round = 0; round < 20; ++round) {
            bool whole = true;
            CHECK(numbers(many_rows, 3, whole).size() == 3);
            CHECK_FALSE(whole);
            CHECK(answers());
        }
        bool whole = false;
        CHECK(numbers(many_rows, 0, whole).size() == 100'000);
        CHECK(whole);
    }

    TEST_CASE_FIXTURE(Bench, "what the reader throws comes back and the session goes on") {
        CHECK_THROWS_AS(
            session.read(
                many_rows, {}, [](const RowView&) -> bool { throw std::runtime_error{"enough"}; }),
            std::runtime_error);
        CHECK(answers());
    }

    TEST_CASE_FIXTURE(Bench, "an error after the first rows is an error") {
        constexpr radd::Sql fails_late =
            "SELECT 10 / (500 - n) FROM generate_series(1, 100000::bigint) n";
        bool whole = true;
        for (int use = 0; use < 3; ++use) {
            CHECK_THROWS_AS(numbers(fails_late, -1000, whole), SqlError);
            CHECK(answers());
        }
    }

    TEST_CASE_FIXTURE(Bench, "a change of the schema in between goes unnoticed") {
        db.execute("CREATE TABLE grown (n bigint)");
        bool whole = false;
        for (int use = 0; use < 3; ++use) (void)numbers("SELECT * FROM grown", 0, whole);
        db.execute("ALTER TABLE grown ADD m bigint; INSERT INTO grown VALUES (5, 6)");

        CHECK(numbers("SELECT * FROM grown", 0, whole) == std::vector<std::int64_t>{5});
        CHECK(whole);
    }

    TEST_CASE_FIXTURE(Bench, "an early end could cost a transaction and is refused in one") {
        bool whole = false;
        session.begin();
        CHECK_THROWS_AS(numbers(many_rows, 3, whole), Error);
        CHECK(answers());
        session.rollback();
    }
}
