// Alarms of a host that is killed between the moment that something is due and its event.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>

#include <signal.h>
#include <tests/support/host_port.hpp>
#include <tests/support/http_connection.hpp>
#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

/// Items with a resolution that is promised within an hour and soon due in its last quarter.
struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} {
        for (const char* id : {"items", "sla"}) ship(id);
        declare("sla", "settings:\n  check_interval: 100ms\n");
        Installation::set("RADD_CONSUMERS_LEASE", "1s");
        must({"migrate"});
        const auto token = must({"token", "create", "--name", "Ada", "--role", "admin", "--json"});
        bearer = "Authorization: Bearer " + token.json()["token"].get<std::string>() + "\r\n";
        host = serve();
        post("/api/v1/projects", {{"key", "DEMO"}, {"name", "Demo"}});
        auto hours = json::array();
        for (const char* day : {"mon", "tue", "wed", "thu", "fri", "sat", "sun"})
            hours.push_back({{"day", day}, {"from", "00:00"}, {"to", "24:00"}});
        const auto calendar = post("/api/v1/sla/calendars",
                                   {{"name", "Always"}, {"zone", "Etc/UTC"}, {"hours", hours}});
        post("/api/v1/sla/policies",
             {{"project", "DEMO"},
              {"name", "Standard"},
              {"calendar_id", calendar.at("id")},
              {"targets", {{"resolution", {{"within_minutes", 60}, {"due_soon_minutes", 15}}}}}});
    }
    json post(const std::string& target, const json& body) {
        const auto reply = http(port_of(*host),
                                "POST",
                                target,
                                bearer + "Content-Type: application/json\r\n",
                                body.dump());
        REQUIRE_MESSAGE(reply.status == 201, reply.body);
        return reply.json();
    }
    void make_items(int count) {
        for (int i = 0; i < count; ++i)
            post("/api/v1/items", {{"project", "DEMO"}, {"title", "Printer"}});
        REQUIRE(eventually(
            [&] { return value("SELECT count(*) FROM sla.clocks") == std::to_string(count); },
            20s));
    }
    /// As if so much time had passed for some of them.
    void pass(int minutes, const std::string& which = "true") {
        const auto span = " - interval '1 minute' * " + std::to_string(minutes);
        execute("UPDATE sla.clocks SET alarm_from = '-infinity', due_at = due_at" + span +
                ", due_soon_at = due_soon_at" + span + " WHERE " + which);
    }
    [[nodiscard]] int told(const std::string& type) {
        return std::stoi(
            value("SELECT count(*) FROM radd.events WHERE event_type = 'sla." + type + "'"));
    }
    /// Whether each item was told of once.
    [[nodiscard]] bool told_once(const std::string& type, int items) {
        return told(type) == items &&
               value("SELECT count(DISTINCT entity_id) FROM radd.events WHERE event_type = 'sla." +
                     type + "'") == std::to_string(items);
    }
    void kill() {
        host->signal(SIGKILL);
        (void)host->wait();
    }

    std::string bearer;
    std::unique_ptr<Process> host;
};

}  // namespace

TEST_SUITE("alarms of a host") {
    TEST_CASE_FIXTURE(Scene, "are told once each whenever it is killed") {
        constexpr int rounds = 4;
        constexpr int items = 12;
        make_items(items);
        for (const auto& [minutes, type] : {std::pair{50, "due_soon"}, std::pair{60, "breached"}}) {
            CAPTURE(type);
            for (int round = 0; round < rounds; ++round) {
                const int before = told(type);
                pass(minutes, "item_id % 4 = " + std::to_string(round));
                // At once, or as soon as something is told.
                if (round % 2 == 1) REQUIRE(eventually([&] { return told(type) > before; }, 20s));
                kill();
                host = serve();
            }
            CHECK(eventually([&] { return told_once(type, items); }, 20s));
        }
        CHECK(told_once("due_soon", items));
        CHECK(value("SELECT count(*) FROM radd.skipped_events") == "0");
    }
}
