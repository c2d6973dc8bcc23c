// Rows of declared entities over HTTP: what is taken, what is refused, and what is told of it.

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tests/pg/entities_bench.hpp>

using radd::HttpMethod;
using radd::json;
using Bench = radd::testing::EntitiesBench;

namespace {

/// One field of each kind.
const std::string tasks = R"(
entities:
  task:
    label: Task
    plural: tasks
    fields:
      title: {type: text, max: 20, unique: true}
      notes: {type: text, max: 5000, nullable: true}
      points: {type: integer, nullable: true}
      cost: {type: decimal, precision: 6, scale: 2, nullable: true}
      done: {type: boolean, default: false}
      due_on: {type: date, nullable: true}
      starts_at: {type: timestamp, nullable: true}
      state: {type: enum, values: [open, closed], default: open, index: true}
      project: {type: reference, references: project, nullable: true}
    searchable: [title, notes]
)";

struct Tasks : Bench {
    Tasks() { declare(tasks); }

    json a_task(json body) {
        const auto made = post("/api/v1/tasks", body);
        REQUIRE_MESSAGE(made.status == 201, made.body);
        return parsed(made);
    }
};

}  // namespace

TEST_SUITE("declared entity") {
    TEST_CASE_FIXTURE(Tasks, "a row is made and read back with its defaults") {
        const auto made = post("/api/v1/tasks", {{"title", "First"}});

        REQUIRE(made.status == 201);
        CHECK(made.headers.at(0) == radd::HttpField{"ETag", "\"1\""});
        CHECK(made.headers.at(1) == radd::HttpField{"Location", "/api/v1/tasks/1"});
        const auto row = parsed(made);
        CHECK(row.at("id") == 1);
        CHECK(row.at("version") == 1);
        CHECK(row.at("done") == false);
        CHECK(row.at("state") == "open");
        CHECK(row.at("cost").is_null());
        CHECK(get("/api/v1/tasks/1").body == made.body);
    }

    TEST_CASE_FIXTURE(Tasks, "every kind of value comes back as it went in") {
        a_project("DEMO");
        const auto row = a_task({{"title", "Ä 😀 'x'"},
                                 {"notes", "a\nb"},
                                 {"points", 9007199254740993},
                                 {"cost", "12.5"},
                                 {"done", true},
                                 {"due_on", "2028-02-29"},
                                 {"starts_at", "2026-11-30T18:56:38.5+02:00"},
                                 {"state", "closed"},
                                 {"project", 1}});

        CHECK(row.at("title") == "Ä 😀 'x'");
        CHECK(row.at("notes") == "a\nb");
        CHECK(row.at("points").dump() == "9007199254740993");
        CHECK(row.at("cost") == "12.50");
        CHECK(row.at("done") == true);
        CHECK(row.at("due_on") == "2028-02-29");
        CHECK(row.at("starts_at") == "2026-11-30T16:56:38.500000Z");
        CHECK(row.at("state") == "closed");
        CHECK(row.at("project") == "1");
    }

    TEST_CASE_FIXTURE(Tasks, "each change emits its event with ref and differences and actor") {
        a_project("DEMO");
        new_events();
        a_task({{"title", "First"}, {"notes", "long"}, {"project", 1}});
        CHECK(last("payload->'task'->>'title'") == "First");
        CHECK(last("payload->'task' ? 'notes'") == "false");
        CHECK(last("payload->'project'->>'key'") == "DEMO");
        CHECK(last("project_id") == "1");
        CHECK(last("actor_id") == radd::testing::a_member().id);
        CHECK(last("changes") == "(null)");

        REQUIRE(
            patch("/api/v1/tasks/1", {{"state", "closed"}, {"cost", "1.00"}, {"notes", "longer"}})
                .status == 200);
        CHECK(json::parse(last("changes")) ==
              json::parse(R"([{"field":"notes"},{"field":"cost","from":null,"to":"1.00"},
                              {"field":"state","from":"open","to":"closed"}])"));
        CHECK(last("payload->'task'->>'state'") == "closed");

        REQUIRE(del("/api/v1/tasks/1").status == 204);
        CHECK(last("payload->'task'->>'title'") == "First");
        CHECK(new_events() == "task.created task.updated task.deleted ");
        CHECK(get("/api/v1/tasks/1").status == 404);
    }

    TEST_CASE_FIXTURE(Tasks, "what changes nothing is no event and no new version") {
        a_task({{"title", "First"}, {"cost", "12.50"}, {"starts_at", "2026-11-30T18:00:00Z"}});
        new_events();

        const auto same = patch("/api/v1/tasks/1",
                                {{"cost", "12.5"}, {"starts_at", "2026-11-30T19:00:00+01:00"}});

        CHECK(same.status == 200);
        CHECK(parsed(same).at("version") == 1);
        CHECK(new_events().empty());
    }

    TEST_CASE_FIXTURE(Tasks, "bad input is refused by field and leaves no trace") {
        a_task({{"title", "First"}});
        new_events();
        const auto refusal = [&](const json& body) {
            json whole = {{"title", "Second"}};
            whole.update(body);
            return refused(post("/api/v1/tasks", whole));
        };

        CHECK(refused(post("/api/v1/tasks", json::object())) == "422 title: is missing");
        CHECK(refusal({{"title", nullptr}}) == "422 title: must not be null");
        CHECK(refusal({{"title", "   "}}) == "422 title: is empty; give it a text");
        CHECK(refusal({{"title", 5}}) == "422 title: must be a text, and is '5'");
        CHECK(refusal({{"title", std::string(21, 'x')}}) ==
              "422 title: has 21 characters; allowed are 20");
        CHECK(refusal({{"points", 1.5}}) == "422 points: must be a whole number, and is '1.5'");
        CHECK(refusal({{"points", 18446744073709551615U}}).starts_with("422 points: "));
        CHECK(refusal({{"cost", 1.10}}) ==
              "422 cost: must be a text such as \"12.50\", so that no digit is lost, and is '1.1'");
        CHECK(refusal({{"cost", "12345.00"}}).starts_with("422 cost: '12345.00' has too many"));
        CHECK(refusal({{"cost", "0.001"}}).starts_with("422 cost: '0.001' has too many digits"));
        CHECK(refusal({{"done", "yes"}}) == "422 done: must be true or false, and is 'yes'");
        CHECK(refusal({{"due_on", "2027-02-29"}}).starts_with("422 due_on: '2027-02-29' is no"));
        CHECK(refusal({{"starts_at", "infinity"}}).starts_with("422 starts_at: 'infinity' is no"));
        CHECK(refusal({{"starts_at", "12024-03-15T00:00:00Z"}}).starts_with("422 starts_at: "));
        CHECK(refusal({{"state", "opne"}}) == "422 state: 'opne' is none of open, closed");
        CHECK(refusal({{"project", 7}}) == "422 project: there is no project '7'");
        CHECK(refusal({{"project", "x'; --"}}) == "422 project: there is no project 'x'; --'");
        CHECK(refusal({{"colour", "red"}}).starts_with("422 colour: is no field of this"));
        CHECK(new_events().empty());
        CHECK(parsed(get("/api/v1/tasks")).at("tasks").size() == 1);
    }

    TEST_CASE_FIXTURE(Tasks, "a text holds as many characters as it says and no NUL") {
        const std::string twenty = "äöüßäöüßäöüßäöüßäöü😀";
        CHECK(a_task({{"title", twenty}}).at("title") == twenty);
        CHECK(post("/api/v1/tasks", {{"title", "ä" + twenty}}).status == 422);

        CHECK(refused(call(HttpMethod::post, "/api/v1/tasks", R"({"title":"ab\u0000cd"})")) ==
              "422 title: byte 2 is a NUL, which no text holds; remove it");
        CHECK(call(HttpMethod::post, "/api/v1/tasks", R"({"title":"\ud83d"})").status == 400);
        CHECK(parsed(get("/api/v1/tasks")).at("tasks").size() == 1);
    }

    TEST_CASE_FIXTURE(Tasks, "a unique value is taken by one") {
        a_task({{"title", "First"}});
        a_task({{"title", "Second"}});
        new_events();

        CHECK(refused(post("/api/v1/tasks", {{"title", "First"}})) ==
              "409 title: is taken by another task; choose another");
        CHECK(refused(patch("/api/v1/tasks/2", {{"title", "First"}})).starts_with("409 title"));
        CHECK(new_events().empty());
    }

    TEST_CASE_FIXTURE(Tasks, "a change of another version is not made") {
        a_task({{"title", "First"}});
        const auto if_match = [&](HttpMethod method, const std::string& tag) {
            return refused(call(method,
                                "/api/v1/tasks/1",
                                method == HttpMethod::patch ? R"({"done":true})" : "",
                                {{"if-match", tag}, {"content-type", "application/json"}}));
        };

        CHECK(if_match(HttpMethod::patch, "\"1\"") == "200");
        CHECK(if_match(HttpMethod::patch, "\"1\"").starts_with("412 version: is 2 and not 1"));
        CHECK(if_match(HttpMethod::del, "\"1\"").starts_with("412 version"));
        CHECK(if_match(HttpMethod::patch, "1").starts_with("422 If-Match: "));
        CHECK(if_match(HttpMethod::del, "*") == "204");
    }

    TEST_CASE_FIXTURE(Tasks, "a list is paged and narrowed by its fields") {
        for (int i = 1; i <= 5; ++i)
            a_task({{"title", "T" + std::to_string(i)},
                    {"state", i % 2 == 0 ? "closed" : "open"},
                    {"points", i}});
        const auto ids = [&](const std::string& query) {
            std::string text;
            const auto page = parsed(get("/api/v1/tasks?" + query));
            for (const auto& row : page.at("tasks")) text += row.at("id").dump() + ' ';
            return text + page.at("next").dump();
        };

        CHECK(ids("limit=2") == R"(1 2 {"after":2})");
        CHECK(ids("limit=2&after=4") == "5 null");
        CHECK(ids("state=open") == "1 3 5 null");
        CHECK(ids("state=open&limit=1&after=1") == R"(3 {"after":3})");
        CHECK(ids("points=4&state=closed") == "4 null");
        CHECK(ids("title=none") == "null");
        CHECK(get("/api/v1/tasks?state=opne").status == 422);
        CHECK(get("/api/v1/tasks?points=x").status == 422);
        CHECK(get("/api/v1/tasks?limit=501").status == 422);
        CHECK(get("/api/v1/tasks?colour=red").status == 422);
    }

    TEST_CASE_FIXTURE(Tasks, "what is not there is not found whatever it is called") {
        for (const char* id : {"1", "0", "-1", "x", "9223372036854775808", "%27"}) {
            CAPTURE(id);
            CHECK(get(std::string{"/api/v1/tasks/"} + id).status == 404);
            CHECK(patch(std::string{"/api/v1/tasks/"} + id, {{"done", true}}).status == 404);
            CHECK(del(std::string{"/api/v1/tasks/"} + id).status == 404);
        }
    }

    TEST_CASE_FIXTURE(Tasks, "a search finds it by the texts that say so") {
        a_task({{"title", "First"}, {"notes", "burning printer"}});
        a_task({{"title", "Second"}});
        const auto& spec = manifest().entity_refs.at(0);
        REQUIRE(spec.document);

        const std::vector<std::string> ids{"2", "7", "1", "x"};
        const auto found =
            database_of->transact([&](radd::Transaction& tx) { return spec.document(tx, ids); });

        REQUIRE(found.size() == 4);
        CHECK(found[0]->title == "Second");
        CHECK(found[0]->text.empty());
        CHECK_FALSE(found[1]);
        CHECK(found[2]->text == "burning printer\n");
        CHECK_FALSE(found[3]);
    }

    TEST_CASE_FIXTURE(Bench, "words of SQL name fields and tables like any other") {
        declare(R"(
entities:
  order:
    label: Order
    plural: select
    table: table
    fields:
      user: {type: text}
      group: {type: integer, index: true, nullable: true}
)");

        REQUIRE(post("/api/v1/select", {{"user", "Robert'); DROP TABLE plans.table; --"}}).status ==
                201);
        CHECK(patch("/api/v1/select/1", {{"group", 5}}).status == 200);
        CHECK(parsed(get("/api/v1/select?group=5")).at("select").size() == 1);
        CHECK(database.value("SELECT \"user\" FROM plans.\"table\"") ==
              "Robert'); DROP TABLE plans.table; --");
    }

    TEST_CASE_FIXTURE(Bench, "code and yaml that say the same make the same") {
        declare(tasks);
        const auto columns =
            "SELECT string_agg(column_name || ' ' || data_type || ' ' || "
            "is_nullable || ' ' || coalesce(column_default, '-'), ', ' ORDER BY "
            "ordinal_position) FROM information_schema.columns WHERE "
            "table_schema = 'plans'";
        const auto from_yaml = database.value(columns);
        database.execute(
            "DROP SCHEMA plans CASCADE; "
            "DELETE FROM radd.migrations WHERE owner = 'plans.entities'");
        using radd::FieldSpec;
        using radd::FieldType;

        declare({{.key = "task",
                  .label = "Task",
                  .plural = "tasks",
                  .fields = {FieldSpec{.name = "title", .unique = true, .max = 20},
                             {.name = "notes", .nullable = true, .max = 5000},
                             {.name = "points", .type = FieldType::integer, .nullable = true},
                             {.name = "cost",
                              .type = FieldType::decimal,
                              .nullable = true,
                              .precision = 6,
                              .scale = 2},
                             {.name = "done",
                              .type = FieldType::boolean,
                              .default_value = radd::JsonText{"false"}},
                             {.name = "due_on", .type = FieldType::date, .nullable = true},
                             {.name = "starts_at", .type = FieldType::timestamp, .nullable = true},
                             {.name = "state",
                              .type = FieldType::enumeration,
                              .default_value = radd::JsonText{"\"open\""},
                              .index = true,
                              .values = {"open", "closed"}},
                             {.name = "project",
                              .type = FieldType::reference,
                              .nullable = true,
                              .references = "project"}},
                  .searchable = {"title", "notes"}}});

        CHECK(database.value(columns) == from_yaml);
        CHECK(migrations(radd::db::MigrationState::pending).empty());
        declare(tasks);
        CHECK(migrations(radd::db::MigrationState::applied) == "0001_create_tasks ");
    }
}
