// manifests/milestones.yaml in a whole host: what one file makes, and what becomes of it when the
// file changes.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <signal.h>
#include <tests/support/host_port.hpp>
#include <tests/support/http_connection.hpp>
#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;
using nlohmann::json;

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    REQUIRE_MESSAGE(at != std::string::npos, from);
    return text.replace(at, from.size(), to);
}

struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} {
        ship("items");
        ship("search");
        std::ifstream file{std::filesystem::path{RADD_SOURCE_DIR} / "manifests/milestones.yaml"};
        shipped = {std::istreambuf_iterator<char>{file}, {}};
        milestones(replaced(shipped, "enabled: false", "enabled: true"));
    }
    void milestones(const std::string& text) {
        enabled = text;
        write("manifests/milestones.yaml", text);
    }
    void sign_in(const Process& host) {
        port = port_of(host);
        const auto made = must({"token", "create", "--name", "Ada", "--role", "admin", "--json"});
        bearer = "Authorization: Bearer " + made.json()["token"].get<std::string>() + "\r\n";
    }
    HttpReply ask(const std::string& method, const std::string& target, const json& body = {}) {
        const std::string type =
            body.is_null() ? std::string{} : "Content-Type: application/json\r\n";
        return http(port, method, target, bearer + type, body.is_null() ? "" : body.dump());
    }
    json got(const std::string& target) {
        const auto reply = ask("GET", target);
        REQUIRE_MESSAGE(reply.status == 200, reply.body);
        return reply.json();
    }

    std::string shipped;
    std::string enabled;
    std::string bearer;
    std::uint16_t port = 0;
};

}  // namespace

TEST_SUITE("milestones") {
    TEST_CASE_FIXTURE(Scene, "one file makes table and routes and events and history and search") {
        const auto host = serve();
        sign_in(*host);
        REQUIRE(ask("POST", "/api/v1/projects", {{"key", "DEMO"}, {"name", "Demo"}}).status == 201);

        const auto made = ask("POST",
                              "/api/v1/milestones",
                              {{"name", "First light"},
                               {"project", 1},
                               {"due_on", "2027-01-31"},
                               {"goal", "The telescope sees a star"}});
        REQUIRE_MESSAGE(made.status == 201, made.body);
        CHECK(made.header("location") == "/api/v1/milestones/1");
        REQUIRE(ask("PATCH", "/api/v1/milestones/1", {{"state", "active"}}).status == 200);
        CHECK(value("SELECT name || ' ' || state FROM milestones.milestones") ==
              "First light active");

        const auto refused = ask("POST", "/api/v1/milestones", {{"nme", "x"}, {"state", "late"}});
        CHECK(refused.status == 422);
        for (const char* field : {"nme", "state"}) {
            CAPTURE(refused.body);
            CHECK(contains(refused.json()["errors"].dump(), field));
        }

        const auto history = got("/api/v1/entities/milestone/1/activity")["events"];
        REQUIRE(history.size() == 2);
        CHECK(history[0]["event_type"] == "milestone.updated");
        CHECK(history[0]["changes"] ==
              json::parse(R"([{"field":"state","from":"planned","to":"active"}])"));
        CHECK(history[1]["payload"]["project"]["key"] == "DEMO");
        CHECK(history[1]["payload"]["milestone"]["name"] == "First light");
        CHECK(history[1]["project_id"] == 1);

        CHECK(eventually([&] {
            const auto found = got("/api/v1/search?q=telescope")["entities"];
            return found.size() == 1 && found[0]["entity"]["title"] == "First light" &&
                   found[0]["entity"]["type"] == "milestone";
        }));
        REQUIRE(ask("DELETE", "/api/v1/milestones/1").status == 204);
        CHECK(eventually([&] { return got("/api/v1/search?q=telescope")["entities"].empty(); }));
    }

    TEST_CASE_FIXTURE(Scene, "it stands in every document of the host") {
        const auto host = serve();
        sign_in(*host);

        const auto paths = got("/api/v1/openapi.json")["paths"];
        REQUIRE(paths.contains("/api/v1/milestones/{id}"));
        const auto schema = paths["/api/v1/milestones"]["post"]["requestBody"]["content"]
                                 ["application/json"]["schema"];
        CHECK(schema["required"] == json::parse(R"(["name","project"])"));
        CHECK(schema["properties"]["state"]["default"] == "planned");
        const auto types = got("/api/v1/event-types").dump();
        for (const char* type : {"milestone.created", "milestone.updated", "milestone.deleted"}) {
            CAPTURE(type);
            CHECK(contains(types, type));
            CHECK(got("/api/v1/asyncapi.json")["channels"].contains(type));
        }
        const auto declared = got("/api/v1/entities")["entities"];
        REQUIRE(declared.size() == 1);
        CHECK(declared[0]["plural"] == "milestones");
        const auto& fields = declared[0]["fields"];
        REQUIRE(fields.size() == 7);
        CHECK(fields[0]["max"] == 120);
        CHECK(fields[2]["type"] == "enum");
        CHECK(fields[2]["default"] == "planned");
        CHECK(fields[4]["label"] == "Who leads it");
        CHECK(fields[4]["references"] == "person");
        CHECK(contains(must({"plugins"}).out, "loaded    milestones 1.0.0"));
        CHECK(contains(must({"check"}).out, "POST   /api/v1/milestones  member"));
    }

    TEST_CASE_FIXTURE(Scene, "a change that only adds is a migration and another is refused") {
        must({"migrate"});
        execute("INSERT INTO milestones.milestones (name, project) VALUES ('a', '1')");

        milestones(replaced(enabled, "max: 120", "max: 200"));
        const auto pending = must({"migrate", "--dry-run"}).out;
        CHECK(contains(pending, "milestones.entities"));
        CHECK(contains(pending, "0002_milestones_widen_name"));
        must({"migrate"});
        CHECK(contains(must({"migrate", "--status"}).out, "0002_milestones_widen_name"));

        milestones(enabled.substr(0, enabled.find("      goal:")) + "    searchable: [name]\n");
        for (const auto& command : {std::vector<std::string>{"serve"},
                                    std::vector<std::string>{"migrate"},
                                    std::vector<std::string>{"migrate", "--status"}}) {
            const auto refused = run(command);
            CHECK(refused.code == 3);
            CHECK(contains(refused.err, "E74 "));
            CHECK(contains(refused.err,
                           "milestones: entity 'milestone': column \"goal\" is no field any more, "
                           "and has a value in no row. Take the change back, or run: "
                           "ALTER TABLE \"milestones\".\"milestones\" DROP COLUMN \"goal\";"));
        }
    }

    TEST_CASE_FIXTURE(Scene, "what code deletes is cleared in it by events that say so") {
        const auto host = serve();
        sign_in(*host);
        REQUIRE(ask("POST", "/api/v1/projects", {{"key", "DEMO"}, {"name", "Demo"}}).status == 201);
        REQUIRE(ask("POST", "/api/v1/items", {{"project", "DEMO"}, {"title", "Lens"}}).status ==
                201);
        const auto made = ask(
            "POST", "/api/v1/milestones", {{"name", "Light"}, {"project", "1"}, {"proof", "1"}});
        REQUIRE_MESSAGE(made.status == 201, made.body);

        REQUIRE(ask("DELETE", "/api/v1/items/DEMO-1").status == 204);

        CHECK(eventually([&] { return got("/api/v1/milestones/1")["proof"].is_null(); }));
        const auto last = got("/api/v1/entities/milestone/1/activity")["events"][0];
        CHECK(last["event_type"] == "milestone.updated");
        CHECK(last["actor_id"] == "00000000-0000-4000-8000-000000000001");
    }

    TEST_CASE_FIXTURE(Scene, "as it ships it is switched off and makes nothing") {
        milestones(shipped);

        CHECK(contains(must({"plugins"}).out, "disabled  milestones  "));
        must({"migrate"});
        CHECK(value("SELECT count(*) FROM pg_namespace WHERE nspname = 'milestones'") == "0");
    }
}
