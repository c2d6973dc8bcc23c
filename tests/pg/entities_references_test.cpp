// Entities that refer to each other, and to what code keeps.

#include <future>
#include <string>

#include <doctest/doctest.h>

#include <host/entities/store.hpp>
#include <tests/pg/entities_bench.hpp>
#include <tests/support/wait.hpp>

using radd::json;
using Bench = radd::testing::EntitiesBench;

namespace {

std::string world(const std::string& on_delete, const std::string& nullable = "true") {
    return R"(
entities:
  # Before what it refers to: the order in the file is nobody's business.
  task:
    label: Task
    plural: tasks
    fields:
      title: {type: text}
      plan: {type: reference, references: plan, nullable: )" +
           nullable + ", on_delete: " + on_delete + R"(}
      item: {type: reference, references: item, nullable: true, on_delete: clear}
      after_task: {type: reference, references: task, nullable: true, on_delete: cascade}
  plan:
    label: Plan
    plural: plans
    fields:
      name: {type: text}
)";
}

const std::string goals = R"(
entities:
  goal:
    label: Goal
    plural: goals
    fields:
      title: {type: text, max: 20}
      project: {type: reference, references: project, on_delete: cascade}
)";

struct References : Bench {
    void a_world(const std::string& on_delete, const std::string& nullable = "true") {
        declare(world(on_delete, nullable));
        REQUIRE(post("/api/v1/plans", {{"name", "P"}}).status == 201);
        for (const char* title : {"one", "two"})
            REQUIRE(post("/api/v1/tasks", {{"title", title}, {"plan", 1}}).status == 201);
        new_events();
    }
    void a_project_with_item() { an_item({.project_id = a_project().id, .title = "Printer"}); }
    std::string count(const std::string& table) {
        return database.value("SELECT count(*) FROM plans." + table);
    }
};

}  // namespace

TEST_SUITE("reference of an entity") {
    TEST_CASE_FIXTURE(References, "names something that is there") {
        a_world("keep");

        CHECK(refused(post("/api/v1/tasks", {{"title", "x"}, {"plan", 7}})) ==
              "422 plan: there is no plan '7'");
        CHECK(refused(post("/api/v1/tasks", {{"title", "x"}, {"item", "nope"}})) ==
              "422 item: there is no item 'nope'");
        CHECK(parsed(get("/api/v1/tasks/1")).at("plan") == 1);
        CHECK(parsed(get("/api/v1/tasks?plan=1")).at("tasks").size() == 2);
        CHECK(database.value("SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND "
                             "conrelid = 'plans.tasks'::regclass") == "2");
    }

    TEST_CASE_FIXTURE(References, "that is kept refuses the deletion and says who refers") {
        a_world("keep");

        CHECK(refused(del("/api/v1/plans/1")) ==
              "409 plan: tasks refer to it by 'plan' (id 1, 2); change or delete them first");
        CHECK(new_events().empty());
    }

    TEST_CASE_FIXTURE(References, "that is cleared tells of each change") {
        a_world("clear");

        CHECK(del("/api/v1/plans/1").status == 204);

        CHECK(new_events() == "task.updated task.updated plan.deleted ");
        CHECK(parsed(get("/api/v1/tasks/1")).at("plan").is_null());
    }

    TEST_CASE_FIXTURE(References, "that cascades tells of each deletion with who did it") {
        a_world("cascade", "false");
        REQUIRE(
            post("/api/v1/tasks", {{"title", "three"}, {"plan", 1}, {"after_task", 1}}).status ==
            201);
        new_events();

        CHECK(del("/api/v1/plans/1").status == 204);

        CHECK(new_events() == "task.deleted task.deleted task.deleted plan.deleted ");
        CHECK(last("actor_id") == radd::testing::a_member().id);
        CHECK(count("tasks") == "0");
    }

    TEST_CASE_FIXTURE(References, "of one another in a circle ends") {
        a_world("keep");
        REQUIRE(patch("/api/v1/tasks/1", {{"after_task", 2}}).status == 200);
        REQUIRE(patch("/api/v1/tasks/2", {{"after_task", 1}}).status == 200);
        new_events();

        CHECK(del("/api/v1/tasks/1").status == 409);
        CHECK(count("tasks") == "2");
        CHECK(new_events().empty());
    }

    TEST_CASE_FIXTURE(References, "a deletion has its limit") {
        a_world("cascade", "false");
        const auto rows = std::to_string(radd::entities::removal_rows_max - 3);
        database.execute(
            "INSERT INTO plans.tasks (title, plan) SELECT 'x', 1 FROM "
            "generate_series(1, " +
            rows + ")");
        database.execute("INSERT INTO plans.tasks (title, plan) VALUES ('one too many', 1)");

        CHECK(refused(del("/api/v1/plans/1")).starts_with("409 task: more than 1000 rows"));
        CHECK(new_events().empty());

        database.execute("DELETE FROM plans.tasks WHERE title = 'one too many'");
        CHECK(del("/api/v1/plans/1").status == 204);
        CHECK(count("tasks") == "0");
    }

    TEST_CASE_FIXTURE(References, "to an item is cleared when code has deleted it") {
        a_project_with_item();
        declare(world("keep"));
        REQUIRE(post("/api/v1/tasks", {{"title", "x"}, {"item", 1}}).status == 201);
        CHECK(parsed(get("/api/v1/tasks/1")).at("item") == "1");
        new_events();

        sweep("item.deleted", "1");
        sweep("item.deleted", "1");

        CHECK(parsed(get("/api/v1/tasks/1")).at("item").is_null());
        CHECK(new_events() == "task.updated ");
        CHECK(last("actor_id") == radd::system_actor);
    }

    // P44
    TEST_CASE_FIXTURE(References, "to a project goes with it where the file says so") {
        a_project_with_item();
        declare(goals);
        REQUIRE(post("/api/v1/goals", {{"title", "x"}, {"project", 1}}).status == 201);
        commit([&](radd::Transaction& tx) {
            return directory.delete_project(tx, 1, {.with_items = true}, {});
        });
        new_events();

        sweep("project.deleted", "1");
        sweep("project.deleted", "1");

        CHECK(get("/api/v1/goals/1").status == 404);
        CHECK(new_events() == "goal.deleted ");
        CHECK(last("actor_id") == radd::system_actor);
    }

    TEST_CASE_FIXTURE(References, "made while what it names is deleted goes with it as well") {
        a_project_with_item();
        declare(goals);
        radd::db::Session locker{{.url = database.url()}};
        locker.begin();
        locker.query("LOCK TABLE plans.goals IN SHARE MODE");
        const auto waits = [&](const std::string& what) {
            return radd::testing::eventually([&] {
                return database.value(
                           "SELECT count(*) FROM pg_stat_activity WHERE "
                           "datname = current_database() AND wait_event = '" +
                           what + "'") == "1";
            });
        };
        auto named = std::async(std::launch::async, [&] {
            return post("/api/v1/goals", {{"title", "x"}, {"project", 1}}).status;
        });
        REQUIRE(waits("relation"));
        commit([&](radd::Transaction& tx) {
            return directory.delete_project(tx, 1, {.with_items = true}, {});
        });

        auto swept = std::async(std::launch::async, [&] { sweep("project.deleted", "1"); });
        CHECK(waits("advisory"));
        locker.commit();

        CHECK(named.get() == 201);
        swept.get();
        CHECK(get("/api/v1/goals/1").status == 404);
    }
}
