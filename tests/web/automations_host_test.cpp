// Rules in a whole host: what plugins declare starts them, and what plugins can do they do.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tests/support/host_port.hpp>
#include <tests/support/http_connection.hpp>
#include <tests/support/http_receiver.hpp>
#include <tests/support/radd_process.hpp>
#include <tests/support/smtp.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

/// A host with a project, and Bob who has an account and an item.
struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} {
        for (const char* id : {"items", "mail", "automations", "notify", "chat", "webhooks"})
            ship(id);
        declare("mail",
                "settings:\n  host: 127.0.0.1\n  port: " + std::to_string(relay.port()) +
                    "\n  from_address: desk@example.org\n");
        ship_enabled("milestones");
        write("keys", std::string(64, 'a') + "\n");
        std::filesystem::permissions(path("keys"), std::filesystem::perms::owner_read);
        Installation::set("RADD_SECRETS_KEY_FILE", path("keys").string());
        Installation::set("RADD_OUTBOUND_ALLOW", "127.0.0.0/8");
        must({"migrate"});
        bob = must({"account", "create", "--name", "bob", "--role", "member", "--json"})
                  .json()["account"]["id"];
        execute("INSERT INTO items.people (id, name) VALUES ('" + bob + "', 'Bob')");
        const auto token = must({"token", "create", "--name", "Ada", "--role", "admin", "--json"});
        bearer = "Authorization: Bearer " + token.json()["token"].get<std::string>() + "\r\n";
        host = serve();
        ask("POST", "/api/v1/projects", {{"key", "DEMO"}, {"name", "Demo"}});
        ask("POST", "/api/v1/items", {{"project", "DEMO"}, {"title", "Lens"}, {"assignee", bob}});
        REQUIRE(eventually([&] { return is_settled(); }));
    }
    HttpReply send(const std::string& method, const std::string& target, const json& body) {
        const std::string type = body.is_null() ? "" : "Content-Type: application/json\r\n";
        return http(
            port_of(*host), method, target, bearer + type, body.is_null() ? "" : body.dump());
    }
    /// Must succeed.
    json ask(const std::string& method, const std::string& target, const json& body = nullptr) {
        const auto reply = send(method, target, body);
        REQUIRE_MESSAGE(reply.status / 100 == 2, reply.body);
        return reply.json();
    }
    void rule(const std::string& name, const char* definition) {
        must({"automations", "add", name, definition});
    }
    json runs(const std::string& rule) {
        return must({"automations", "runs", rule, "--json"}).json();
    }

    SmtpServer relay;
    std::string bob;
    std::string bearer;
    std::unique_ptr<Process> host;
};

}  // namespace

TEST_SUITE("automations of a host") {
    TEST_CASE_FIXTURE(Scene, "an entity without code starts a rule by what changed in it") {
        rule("reached", R"({"trigger":{"events":["milestone.updated"]},
            "when":{"field":"changes.state.to","is":"reached"},
            "then":[{"action":"items.create_item","arguments":
                {"project":"DEMO","title":"Celebrate {{payload.milestone.name}}"}}]})");
        const auto made =
            ask("POST", "/api/v1/milestones", {{"name", "First light"}, {"project", 1}});
        const auto target = "/api/v1/milestones/" + made.at("id").dump();
        ask("PATCH", target, {{"state", "active"}});
        ask("PATCH", target, {{"state", "reached"}});

        REQUIRE(eventually([&] { return runs("reached").size() == 1; }, 20s));
        REQUIRE(eventually([&] { return is_settled(); }, 20s));
        const auto run = runs("reached")[0];
        CHECK(run.at("outcome") == "applied");
        CHECK(ask("GET", "/api/v1/items/DEMO-2").at("title") == "Celebrate First light");
        const auto event = run.at("event_id").dump();
        CHECK(value("SELECT event_type || ' ' || (changes::jsonb->0->>'to') FROM radd.events "
                    "WHERE id = " +
                    event) == "milestone.updated reached");
        const auto shown = must({"automations", "test", "reached", "--event", event, "--json"});
        CHECK(shown.json().at("plan")[0].at("summary") == run.at("plan")[0].at("summary"));
    }

    TEST_CASE_FIXTURE(Scene, "a rule tells a person and a room once each") {
        const HttpReceiver room{
            [](const Received&) { return HttpReceiver::answer_of(200, "", "{}"); }};
        ask("POST",
            "/api/v1/chat/rooms",
            {{"name", "ops"}, {"url", room.url()}, {"event_types", {"project.updated"}}});
        rule("tell", R"({"trigger":{"events":["item.updated"]},
            "when":{"field":"changes.title.to","is":"Mirror"},
            "then":[{"action":"notify.person","arguments":
                        {"to":"assignee","text":"It is a {{changes.title.to}} now"}},
                    {"action":"chat.post","arguments":
                        {"room":"ops","text":"{{entity.key}} was a {{changes.title.from}}"}}]})");
        ask("PATCH", "/api/v1/items/DEMO-1", {{"title", "Mirror"}});

        REQUIRE(eventually([&] { return room.count() == 1; }, 20s));
        REQUIRE(eventually([&] { return is_settled(); }, 20s));
        ask("PATCH", "/api/v1/items/DEMO-1", {{"priority", "high"}});
        REQUIRE(eventually([&] { return is_settled(); }, 20s));

        CHECK(room.count() == 1);
        CHECK(contains(room.received()[0].body, "DEMO-1 was a Lens"));
        CHECK(value("SELECT count(*) FROM radd.deliveries WHERE queue LIKE 'chat.%'") == "1");
        CHECK(
            value(
                "SELECT string_agg(detail->>'text', ';') FROM notify.notices WHERE person_id = '" +
                bob + "' AND detail ? 'text'") == "It is a Mirror now");
        REQUIRE(runs("tell").size() == 1);
        CHECK(runs("tell")[0].at("outcome") == "applied");
    }

    TEST_CASE_FIXTURE(Scene, "a rule mails and calls a webhook once each as its dry run says") {
        const HttpReceiver hook{[](const Received&) { return HttpReceiver::answer_of(200); }};
        ask("POST",
            "/api/v1/webhooks",
            {{"name", "build"}, {"url", hook.url()}, {"event_types", {"project.updated"}}});
        rule("escalate", R"({"trigger":{"events":["item.updated"]},
            "when":{"field":"changes.title.to","is":"Mirror"},
            "then":[{"action":"mail.send","arguments":{"to":"ops@example.org",
                        "subject":"{{entity.key}} changed","text":"Now {{changes.title.to}}"}},
                    {"action":"webhooks.call","arguments":{"endpoint":"build",
                        "payload":{"title":"{{changes.title.to}}"}}}]})");
        ask("PATCH", "/api/v1/items/DEMO-1", {{"title", "Mirror"}});

        REQUIRE(eventually([&] { return hook.count() == 1 && relay.mails().size() == 1; }, 20s));
        REQUIRE(eventually([&] { return is_settled(); }, 20s));
        REQUIRE(runs("escalate").size() == 1);
        const auto run = runs("escalate")[0];
        CHECK(run.at("outcome") == "applied");
        const auto event = run.at("event_id").dump();
        const auto shown = must({"automations", "test", "escalate", "--event", event, "--json"});
        CHECK(shown.json().at("plan") == run.at("plan"));
        CHECK(relay.mails()[0].to == std::vector<std::string>{"ops@example.org"});
        CHECK(contains(relay.mails()[0].body, "Now Mirror"));
        CHECK(json::parse(hook.received()[0].body).at("data").at("payload") ==
              json{{"title", "Mirror"}});
        CHECK(value("SELECT string_agg(state, ' ') FROM radd.deliveries") == "delivered delivered");
    }

    TEST_CASE_FIXTURE(Scene, "what is of another type is refused by its field before it is read") {
        rule("label", R"({"trigger":{"events":["item.updated"]},
            "then":[{"action":"items.add_label","arguments":{"label":"seen"}}]})");
        const auto refused =
            [&](const std::string& method, const std::string& path, const json& body) {
                const auto reply = send(method, "/api/v1/automations" + path, body);
                CHECK_MESSAGE(reply.status == 422, reply.body);
                return reply.json().at("errors")[0].at("field").get<std::string>();
            };
        CHECK(refused("PATCH", "/1", {{"enabled", "yes"}}) == "enabled");
        CHECK(refused("PATCH", "/1", {{"colour", "red"}}) == "colour");
        CHECK(refused("POST", "/dry-run", {{"rule_id", "label"}}) == "rule_id");
        CHECK(refused("GET", "/runs?before=x", nullptr) == "before");
        CHECK(refused("GET", "/runs?colour=red", nullptr) == "colour");
        CHECK(send("POST", "/api/v1/automations", json::array()).status == 422);
        CHECK(must({"automations", "list"}).out == "1\tlabel\ton\n");
    }

    // P44
    TEST_CASE_FIXTURE(Scene, "a deleted project is named by nothing that goes on") {
        const auto answer = [](const Received&) { return HttpReceiver::answer_of(200); };
        const HttpReceiver told{answer};
        const HttpReceiver told_of_others{answer};
        ask("POST",
            "/api/v1/webhooks",
            {{"name", "more"},
             {"url", told_of_others.url()},
             {"event_types", {"item.deleted", "project.deleted"}},
             {"project_ids", {1, 999}}});
        for (const char* path : {"/api/v1/chat/rooms", "/api/v1/webhooks"})
            ask("POST",
                path,
                {{"name", "ops"},
                 {"url", told.url()},
                 {"event_types", {"project.updated"}},
                 {"project_ids", json::array({1})}});
        ask("POST", "/api/v1/milestones", {{"name", "First light"}, {"project", 1}});
        execute("INSERT INTO notify.project_watches VALUES (1, '" + bob + "')");
        rule("backup", R"({"trigger":{"every":"1h"},"then":[{"action":"items.create_item",
            "arguments":{"project":"DEMO","title":"Backup"}}]})");
        rule("label", R"({"trigger":{"events":["item.updated"]},"project_id":1,
            "then":[{"action":"items.add_label","arguments":{"label":"seen"}}]})");
        ask("POST", "/api/v1/items/DEMO-1/comments", {{"body", "Hello"}});
        const std::string notices = "SELECT count(*) FROM notify.notices";
        REQUIRE(eventually([&] { return is_settled() && value(notices) != "0"; }, 20s));

        const auto items = std::stoul(value("SELECT count(*) FROM items.items"));
        CHECK(send("DELETE", "/api/v1/projects/DEMO", nullptr).status == 409);
        REQUIRE(send("DELETE", "/api/v1/projects/DEMO?with_items=true", nullptr).status == 204);
        REQUIRE(eventually([&] { return is_settled(); }, 20s));

        CHECK(value("SELECT string_agg(DISTINCT disabled_reason, ';') FROM automations.rules") ==
              "project DEMO (id 1) is deleted");
        for (const char* table : {"automations.rules", "chat.rooms", "webhooks.endpoints"})
            CHECK_MESSAGE(value(std::string{"SELECT count(*) FROM "} + table +
                                " WHERE enabled AND name <> 'more'") == "0",
                          table);
        // Who goes on is told of all that went, and of nothing that will be there by that id.
        CHECK(value("SELECT project_ids FROM webhooks.endpoints WHERE name = 'more'") == "{999}");
        CHECK(eventually([&] { return told_of_others.count() == items + 1; }));
        for (const char* table : {"items.items",
                                  "milestones.milestones",
                                  "notify.notices",
                                  "notify.project_watches",
                                  "notify.watches",
                                  "radd.skipped_events"})
            CHECK_MESSAGE(value(std::string{"SELECT count(*) FROM "} + table) == "0", table);
        CHECK(told.count() == 0);
    }
}
