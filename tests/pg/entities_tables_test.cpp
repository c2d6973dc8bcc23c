// From one declaration to the next: what is done, and what is refused with the way out.

#include <future>
#include <string>

#include <doctest/doctest.h>

#include <tests/pg/entities_bench.hpp>

using radd::db::MigrationState;
using Bench = radd::testing::EntitiesBench;

namespace {

std::string tasks(const std::string& fields) {
    return "entities:\n  task:\n    label: Task\n    plural: tasks\n    fields:\n" + fields;
}

std::string field(const std::string& name, const std::string& rest) {
    return "      " + name + ": {" + rest + "}\n";
}

const std::string title = field("title", "type: text, max: 20");
const std::string state = field("state", "type: enum, values: [open, closed], default: open");

struct Tables : Bench {
    Tables() { declare(tasks(title + state)); }

    void three_rows() {
        database.execute("INSERT INTO plans.tasks (title) VALUES ('a'), ('a'), ('b')");
    }
    std::string column(const std::string& name) {
        return database.value(
            "SELECT format_type(atttypid, atttypmod) || CASE WHEN attnotnull THEN ' not null' "
            "ELSE '' END FROM pg_attribute WHERE attrelid = 'plans.tasks'::regclass "
            "AND attname = '" +
            name + "'");
    }
    bool has_index(const std::string& name) {
        return database.value("SELECT to_regclass('plans." + name + "') IS NOT NULL") == "true";
    }
    /// What is done to come to `fields`: "0002_tasks_add_x ".
    std::string done(const std::string& fields) {
        const auto before = migrations(MigrationState::applied);
        declare(tasks(fields));
        CHECK(migrations(MigrationState::pending).empty());
        return migrations(MigrationState::applied).substr(before.size());
    }
};

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("table of an entity") {
    TEST_CASE_FIXTURE(Tables, "is made once and stands in the list of migrations") {
        CHECK(migrations(MigrationState::applied) == "0001_create_tasks ");
        CHECK(migrations(MigrationState::pending).empty());
        CHECK(done(title + state).empty());
        CHECK(database.value("SELECT length(checksum) FROM radd.migrations "
                             "WHERE owner = 'plans.entities'") == "64");
    }

    TEST_CASE_FIXTURE(Tables, "grows by what loses nothing") {
        three_rows();

        CHECK(done(title + state + field("points", "type: integer, nullable: true")) ==
              "0002_tasks_add_points ");
        CHECK(done(title + state + field("points", "type: integer, nullable: true") +
                   field("kind", "type: enum, values: [x, y], default: y, index: true")) ==
              "0003_tasks_add_kind 0004_tasks_index_kind ");
        CHECK(database.value("SELECT string_agg(kind, '') FROM plans.tasks") == "yyy");
        CHECK(has_index("tasks_kind_idx"));
    }

    TEST_CASE_FIXTURE(Tables, "widens and relaxes") {
        three_rows();
        CHECK(done(field("title", "type: text, max: 30, nullable: true, default: none") +
                   field("state", "type: enum, values: [open, late, closed], default: late")) ==
              "0002_tasks_widen_title 0003_tasks_default_title 0004_tasks_allow_null_title "
              "0005_tasks_default_state 0006_tasks_allow_state ");
        CHECK(column("title") == "character varying(30)");
        database.execute("INSERT INTO plans.tasks DEFAULT VALUES");
        CHECK(database.value("SELECT title || state FROM plans.tasks ORDER BY id DESC LIMIT 1") ==
              "nonelate");
    }

    TEST_CASE_FIXTURE(Tables, "takes a new rule that every row keeps") {
        database.execute("INSERT INTO plans.tasks (title) VALUES ('a'), ('b')");
        declare(tasks(title + state + field("points", "type: integer, nullable: true")));
        database.execute("UPDATE plans.tasks SET points = id");

        CHECK(done(field("title", "type: text, max: 20, unique: true") +
                   field("state", "type: enum, values: [open], default: open") +
                   field("points", "type: integer")) ==
              "0003_tasks_unique_title 0004_tasks_allow_state 0005_tasks_require_points ");
        CHECK(column("points") == "bigint not null");
        CHECK(done(title + state + field("points", "type: integer, index: true")) ==
              "0006_tasks_drop_index_title 0007_tasks_allow_state 0008_tasks_index_points ");
    }

    TEST_CASE_FIXTURE(Tables, "a column that rows would lack is refused with the SQL") {
        CHECK(done(title + state + field("early", "type: integer")) == "0002_tasks_add_early ");
        database.execute("INSERT INTO plans.tasks (title, early) VALUES ('a', 1)");

        const auto said = refusal(tasks(title + state + field("early", "type: integer") +
                                        field("points", "type: integer")));

        CHECK(contains(said,
                       "E74 plans.yaml plans: field 'task.points': is new, not nullable and "
                       "without a default, and the table has 1 row (id 1)"));
        CHECK(contains(said, R"(ALTER TABLE "plans"."tasks" ADD COLUMN "points" bigint; UPDATE)"));
        CHECK(column("points") == "(no row)");
    }

    TEST_CASE_FIXTURE(Tables, "what would lose rows is refused all at once and nothing is done") {
        three_rows();
        database.execute("UPDATE plans.tasks SET state = 'closed' WHERE id < 3");

        const auto said =
            refusal(tasks(field("title", "type: text, max: 20, unique: true") +
                          field("state", "type: enum, values: [open], default: open") +
                          field("more", "type: text, nullable: true")));

        CHECK(contains(said,
                       "field 'task.title': is to be unique, and of some value there are "
                       "several: 1 value ('a' in id 1, 2)"));
        CHECK(contains(said, "field 'task.state': loses a value that 2 rows (id 1, 2) have"));
        CHECK(contains(said, R"(UPDATE "plans"."tasks" SET "state" = 'open' WHERE NOT)"));
        CHECK(column("more") == "(no row)");
    }

    TEST_CASE_FIXTURE(Tables, "a dropped or retyped or narrowed field is refused") {
        three_rows();
        database.execute("UPDATE plans.tasks SET title = 'twelve chars' WHERE id = 2");

        const auto dropped = refusal(tasks(title));
        CHECK(
            contains(dropped, "column \"state\" is no field any more, and has a value in 3 rows"));
        CHECK(contains(dropped, R"(run: ALTER TABLE "plans"."tasks" DROP COLUMN "state";)"));

        const auto retyped = refusal(tasks(field("title", "type: integer") + state));
        CHECK(contains(retyped, "is character varying(20) and would become bigint, and 3 rows"));
        CHECK(contains(retyped, R"(ALTER COLUMN "title" TYPE bigint USING "title"::bigint;)"));

        const auto narrowed = refusal(tasks(field("title", "type: text, max: 10") + state));
        CHECK(contains(narrowed, "1 row (id 2) have more characters"));
    }

    TEST_CASE_FIXTURE(Tables, "what the refusal says to run is what is missing") {
        three_rows();
        REQUIRE_FALSE(refusal(tasks(title)).empty());

        database.execute(R"(ALTER TABLE "plans"."tasks" DROP COLUMN "state";)");

        CHECK(done(title).empty());
    }

    TEST_CASE_FIXTURE(Tables,
                      "an entity that is forgotten keeps its table until somebody drops it") {
        three_rows();
        const std::string other =
            "entities:\n  note:\n    label: Note\n    plural: notes\n    fields:\n" + title;

        const auto said = refusal(other);

        CHECK(contains(said,
                       "entity 'task': is not declared any more, and its table "
                       "\"plans\".\"tasks\" has 3 rows"));
        CHECK(contains(said, R"(run: DROP TABLE "plans"."tasks";)"));
    }

    TEST_CASE_FIXTURE(Bench, "a table of somebody else is not taken") {
        database.execute("CREATE SCHEMA plans; CREATE TABLE plans.tasks (id bigint)");

        const auto said = refusal(tasks(title));

        CHECK(contains(said, "is there already and was not made for it"));
        CHECK(database.value("SELECT count(*) FROM information_schema.columns "
                             "WHERE table_schema = 'plans'") == "1");
    }

    TEST_CASE_FIXTURE(Tables, "two hosts at once do each step once") {
        const auto blocks = tasks(title + state + field("a", "type: integer, nullable: true") +
                                  field("b", "type: text, default: x, index: true"));
        auto model = std::make_shared<radd::entities::Model>();
        model->add("plans", manifest_of(blocks, "plans").entities);
        const auto planned = radd::entities::table_migrations(*model, "plans", "plans.yaml");
        const auto run = [&] {
            radd::db::Session session{database.options()};
            return radd::db::migrate_planned(session, planned).size();
        };

        auto first = std::async(std::launch::async, run);
        auto second = std::async(std::launch::async, run);

        CHECK(first.get() + second.get() == 3);
        CHECK(database.value("SELECT string_agg(name, ' ' ORDER BY name) FROM radd.migrations "
                             "WHERE owner = 'plans.entities'") ==
              "0001_create_tasks 0002_tasks_add_a 0003_tasks_add_b 0004_tasks_index_b");
    }

    TEST_CASE_FIXTURE(Tables, "looking at what is pending leaves nothing behind") {
        auto model = std::make_shared<radd::entities::Model>();
        model->add(
            "plans",
            manifest_of(tasks(title + state + field("a", "type: integer, nullable: true")), "plans")
                .entities);

        const auto all = radd::db::planned_status(
            database.session(), radd::entities::table_migrations(*model, "plans", "plans.yaml"));

        REQUIRE(all.size() == 2);
        CHECK(all[1].name == "0002_tasks_add_a");
        CHECK(all[1].state == MigrationState::pending);
        CHECK(column("a") == "(no row)");
        CHECK(database.value("SELECT count(*) FROM pg_class WHERE relname = 'radd_wanted'") == "0");
    }
}
