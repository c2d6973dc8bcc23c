// What becomes of a project that is deleted, and of what is in it.

#include <string>

#include <doctest/doctest.h>

#include <tests/pg/items_routes_bench.hpp>

namespace radd::testing {
namespace {

struct Projects : ItemsRoutesBench {
    Projects() {
        a_project_with_items(0);
        commit([&](Transaction& tx) {
            return directory.ensure_person(tx, an_admin().id, an_admin().name);
        });
        new_events();
    }

    HttpResponse remove(const std::string& question = {}) {
        return call(HttpMethod::del, "/api/v1/projects/DEMO" + question);
    }
    /// What a 409 says.
    static std::string refusal(const HttpResponse& response) {
        CHECK(response.status == 409);
        return parsed(response).value("detail", response.body);
    }
    items::ProjectId project() {
        return commit([&](Transaction& tx) { return directory.find_project(tx, "DEMO")->id; });
    }
    items::Item item(const std::string& title) {
        return an_item({.project_id = project(), .title = title});
    }
    /// Many at once, each a row and no event.
    void fill(std::size_t items) {
        database.execute(
            "INSERT INTO items.items (project_id, number, key, type, title, state_id) "
            "SELECT " +
            std::to_string(project()) +
            ", n, 'DEMO-' || n, 'Task', 'x', (SELECT min(id) FROM items.states) "
            "FROM generate_series(1, " +
            std::to_string(items) + ") n");
    }
    std::string count(const std::string& table) {
        return database.value("SELECT count(*) FROM items." + table);
    }
    std::string events(const std::string& type) {
        return database.value("SELECT count(*) FROM radd.events WHERE event_type = '" + type + "'");
    }
};

TEST_SUITE("deleted projects") {
    TEST_CASE_FIXTURE(Projects, "an empty one goes at once and its event says which it was") {
        const auto id = std::to_string(project());
        CHECK(call(HttpMethod::del, "/api/v1/projects/DEMO", {}, a_member()).status == 403);

        CHECK(remove().status == 204);

        CHECK(new_events() == "project.deleted ");
        CHECK(last("payload->'project'->>'key'") == "DEMO");
        CHECK(last("entity_id") == id);
        CHECK(last("project_id") == id);
        CHECK(last("actor_id") == an_admin().id);
        CHECK(get("/api/v1/projects/DEMO").status == 404);
        CHECK(remove().status == 404);
        CHECK(refused_field(post("/api/v1/items", {{"project", "DEMO"}, {"title", "x"}})) ==
              "project");
        CHECK(new_events().empty());
    }

    TEST_CASE_FIXTURE(Projects, "one with items is refused with their number and the remedy") {
        item("one");
        CHECK(refusal(remove()).find("DEMO has 1 item;") != std::string::npos);
        item("two");
        new_events();

        const auto refused = refusal(remove("?with_items=false"));

        CHECK(refused.find("DEMO has 2 items;") != std::string::npos);
        CHECK(refused.find("with_items=true") != std::string::npos);
        CHECK(refused_field(remove("?with_items=maybe")) == "with_items");
        CHECK(new_events().empty());
        CHECK(count("items") == "2");
        CHECK(get("/api/v1/projects/DEMO").status == 200);
    }

    TEST_CASE_FIXTURE(Projects, "its items go with it and each of them is told of once") {
        const auto child = item("child");
        const auto parent = item("parent");
        const auto grandchild = item("grandchild");
        const auto elsewhere =
            an_item({.project_id = a_project("OTHER").id, .title = "x", .parent = parent.id});
        update(child.id, {.parent = std::optional{parent.id}});
        update(grandchild.id, {.parent = std::optional{child.id}});
        commit([&](Transaction& tx) {
            (void)directory.add_comment(tx, parent.id, "Hello", {}, std::nullopt);
            return directory.watch(tx, child.id, an_admin().id, {});
        });
        new_events();

        CHECK(remove("?with_items=true").status == 204);

        // Children first: only the one in another project is told that its parent went.
        CHECK(new_events() ==
              "item.deleted item.deleted item.updated item.deleted project.deleted ");
        CHECK(database.value("SELECT string_agg(payload->'item'->>'key', ' ' ORDER BY id) "
                             "FROM radd.events WHERE event_type = 'item.deleted'") ==
              "DEMO-3 DEMO-1 DEMO-2");
        CHECK(database.value("SELECT count(*) FROM radd.events WHERE event_type = 'item.deleted' "
                             "AND actor_id = '" +
                             an_admin().id + "'") == "3");
        CHECK(count("items") == "1");
        CHECK_FALSE(find(elsewhere.key)->parent);
        CHECK(count("comments") == "0");
        CHECK(count("watchers") == "0");
        CHECK(count("projects") == "1");
    }

    TEST_CASE_FIXTURE(Projects, "as many items as one deletion takes go with it") {
        fill(items::removal_items_max);
        CHECK(refusal(remove()).find("DEMO has 1000 items;") != std::string::npos);

        CHECK(remove("?with_items=true").status == 204);

        CHECK(events("item.deleted") == std::to_string(items::removal_items_max));
        CHECK(events("project.deleted") == "1");
        CHECK(count("items") == "0");
    }

    TEST_CASE_FIXTURE(Projects,
                      "one item past the limit is refused and so is one child elsewhere") {
        SUBCASE("an item") {
            fill(items::removal_items_max + 1);
            CHECK(refusal(remove()).find("more than 1000 are in DEMO") != std::string::npos);
        }
        SUBCASE("a child elsewhere") {
            fill(items::removal_items_max);
            an_item(
                {.project_id = a_project("OTHER").id, .title = "x", .parent = find("DEMO-7")->id});
        }
        new_events();

        const auto refused = refusal(remove("?with_items=true"));

        CHECK(refused.find("more than 1000 are in DEMO") != std::string::npos);
        CHECK(refused.find("delete some first") != std::string::npos);
        CHECK(new_events().empty());
        CHECK(count("items") == std::to_string(items::removal_items_max + 1));
        CHECK(call(HttpMethod::del, "/api/v1/items/DEMO-7").status == 204);
        CHECK(remove("?with_items=true").status == 204);
        CHECK(database.value("SELECT count(*) FROM items.items WHERE key LIKE 'DEMO-%'") == "0");
    }

    TEST_CASE_FIXTURE(Projects, "the key is free again and its numbers begin anew") {
        item("old");
        REQUIRE(remove("?with_items=true").status == 204);

        CHECK(post("/api/v1/projects", {{"key", "DEMO"}, {"name", "Again"}}).status == 201);
        CHECK(item("new").key == "DEMO-1");
    }

    // P44
    TEST_CASE_FIXTURE(Projects, "an item that is made meanwhile is among theirs or is refused") {
        const auto id = project();
        const auto create = [&](Transaction& tx) {
            (void)directory.create_item(tx, {.project_id = id, .title = "late"}, {});
        };
        int status = 0;

        SUBCASE("the item first and the project is to be empty") {
            std::string refused;
            overlapping(create, [&] { refused = refusal(remove()); });
            CHECK(refused.find("DEMO has 1 item;") != std::string::npos);
            CHECK(new_events() == "item.created ");
            CHECK(count("projects") == "1");
        }
        SUBCASE("the item first and items go as well") {
            overlapping(create, [&] { status = remove("?with_items=true").status; });
            CHECK(status == 204);
            CHECK(new_events() == "item.created item.deleted project.deleted ");
        }
        SUBCASE("the deletion first") {
            overlapping(
                [&](Transaction& tx) { (void)directory.delete_project(tx, id, {}, {}); },
                [&] {
                    status = post("/api/v1/items", {{"project", "DEMO"}, {"title", "late"}}).status;
                });
            CHECK(status == 422);
            CHECK(new_events() == "project.deleted ");
            CHECK(count("items") == "0");
        }
        CHECK(database.value("SELECT count(*) FROM items.items i WHERE NOT EXISTS "
                             "(SELECT FROM items.projects p WHERE p.id = i.project_id)") == "0");
    }

    // P44
    TEST_CASE_FIXTURE(Projects, "of two that delete it at once one does") {
        const auto id = item("one").project.id;
        new_events();
        int status = 0;

        overlapping(
            [&](Transaction& tx) {
                (void)directory.delete_project(tx, id, {.with_items = true}, {});
            },
            [&] { status = remove("?with_items=true").status; });

        CHECK(status == 404);
        CHECK(new_events() == "item.deleted project.deleted ");
    }
}

}  // namespace
}  // namespace radd::testing
