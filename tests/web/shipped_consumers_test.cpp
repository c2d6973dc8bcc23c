// What every consumer that ships does of its own accord, by one table: where it begins, what it
// makes of silent events, where it goes on after it was switched off, and that it rests where no
// workers run. And that nothing stays of what was deleted, whoever was off by then.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <signal.h>
#include <tests/support/host_port.hpp>
#include <tests/support/http_connection.hpp>
#include <tests/support/http_receiver.hpp>
#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

struct Shipped {
    const char* name;
    /// It builds state: from the beginning, of silent events as well, and of what happened while
    /// it was off. Else it reaches outward, and does none of these.
    bool builds_state;
    const char* effects;  ///< How many there are.
};

constexpr std::array shipped{
    Shipped{"automations.runner", false, "SELECT count(*) FROM automations.runs"},
    Shipped{
        "chat.planner", false, "SELECT count(*) FROM radd.deliveries WHERE queue = 'chat.posts'"},
    Shipped{"csat.sender", false, "SELECT count(*) FROM csat.surveys"},
    Shipped{"notify.teller", false, "SELECT count(*) FROM notify.notices"},
    Shipped{"search.indexer", true, "SELECT count(*) FROM search.documents"},
    Shipped{"sla.follower", true, "SELECT count(*) FROM sla.histories"},
    Shipped{"webhooks.fan_out",
            false,
            "SELECT count(*) FROM radd.deliveries WHERE queue = 'webhooks.deliveries'"}};

const std::vector<std::string> switched{
    "automations", "chat", "csat", "notify", "search", "sla", "webhooks"};

/// What hangs on the first item and no foreign key removes.
constexpr std::array hanging{
    "SELECT count(*) FROM notify.watches WHERE item_id = 1",
    "SELECT count(*) FROM notify.watched_items WHERE item_id = 1",
    "SELECT count(*) FROM notify.notices WHERE item_id = 1",
    "SELECT count(*) FROM automations.rules WHERE name = 'hourly' AND enabled"};

/// Kinds of events that consumers know and do not know, about what is no number and about the
/// second item, each with payloads and changes that hold what no emit would write.
constexpr const char* insert_odd_rows = R"sql(
    INSERT INTO radd.events (event_type, entity_type, entity_id, payload, changes, project_id)
    SELECT type, split_part(lower(type), '.', 1), id, payload, changes, 1
      FROM unnest(ARRAY['', 'legacy.thing', 'Item.Updated', repeat('x', 300), 'item.created',
                        'item.updated', 'item.deleted', 'comment.created', 'comment.deleted',
                        'project.deleted', 'csat.responded']) AS type,
           unnest(ARRAY['', 'x', '2', '2abc', '-1', repeat('9', 20)]) AS id,
           (VALUES ('null'::jsonb, 'null'::jsonb), ('[]', '{}'), ('"x"', '"x"'), ('{}', '[1]'),
                   ('{"item": 7}', '[{"field": "state"}]'),
                   ('{"item": {"id": "x"}}', '[{"field": "state", "from": 7, "to": []}]'))
           AS odd (payload, changes))sql";

using Effects = std::map<std::string, int>;

struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} {
        for (const char* id : {"items", "mail"}) ship(id);
        for (const auto& id : switched) ship(id);
        write("keys", std::string(64, 'a') + "\n");
        std::filesystem::permissions(path("keys"), std::filesystem::perms::owner_read);
        Installation::set("RADD_SECRETS_KEY_FILE", path("keys").string());
        Installation::set("RADD_OUTBOUND_ALLOW", "127.0.0.0/8");
        must({"migrate"});
        const auto token = must({"token", "create", "--name", "Ada", "--role", "admin", "--json"});
        bearer = "Authorization: Bearer " + token.json()["token"].get<std::string>() + "\r\n";
    }
    void ask(const std::string& method, const std::string& target, const json& body) {
        const auto reply = http(port_of(*host),
                                method,
                                target,
                                bearer + "Content-Type: application/json\r\n",
                                body.dump());
        REQUIRE_MESSAGE(reply.status / 100 == 2, reply.body);
    }
    /// An item of Bob's that is done, and everybody who may have something to do with that.
    void furnish() {
        const auto bob = must({"account", "create", "--name", "bob", "--role", "member", "--json"})
                             .json()["account"]["id"]
                             .get<std::string>();
        execute("INSERT INTO items.people (id, name, email) VALUES ('" + bob +
                "', 'Bob', 'bob@example.org'), (gen_random_uuid(), 'Carla', 'carla@example.org')");
        ask("POST", "/api/v1/projects", {{"key", "DEMO"}, {"name", "Demo"}});
        must({"csat", "enable", "DEMO"});
        must({"automations", "add", "label", R"({"trigger":{"events":["item.updated"]},
            "then":[{"action":"items.add_label","arguments":{"label":"seen"}}]})"});
        const json place{{"name", "here"}, {"url", "http://127.0.0.1:9/"}};
        ask("POST", "/api/v1/webhooks", place);
        ask("POST", "/api/v1/chat/rooms", place);
        ask("POST",
            "/api/v1/items",
            {{"project", "DEMO"}, {"title", "Lens"}, {"reporter", bob}, {"assignee", bob}});
        ask("PATCH", "/api/v1/items/DEMO-1", {{"state", "Done"}});
    }
    /// Another item with the same past, by SQL as an application writes it.
    void happen(bool silent = false) {
        const auto number = std::to_string(++items);
        execute(
            "WITH made AS (INSERT INTO items.items (project_id, number, key, type, title, "
            "state_id, reporter_id, assignee_id) SELECT project_id, " +
            number + ", 'DEMO-" + number +
            "', type, title, state_id, reporter_id, assignee_id FROM items.items WHERE number = 1 "
            "RETURNING id) INSERT INTO radd.events (event_type, entity_type, entity_id, actor_id, "
            "payload, changes, project_id, silent) SELECT e.event_type, 'item', made.id::text, "
            "e.actor_id, jsonb_set(e.payload, '{item,id}', to_jsonb(made.id)), e.changes, "
            "e.project_id, " +
            (silent ? "true" : "false") +
            " FROM made, radd.events e WHERE e.entity_type = 'item' AND e.entity_id = '1' AND "
            "e.automated_cause IS NULL ORDER BY e.id");
    }
    void start() {
        host = serve();
        REQUIRE(eventually([&] { return is_settled(); }, 30s));
    }
    void stop() {
        host->signal(SIGTERM);
        CHECK(host->wait() == 0);
    }
    [[nodiscard]] Effects effects() {
        Effects now;
        for (const auto& one : shipped) now[one.name] = std::stoi(value(one.effects));
        return now;
    }
    /// Waits until all is read, and tells whose effects have become more.
    void check_more_than(const Effects& before, bool of_state, bool of_the_others) {
        REQUIRE(eventually([&] { return is_settled(); }, 30s));
        const auto now = effects();
        for (const auto& one : shipped) {
            CAPTURE(one.name);
            const bool wanted = one.builds_state ? of_state : of_the_others;
            CHECK((now.at(one.name) > before.at(one.name)) == wanted);
        }
    }

    std::string bearer;
    std::unique_ptr<Process> host;
    int items = 1;
};

}  // namespace

TEST_SUITE("shipped consumers") {
    TEST_CASE_FIXTURE(Scene, "do each as the table says") {
        const Effects none = effects();
        Installation::set("RADD_RUN_WORKERS", "false");
        host = serve();
        furnish();
        CHECK(value("SELECT count(*) FROM radd.consumers WHERE owner IS NOT NULL") == "0");
        CHECK(effects() == none);
        stop();
        CHECK(effects() == none);

        Installation::set("RADD_RUN_WORKERS", "true");
        start();
        std::vector<std::string> names{"events.cascade.automations", "events.cascade.notify"};
        for (const auto& one : shipped) names.emplace_back(one.name);
        std::ranges::sort(names);
        CHECK(json::parse(value("SELECT json_agg(name ORDER BY name COLLATE \"C\") FROM "
                                "radd.consumers WHERE kind = 'consumer'")) == json(names));
        check_more_than(none, true, false);  // The first start.

        auto before = effects();
        happen();
        check_more_than(before, true, true);
        before = effects();
        happen(true);
        check_more_than(before, true, false);

        stop();
        for (const auto& id : switched) declare(id, "enabled: false\n");
        host = serve();
        before = effects();
        happen();
        ask("POST", "/api/v1/items/DEMO-1/comments", {{"body", "@Carla, have a look"}});
        stop();
        CHECK(effects() == before);
        for (const auto& id : switched) declare(id);
        start();
        check_more_than(before, true, false);
        // Who was named meanwhile was told nothing, and hears what comes.
        CHECK(value("SELECT count(*) FROM notify.watches WHERE reason = 'mentioned'") == "1");
        before = effects();
        happen();
        check_more_than(before, true, true);
    }

    TEST_CASE_FIXTURE(Scene, "sweep what was deleted while they were off") {
        start();
        furnish();
        ask("POST", "/api/v1/items/DEMO-1/comments", {{"body", "@Carla, have a look"}});
        must({"automations", "add", "hourly", R"({"trigger":{"every":"1h"},
            "then":[{"action":"items.add_label","subject_id":"1","arguments":{"label":"old"}}]})"});
        REQUIRE(eventually([&] { return is_settled(); }, 30s));
        for (const auto* count : hanging) REQUIRE(value(count) != "0");
        stop();

        for (const auto* id : {"automations", "notify"}) declare(id, "enabled: false\n");
        host = serve();
        CHECK(eventually([&] {
            return value(
                       "SELECT string_agg(DISTINCT state, ',') FROM radd.event_readers WHERE "
                       "name IN ('events.cascade.automations', 'events.cascade.notify')") ==
                   "not_loaded";
        }));
        REQUIRE(http(port_of(*host), "DELETE", "/api/v1/items/DEMO-1", bearer).status == 204);
        REQUIRE(eventually([&] {
            return value(
                       "SELECT c.cursor >= e.id FROM radd.consumers c, radd.events e WHERE "
                       "c.name = 'search.indexer' AND e.event_type = 'item.deleted'") == "true";
        }));
        stop();
        for (const auto* count : hanging) CHECK(value(count) != "0");

        for (const auto* id : {"automations", "notify"}) declare(id);
        start();
        for (const auto* count : hanging) {
            CAPTURE(count);
            CHECK(value(count) == "0");
        }
        CHECK(value("SELECT disabled_reason FROM automations.rules WHERE name = 'hourly'") ==
              "item 1 is deleted");
        CHECK(value("SELECT count(*) FROM radd.skipped_events WHERE phase = 'sweep'") == "0");
    }

    // P17
    TEST_CASE_FIXTURE(Scene, "pass what SQL could insert and no emit would write") {
        ship("realtime");
        start();
        furnish();
        must({"automations", "add", "quote", R"({"trigger":{"events":["item.created",
            "item.updated","comment.created"]},"then":[{"action":"items.add_comment","arguments":
            {"body":"{{payload.item.id}}, {{changes.state.to}}, {{entity.key}}"}}]})"});
        happen();
        REQUIRE(eventually([&] { return is_settled(); }, 30s));

        execute(insert_odd_rows);
        REQUIRE(eventually([&] { return is_settled(); }, 60s));
        // No relay takes the surveys of what is in order.
        CHECK(value("SELECT coalesce(string_agg(DISTINCT consumer || ' at ' || phase || ': ' || "
                    "error, '; '), 'none') FROM radd.skipped_events WHERE error NOT LIKE "
                    "'mail relay%'") == "none");
        const auto before = effects();
        happen();
        check_more_than(before, true, true);

        HttpConnection feed{port_of(*host)};
        REQUIRE(feed.send("GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n" + bearer +
                          "Last-Event-ID: 0\r\n\r\n"));
        const auto up_to_the_last = [&] {
            return feed.read_until("\nid: " + value("SELECT max(id) FROM radd.events") + "\n");
        };
        const auto missed = up_to_the_last();
        for (const auto& type : {std::string{}, std::string(300, 'x')})
            CHECK(count_of(missed, "\"event_type\":\"" + type + "\"") == 36);
        happen();
        CHECK_FALSE(up_to_the_last().empty());
    }

    TEST_CASE_FIXTURE(Scene, "leave what is to be delivered where no workers run") {
        HttpReceiver receiver;
        Installation::set("RADD_RUN_WORKERS", "false");
        host = serve();
        ask("POST", "/api/v1/webhooks", {{"name", "here"}, {"url", receiver.url()}});
        execute(
            "INSERT INTO radd.deliveries (queue, lane, payload) SELECT 'webhooks.deliveries', "
            "id::text, '{\"body\":\"{}\",\"content_type\":\"application/json\"}' FROM "
            "webhooks.endpoints");
        // One that runs would have looked at it by then.
        const auto began = std::chrono::steady_clock::now();
        REQUIRE(eventually([&] { return std::chrono::steady_clock::now() - began > 2500ms; }));
        CHECK(value("SELECT state || ' after ' || attempts FROM radd.deliveries") ==
              "pending after 0");
        CHECK(receiver.connections() == 0);
        stop();

        Installation::set("RADD_RUN_WORKERS", "true");
        host = serve();
        CHECK(eventually([&] {
            return value("SELECT state || ' after ' || attempts FROM radd.deliveries") ==
                   "delivered after 1";
        }));
        CHECK(receiver.count() == 1);
    }
}
