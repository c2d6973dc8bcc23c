// What stays of a project that is deleted, in the tables of every plugin that ships.

#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <tests/support/host_port.hpp>
#include <tests/support/http_connection.hpp>
#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

/// Makes `columns_naming`: which columns of which plugins' tables name these projects or items, in
/// rows that are not switched off. A table that comes later is looked at as well.
constexpr std::string_view make_columns_naming = R"sql(
    CREATE FUNCTION columns_naming(projects text[], items text[]) RETURNS text
    LANGUAGE plpgsql AS $$
    DECLARE
        at record;
        is_there boolean;
        found text := '';
    BEGIN
        FOR at IN SELECT format('%I.%I', table_schema, table_name) AS place, column_name AS name
                    FROM information_schema.columns
                    JOIN information_schema.tables USING (table_schema, table_name)
                   WHERE table_type = 'BASE TABLE' AND table_schema <> 'radd'
                     AND column_name ~ '^(project|item)_ids?$'
                   ORDER BY 1, 2 LOOP
            EXECUTE format('SELECT EXISTS (SELECT FROM %s t
                             WHERE string_to_array(trim(t.%I::text, ''{}''), '','') && $1
                               AND coalesce(to_jsonb(t)->>''enabled'', ''true'') = ''true'')',
                           at.place, at.name)
               INTO is_there USING CASE WHEN at.name ~ 'project' THEN projects ELSE items END;
            IF is_there THEN found := found || at.place || '.' || at.name || ' '; END IF;
        END LOOP;
        RETURN found;
    END $$)sql";

struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} {
        for (const auto& plugin : std::filesystem::directory_iterator{RADD_SOURCE_DIR "/plugins"})
            if (plugin.is_directory()) ship(plugin.path().filename().string());
        write("keys", std::string(64, 'a') + "\n");
        std::filesystem::permissions(path("keys"), std::filesystem::perms::owner_read);
        Installation::set("RADD_SECRETS_KEY_FILE", path("keys").string());
        Installation::set("RADD_OUTBOUND_ALLOW", "127.0.0.0/8");
        must({"migrate"});
        const auto token = must({"token", "create", "--name", "Ada", "--role", "admin", "--json"});
        bearer = "Authorization: Bearer " + token.json()["token"].get<std::string>() + "\r\n";
        host = serve();
        REQUIRE(eventually([&] { return is_settled(); }, 30s));
        furnish();
    }
    void ask(const std::string& method, const std::string& target, const json& body) {
        const auto reply = http(port_of(*host),
                                method,
                                target,
                                bearer + "Content-Type: application/json\r\n",
                                body.dump());
        REQUIRE_MESSAGE(reply.status / 100 == 2, reply.body);
    }
    /// A project with an item of Bob's that was done once, as every plugin knows it.
    void furnish() {
        const auto bob = must({"account", "create", "--name", "bob", "--role", "member", "--json"})
                             .json()["account"]["id"]
                             .get<std::string>();
        execute("INSERT INTO items.people (id, name, email) VALUES ('" + bob +
                "', 'Bob', 'bob@example.org'), (gen_random_uuid(), 'Carla', 'carla@example.org')");
        ask("POST", "/api/v1/projects", {{"key", "DEMO"}, {"name", "Demo"}});
        must({"csat", "enable", "DEMO"});
        ask("POST",
            "/api/v1/items",
            {{"project", "DEMO"}, {"title", "Lens"}, {"reporter", bob}, {"assignee", bob}});
        ask("PATCH", "/api/v1/items/DEMO-1", {{"state", "Done"}});
        for (const char* path : {"/api/v1/chat/rooms", "/api/v1/webhooks"})
            ask("POST",
                path,
                {{"name", "of it"},
                 {"url", "http://127.0.0.1:9/"},
                 {"event_types", {"project.updated"}},
                 {"project_ids", json::array({1})}});
        must({"automations", "add", "of it", R"({"trigger":{"events":["item.updated"]},
            "project_id":1,"then":[{"action":"items.add_label","arguments":{"label":"of it"}}]})"});
        ask("POST",
            "/api/v1/sla/calendars",
            {{"name", "Mondays"},
             {"zone", "Etc/UTC"},
             {"hours", json::array({{{"day", "mon"}, {"from", "00:00"}, {"to", "24:00"}}})}});
        ask("POST",
            "/api/v1/sla/policies",
            {{"project", "DEMO"},
             {"name", "Standard"},
             {"calendar_id", 1},
             {"targets", {{"resolution", {{"within_minutes", 240}}}}}});
        execute(
            "INSERT INTO importer.imported_changes (source, source_id, item_id) "
            "VALUES ('jira', '1', 1)");
        ask("POST", "/api/v1/items/DEMO-1/comments", {{"body", "@Carla, have a look"}});
        ask("PATCH", "/api/v1/items/DEMO-1", {{"state", "To Do"}});
    }

    std::string bearer;
    std::unique_ptr<Process> host;
};

}  // namespace

TEST_SUITE("shipped plugins") {
    // P44
    TEST_CASE_FIXTURE(Scene, "leave no row that names a deleted project or an item of it") {
        execute(make_columns_naming);
        REQUIRE(eventually([&] { return is_settled(); }, 30s));
        const auto naming = [&] {
            return value(
                "SELECT columns_naming('{1}', ARRAY(SELECT entity_id FROM radd.events WHERE "
                "entity_type = 'item'))");
        };
        const auto before = naming();
        for (const char* schema : {"automations.",
                                   "chat.",
                                   "csat.",
                                   "importer.",
                                   "items.",
                                   "notify.",
                                   "search.",
                                   "sla.",
                                   "webhooks."})
            CHECK_MESSAGE(contains(before, schema), before);

        // Who makes an item of it meanwhile commits late.
        radd::db::Session late{options()};
        late.begin();
        late.run_script(
            "WITH made AS (INSERT INTO items.items (project_id, number, key, type, title, "
            "state_id) SELECT project_id, 99, 'DEMO-99', type, 'Late', state_id FROM items.items "
            "WHERE number = 1 RETURNING id) SELECT radd.emit('item.created', 'item', id::text, "
            "payload => jsonb_build_object('item', jsonb_build_object('id', id)), "
            "project_id => 1) FROM made");
        auto deleted = std::async(std::launch::async, [&] {
            return http(port_of(*host), "DELETE", "/api/v1/projects/DEMO?with_items=true", bearer);
        });
        CHECK(eventually([&] {
            return value(
                       "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND "
                       "datname = current_database()") != "0";
        }));
        late.commit();

        const auto reply = deleted.get();
        CHECK_MESSAGE(reply.status == 204, reply.body << host->errors());
        REQUIRE(eventually([&] { return is_settled(); }, 30s));
        CHECK(value("SELECT count(*) FROM radd.events WHERE event_type = 'item.deleted'") == "2");
        CHECK(naming() == "");
    }
}
