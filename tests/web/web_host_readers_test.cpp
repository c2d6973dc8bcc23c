// Who is shown which events on a whole host: what the lists of administrators keep stands in
// events too, and those go out by more ways than one.

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <tests/support/host_port.hpp>
#include <tests/support/http_connection.hpp>
#include <tests/support/radd_process.hpp>

using namespace radd::testing;
using nlohmann::json;

namespace {

using Types = std::set<std::string>;

struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} {
        ship();
        for (const std::string id : {"automations", "chat", "realtime", "webhooks"}) ship(id);
        must({"migrate"});
    }
    [[nodiscard]] std::string bearer(const std::string& role) const {
        const auto made = must({"token", "create", "--name", role, "--role", role, "--json"});
        return "Authorization: Bearer " + made.json()["token"].get<std::string>() + "\r\n";
    }
    std::int64_t happen(const std::string& type, const std::string& words) {
        execute("INSERT INTO radd.events (event_type, entity_type, entity_id, payload) VALUES ('" +
                type + "', 'item', '7', '{\"words\": \"" + words + "\"}')");
        return std::stoll(value("SELECT max(id) FROM radd.events"));
    }
};

Types types_in(const json& page) {
    Types types;
    for (const auto& event : page.at("events")) types.insert(event.at("event_type"));
    return types;
}

/// What the feed tells of what was missed, until the words come.
std::string missed(std::uint16_t port, const std::string& who, std::string_view last_words) {
    HttpConnection connection{port};
    REQUIRE(connection.send("GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n" + who +
                            "Last-Event-ID: 0\r\n\r\n"));
    return connection.read_until(last_words);
}

}  // namespace

TEST_SUITE("web host readers") {
    TEST_CASE_FIXTURE(Scene, "what lists keep for administrators reaches no member as an event") {
        const auto host = serve();
        const auto port = port_of(*host);
        const auto admin = bearer("admin");
        const auto member = bearer("member");
        Types kept;
        const auto catalogue = http(port, "GET", "/api/v1/event-types", admin).json();
        for (const auto& type : catalogue.at("event_types"))
            if (type.at("readable_by") == "admin") kept.insert(type.at("type"));
        for (const char* type : {"csat.responded",
                                 "automation.run_failed",
                                 "chat.room_created",
                                 "webhook.endpoint_created"})
            CHECK_MESSAGE(kept.contains(type), type);
        kept.insert("survey.answered");  // Of a plugin that is not loaded.

        std::set<std::int64_t> ids;
        for (const auto& type : kept) ids.insert(happen(type, "whispered"));
        const auto shown = happen("item.updated", "whispered aloud");

        Types all{kept};
        all.insert("item.updated");
        for (const char* target : {"/api/v1/events",
                                   "/api/v1/events?text=whispered",
                                   "/api/v1/entities/item/7/activity"}) {
            CAPTURE(target);
            CHECK(types_in(http(port, "GET", target, admin).json()) == all);
            CHECK(types_in(http(port, "GET", target, member).json()) == Types{"item.updated"});
        }
        const auto status = [&](std::int64_t id, const std::string& who) {
            return http(port, "GET", "/api/v1/events/" + std::to_string(id), who).status;
        };
        for (const auto id : ids) {
            CHECK(status(id, admin) == 200);
            CHECK(status(id, member) == 403);
        }
        CHECK(status(shown, member) == 200);
        const auto told = missed(port, admin, "aloud");
        const auto told_member = missed(port, member, "aloud");
        CHECK(contains(told_member, "item.updated"));
        for (const auto& type : kept) {
            CHECK_MESSAGE(contains(told, type), type);
            CHECK_FALSE_MESSAGE(contains(told_member, type), type);
        }
    }
}
