#include <future>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <host/db/migrate.hpp>
#include <tests/support/test_database.hpp>

using radd::ConfigError;
using radd::Migration;
using radd::db::migrate;
using radd::db::migration_status;
using radd::db::MigrationSet;
using radd::db::MigrationState;
using radd::db::Session;
using radd::testing::TestDatabase;

namespace {

const Migration first{"0001_things", "CREATE TABLE things (id bigint PRIMARY KEY)"};
const Migration second{"0002_names", "ALTER TABLE things ADD name text;\nSELECT 1"};

std::vector<MigrationSet> owned(std::vector<Migration> migrations) {
    return {{.owner = "probe", .migrations = std::move(migrations)}};
}

struct Bench {
    TestDatabase db;

    std::vector<MigrationState> states(const std::vector<MigrationSet>& sets) {
        std::vector<MigrationState> states;
        for (const auto& status : migration_status(db.session(), sets))
            states.push_back(status.state);
        return states;
    }
    std::string refusal(const std::vector<MigrationSet>& sets) {
        try {
            migrate(db.session(), sets);
        } catch (const ConfigError& error) {
            return error.what();
        }
        return "accepted";
    }
    bool exists(const std::string& table) {
        return db.value("SELECT to_regclass('" + table + "') IS NOT NULL") == "true";
    }
};

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("migrations") {
    TEST_CASE_FIXTURE(Bench, "an empty database has all of them pending and is left alone") {
        CHECK(states(owned({first, second})) ==
              std::vector{MigrationState::pending, MigrationState::pending});
        CHECK_FALSE(exists("radd.migrations"));
    }

    TEST_CASE_FIXTURE(Bench, "what is pending is applied once and told") {
        const auto applied = migrate(db.session(), owned({first, second}));

        REQUIRE(applied.size() == 2);
        CHECK(applied[0].name == "0001_things");
        CHECK(applied[1].owner == "probe");
        CHECK_FALSE(applied[1].applied_at.empty());
        CHECK(migrate(db.session(), owned({first, second})).empty());
        CHECK(states(owned({first, second})) ==
              std::vector{MigrationState::applied, MigrationState::applied});
        CHECK(db.value("SELECT length(checksum) FROM radd.migrations LIMIT 1") == "64");
    }

    TEST_CASE_FIXTURE(Bench, "two runners at once apply each of them once") {
        // Would fail in whichever runner came second.
        const auto sets = owned({first, second, {"0003_row", "INSERT INTO things VALUES (1)"}});
        const auto run = [&] {
            Session session{db.options()};
            return migrate(session, sets).size();
        };

        auto one = std::async(std::launch::async, run);
        auto other = std::async(std::launch::async, run);

        CHECK(one.get() + other.get() == 3);
        CHECK(db.value("SELECT count(*) FROM radd.migrations") == "3");
    }

    TEST_CASE_FIXTURE(Bench, "owners come in the order given") {
        const std::vector<MigrationSet> sets{
            {.owner = "zebra", .migrations = {first}},
            {.owner = "ant", .migrations = {{"0001_child", "CREATE TABLE child (LIKE things)"}}}};

        CHECK(migrate(db.session(), sets).size() == 2);
    }

    TEST_CASE_FIXTURE(Bench, "an owner that is not loaded keeps its tables and is not judged") {
        migrate(db.session(), owned({first}));

        CHECK(migrate(db.session(), {{.owner = "other", .migrations = {second}}}).size() == 1);
    }

    TEST_CASE_FIXTURE(Bench, "an edited migration is refused by name") {
        migrate(db.session(), owned({first}));
        const Migration edited{first.name, "CREATE TABLE things (id text)"};

        CHECK(states(owned({edited})) == std::vector{MigrationState::edited});
        CHECK(contains(refusal(owned({edited, second})), "migration probe/0001_things: differs"));
        CHECK(db.value("SELECT count(*) FROM radd.migrations") == "1");
    }

    TEST_CASE_FIXTURE(Bench, "a migration this build does not know is refused by name") {
        migrate(db.session(), owned({first, second}));

        CHECK(states(owned({first})) ==
              std::vector{MigrationState::applied, MigrationState::missing});
        const auto refused = refusal(owned({first}));
        CHECK(contains(refused, "migration probe/0002_names: was applied at 2"));
        CHECK(contains(refused, "upgrade plugin probe to the build that brought it"));
    }

    TEST_CASE_FIXTURE(Bench, "a new migration before an applied one is refused by name") {
        migrate(db.session(), owned({first, {"0003_late", "SELECT 1"}}));
        const auto sets = owned({first, second, {"0003_late", "SELECT 1"}});

        CHECK(states(sets) == std::vector{MigrationState::applied,
                                          MigrationState::unordered,
                                          MigrationState::applied});
        CHECK(contains(refusal(sets), "migration probe/0002_names: is new"));
    }

    TEST_CASE_FIXTURE(Bench, "a failure names its line and keeps what came before it") {
        const Migration broken{
            "0002_broken", "CREATE TABLE half (id bigint);\n\nALTER TABLE nowhere ADD x int;\n"};

        const auto message = refusal(owned({first, broken}));

        CHECK(contains(message,
                       "migration probe/0002_broken: line 3: relation \"nowhere\" does not exist"));
        CHECK(exists("things"));
        CHECK_FALSE(exists("half"));
        CHECK(states(owned({first, broken})) ==
              std::vector{MigrationState::applied, MigrationState::pending});
    }

    TEST_CASE_FIXTURE(Bench, "a failure that PostgreSQL cannot place is placed by its statement") {
        const Migration broken{
            "0002_twice",
            "INSERT INTO things VALUES (1); -- one; two\n\nINSERT INTO things\n VALUES (1)"};

        CHECK(contains(refusal(owned({first, broken})), "line 3: duplicate key"));
    }

    TEST_CASE_FIXTURE(Bench, "a migration that commits on its own is refused") {
        const Migration split{"0001_split", "CREATE TABLE a (); COMMIT; BEGIN; CREATE TABLE b ()"};

        CHECK(contains(refusal(owned({split})), "ends the transaction it runs in"));
        CHECK(states(owned({split})) == std::vector{MigrationState::pending});
    }

    TEST_CASE_FIXTURE(Bench, "a role without the right to create is told which right is missing") {
        db.execute("CREATE ROLE radd_test_plain");
        db.execute("SET ROLE radd_test_plain");

        const auto message = refusal(owned({first}));

        db.execute("RESET ROLE; DROP ROLE radd_test_plain");
        CHECK(contains(message, "GRANT CREATE ON DATABASE"));
    }
}
