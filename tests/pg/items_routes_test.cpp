// What people and programs do to items over HTTP: the rules of the directory, and its events.

#include <optional>
#include <string>

#include <doctest/doctest.h>

#include <tests/pg/items_routes_bench.hpp>

using radd::HttpMethod;
using radd::json;
using radd::testing::a_member;
using radd::testing::an_admin;
using Bench = radd::testing::ItemsRoutesBench;

TEST_SUITE("item routes") {
    TEST_CASE_FIXTURE(Bench, "a project and its first item are made and read back") {
        const auto project = post("/api/v1/projects", {{"key", "DEMO"}, {"name", "Demo"}});
        CHECK(project.status == 201);
        CHECK(project.headers.at(0).second == "/api/v1/projects/DEMO");

        const auto made =
            post("/api/v1/items",
                 {{"project", "DEMO"}, {"title", "Printer"}, {"labels", {"b", "a", "b"}}});
        REQUIRE(made.status == 201);
        CHECK(made.headers.at(0) == radd::HttpField{"Location", "/api/v1/items/DEMO-1"});
        CHECK(get("/api/v1/items/DEMO-1").body == made.body);
        CHECK(parsed(made).at("labels") == json::array({"a", "b"}));
        CHECK(parsed(made).at("state") == json{{"name", "To Do"}, {"category", "todo"}});
        CHECK(parsed(made).at("resolved_at").is_null());
        CHECK(parsed(get("/api/v1/projects/DEMO")).at("name") == "Demo");
    }

    TEST_CASE_FIXTURE(Bench, "an item says what its ref says and calls it the same") {
        const auto ada = a_person("Ada L", "ada@example.org");
        a_project_with_items(1);
        const auto made = post("/api/v1/items",
                               {{"project", "DEMO"},
                                {"title", "Printer"},
                                {"priority", "High"},
                                {"reporter", ada.id},
                                {"assignee", ada.id},
                                {"parent", "DEMO-1"},
                                {"contact", {{"email", "kim@example.org"}}}});
        REQUIRE(made.status == 201);

        const auto item = parsed(made);
        const auto ref = json::parse(last("payload->'item'"));
        for (const auto& [name, value] : ref.items()) CHECK_MESSAGE(item.at(name) == value, name);
        CHECK(item.at("contact") == json{{"email", "kim@example.org"}, {"name", nullptr}});
    }

    TEST_CASE_FIXTURE(Bench, "the caller is the actor and becomes a person once") {
        a_project_with_items(0);
        const auto mia = a_member();

        for (const char* title : {"one", "two"})
            REQUIRE(call(HttpMethod::post,
                         "/api/v1/items",
                         json{{"project", "DEMO"}, {"title", title}}.dump(),
                         mia)
                        .status == 201);

        CHECK(new_events() == "person.created item.created item.created ");
        CHECK(last("actor_id") == mia.id);
        CHECK(parsed(get("/api/v1/people/" + mia.id)).at("name") == "Mia");
    }

    TEST_CASE_FIXTURE(Bench, "a person keeps the name whatever the account is called later") {
        a_project_with_items(0);
        const auto item = json{{"project", "DEMO"}, {"title", "one"}}.dump();
        REQUIRE(call(HttpMethod::post, "/api/v1/items", item, a_member("Mia")).status == 201);
        REQUIRE(call(HttpMethod::post, "/api/v1/items", item, a_member("Mia M")).status == 201);

        CHECK(parsed(get("/api/v1/people/" + a_member().id)).at("name") == "Mia");
        CHECK(new_events() == "person.created item.created item.created ");
    }

    TEST_CASE_FIXTURE(Bench, "a call that is refused makes nobody a person") {
        a_project_with_items(1);

        CHECK(refused_field(post("/api/v1/items", {{"project", "DEMO"}, {"title", ""}})) ==
              "title");
        CHECK(refused_field(patch("/api/v1/items/DEMO-1", {{"state", "Nowhere"}})) == "state");

        CHECK(new_events().empty());
        CHECK(database.value("SELECT count(*) FROM items.people") == "0");
    }

    TEST_CASE_FIXTURE(Bench, "an absent field stays and null clears it") {
        const auto ada = a_person("Ada L", "ada@example.org");
        a_project_with_items(1);
        REQUIRE(patch("/api/v1/items/DEMO-1",
                      {{"assignee", ada.id},
                       {"priority", "High"},
                       {"contact", {{"email", "kim@example.org"}, {"name", "Kim"}}}})
                    .status == 200);
        new_events();

        const auto kept = parsed(patch("/api/v1/items/DEMO-1", {{"title", "Other"}}));
        CHECK(kept.at("assignee").at("name") == "Ada L");
        CHECK(kept.at("contact").at("name") == "Kim");
        const auto cleared =
            parsed(patch("/api/v1/items/DEMO-1",
                         {{"assignee", nullptr}, {"priority", nullptr}, {"contact", nullptr}}));
        CHECK(cleared.at("assignee").is_null());
        CHECK(cleared.at("priority").is_null());
        CHECK(cleared.at("contact").is_null());
        CHECK(cleared.at("title") == "Other");
        CHECK(patch("/api/v1/items/DEMO-1", json::object()).status == 200);

        CHECK(new_events() == "item.updated item.updated ");
        CHECK(refused_field(patch("/api/v1/items/DEMO-1", {{"title", nullptr}})) == "title");
    }

    TEST_CASE_FIXTURE(Bench, "a state change resolves and says so") {
        a_project_with_items(1);

        const auto done = parsed(patch("/api/v1/items/DEMO-1", {{"state", "done"}}));

        CHECK(done.at("state").at("category") == "done");
        CHECK(done.at("resolved_at").is_string());
        CHECK(new_events() == "person.created item.updated ");
        CHECK(parsed(get("/api/v1/states")).at("states").size() == 3);
    }

    TEST_CASE_FIXTURE(Bench, "a deleted item is gone and its child stays") {
        a_project_with_items(2);
        REQUIRE(patch("/api/v1/items/DEMO-2", {{"parent", "DEMO-1"}}).status == 200);
        new_events();

        CHECK(call(HttpMethod::del, "/api/v1/items/DEMO-1").status == 204);

        CHECK(get("/api/v1/items/DEMO-1").status == 404);
        CHECK(call(HttpMethod::del, "/api/v1/items/DEMO-1").status == 404);
        CHECK(parsed(get("/api/v1/items/DEMO-2")).at("parent").is_null());
        CHECK(new_events() == "item.updated item.deleted ");
    }

    TEST_CASE_FIXTURE(Bench, "a list has pages and each item is on one") {
        a_project_with_items(5);
        const auto other = a_project("OTHER");
        an_item({.project_id = other.id, .title = "Elsewhere"});

        const auto first = parsed(get("/api/v1/items?project=DEMO&limit=3"));
        CHECK(each(first.at("items"), "key") == "DEMO-1 DEMO-2 DEMO-3 ");
        const auto second = parsed(
            get("/api/v1/items?project=DEMO&limit=3&after=" + first.at("next").at("after").dump()));
        CHECK(each(second.at("items"), "key") == "DEMO-4 DEMO-5 ");
        CHECK(second.at("next").is_null());
        CHECK(parsed(get("/api/v1/items?project=DEMO&limit=5")).at("next").is_null());
        CHECK(parsed(get("/api/v1/items")).at("items").size() == 6);
    }

    TEST_CASE_FIXTURE(Bench, "a query that makes no sense is refused by parameter") {
        a_project_with_items(1);

        for (const auto* limit : {"0", "-1", "501", "many", "1e2", "99999999999999999999", "%00"})
            CHECK(refused_field(get(std::string{"/api/v1/items?limit="} + limit)) == "limit");
        CHECK(get("/api/v1/items?limit=500").status == 200);
        CHECK(refused_field(get("/api/v1/items?after=x")) == "after");
        CHECK(refused_field(get("/api/v1/items?project=NONE")) == "project");
        CHECK(refused_field(get("/api/v1/items?project=%00")) == "project");
        CHECK(refused_field(get("/api/v1/items?projct=DEMO")) == "projct");
        CHECK(refused_field(get("/api/v1/people?after=nobody")) == "after");
        CHECK(refused_field(get("/api/v1/items/DEMO-1/comments?after=7")) == "after");
    }

    TEST_CASE_FIXTURE(Bench, "what is not there is 404 and what is taken is 409") {
        a_project_with_items(1);

        for (const char* path : {"/api/v1/items/DEMO-9",
                                 "/api/v1/items/%00",
                                 "/api/v1/items/DEMO-9/comments",
                                 "/api/v1/projects/NONE",
                                 "/api/v1/projects/a%00b",
                                 "/api/v1/people/nobody",
                                 "/api/v1/people/ada@example.org",
                                 "/api/v1/people/00000000-0000-4000-8000-000000000000",
                                 "/api/v1/comments/9",
                                 "/api/v1/comments/x",
                                 "/api/v1/comments/99999999999999999999"}) {
            const auto status = get(path).status;
            // A NUL does not even get through to a route.
            CHECK_MESSAGE((status == 404 ||
                           (status == 400 && std::string{path}.find("%00") != std::string::npos)),
                          path);
        }
        CHECK(post("/api/v1/projects", {{"key", "DEMO"}, {"name", "Again"}}).status == 409);
        CHECK(refused_field(post("/api/v1/projects", {{"key", "demo"}, {"name", "x"}})) == "key");
        CHECK(refused_field(post("/api/v1/items", {{"project", "NONE"}, {"title", "x"}})) ==
              "project");
    }

    TEST_CASE_FIXTURE(Bench, "projects are for admins to make and for everybody to see") {
        const auto body = json{{"key", "DEMO"}, {"name", "Demo"}}.dump();
        CHECK(call(HttpMethod::post, "/api/v1/projects", body, a_member()).status == 403);
        CHECK(call(HttpMethod::post, "/api/v1/projects", body).status == 201);
        CHECK(call(HttpMethod::post, "/api/v1/projects", body, std::nullopt).status == 401);

        CHECK(patch("/api/v1/projects/DEMO", {{"name", "Renamed"}}).status == 200);
        const auto listed = call(HttpMethod::get, "/api/v1/projects?limit=1", "", a_member());
        CHECK(each(parsed(listed).at("projects"), "name") == "Renamed ");
        CHECK(call(HttpMethod::put, "/api/v1/projects").status == 405);
        CHECK(call(HttpMethod::get, "/api/v1/items", "", std::nullopt).status == 401);
    }
}

TEST_SUITE("people routes") {
    TEST_CASE_FIXTURE(Bench, "people are listed by name in pages") {
        for (const char* name : {"eve", "Bob", "ada", "Dan", "Cleo"})
            a_person(name, "x@example.org");

        std::string names;
        std::string after;
        for (int page = 0; page < 3; ++page) {
            const auto listed = parsed(get("/api/v1/people?limit=2" + after));
            names += each(listed.at("people"), "name") + "| ";
            if (listed.at("next").is_null()) break;
            after = "&after=" + listed.at("next").at("after").get<std::string>();
        }

        CHECK(names == "ada Bob | Cleo Dan | eve | ");
    }

    TEST_CASE_FIXTURE(Bench, "a person is changed by themselves and by admins alone") {
        const auto ada = a_person("Ada L", "ada@example.org");
        const auto path = "/api/v1/people/" + ada.id;
        const auto change = json{{"email", "eve@example.org"}}.dump();

        CHECK(call(HttpMethod::patch, path, change, a_member()).status == 403);
        CHECK(parsed(get(path)).at("email") == "ada@example.org");
        const auto renamed = parsed(patch(path, {{"name", "Ada B"}}));
        CHECK(renamed.at("email") == "ada@example.org");
        CHECK(parsed(patch(path, {{"email", nullptr}})).at("email").is_null());
        CHECK(refused_field(patch(path, {{"email", "nowhere"}})) == "email");

        const auto own =
            call(HttpMethod::patch, "/api/v1/people/" + a_member().id, change, a_member());
        CHECK(parsed(own).at("email") == "eve@example.org");
    }

    TEST_CASE_FIXTURE(Bench, "a person without an account is added") {
        const auto made = post("/api/v1/people", {{"name", "Kim"}, {"email", "kim@example.org"}});
        REQUIRE(made.status == 201);
        CHECK(get(made.headers.at(0).second).body == made.body);
    }
}

TEST_SUITE("comment routes") {
    TEST_CASE_FIXTURE(Bench, "a comment is its caller's and only theirs to change") {
        a_project_with_items(1);
        const auto eve =
            radd::Principal{.id = "00000000-0000-4000-8000-00000000a003", .name = "Eve"};
        const auto made = call(HttpMethod::post,
                               "/api/v1/items/DEMO-1/comments",
                               R"({"body":"It burns"})",
                               a_member());
        REQUIRE(made.status == 201);
        CHECK(parsed(made).at("author").at("name") == "Mia");
        CHECK(parsed(made).at("item").at("key") == "DEMO-1");
        CHECK(new_events() == "person.created comment.created ");
        const auto path = made.headers.at(0).second;
        const auto change = R"({"body":"It does not"})";

        CHECK(call(HttpMethod::patch, path, change, eve).status == 403);
        CHECK(call(HttpMethod::del, path, "", eve).status == 403);
        CHECK(new_events().empty());
        CHECK(parsed(call(HttpMethod::patch, path, change, a_member())).at("body") ==
              "It does not");
        CHECK(call(HttpMethod::del, path).status == 204);
        CHECK(call(HttpMethod::del, path).status == 404);
        CHECK(new_events() == "comment.updated person.created comment.deleted ");
    }

    TEST_CASE_FIXTURE(Bench, "comments have pages and the oldest is first") {
        a_project_with_items(1);
        for (const char* text : {"one", "two", "three"})
            REQUIRE(post("/api/v1/items/DEMO-1/comments", {{"body", text}}).status == 201);

        const auto first = parsed(get("/api/v1/items/DEMO-1/comments?limit=2"));
        CHECK(each(first.at("comments"), "body") == "one two ");
        const auto second = parsed(get("/api/v1/items/DEMO-1/comments?limit=2&after=" +
                                       first.at("next").at("after").dump()));
        CHECK(each(second.at("comments"), "body") == "three ");
        CHECK(second.at("next").is_null());
    }

    TEST_CASE_FIXTURE(Bench, "watching and its end can be said twice and are told once") {
        a_project_with_items(1);
        const auto path = "/api/v1/items/DEMO-1/watchers/" + a_member().id;

        for (int i = 0; i < 2; ++i)
            CHECK(call(HttpMethod::put, path, "", a_member()).status == 204);
        CHECK(new_events() == "person.created item.updated ");
        CHECK(each(parsed(get("/api/v1/items/DEMO-1/watchers")).at("watchers"), "name") == "Mia ");
        for (int i = 0; i < 2; ++i)
            CHECK(call(HttpMethod::del, path, "", a_member()).status == 204);
        CHECK(new_events() == "item.updated ");
        CHECK(call(HttpMethod::put, "/api/v1/items/DEMO-1/watchers/nobody").status == 404);
    }
}
