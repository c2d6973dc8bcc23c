// Deliveries over HTTP.

#include <string>

#include <doctest/doctest.h>

#include <host/api/delivery_routes.hpp>
#include <tests/pg/api_bench.hpp>

using radd::testing::Api;

namespace {

constexpr const char* insert_some = R"sql(
    INSERT INTO radd.deliveries (queue, lane, payload, state, finished_at, attempts, last_error)
    VALUES ('probe.out', 'a', '{"n": 1.10}', 'dead', now(), 7, 'answered 500'),
           ('probe.out', 'a', '{}', 'dead', now(), 7, 'answered 500'),
           ('probe.out', 'b', '{}', 'delivered', now(), 1, NULL),
           ('probe.out', 'b', '{}', 'pending', NULL, 0, NULL),
           ('probe.out', 'b', '{}', 'pending', NULL, 0, NULL))sql";

struct Stocked : Api {
    Stocked() : Api{true, {"idle.out", "probe.out"}} {
        client.add(radd::api::delivery_routes({.pool = *host.stream.pool,
                                               .declared = {"idle.out", "probe.out"},
                                               .log = host.stream.log}));
        database.execute(insert_some);
        start();
    }
    [[nodiscard]] std::string count(const std::string& which) {
        return database.value("SELECT count(*) FROM radd.deliveries WHERE " + which);
    }
};

}  // namespace

TEST_SUITE("deliveries api") {
    TEST_CASE_FIXTURE(Stocked, "queues and lanes and the overview tell the same") {
        const auto queues = client.get("/api/v1/delivery-queues").json().at("delivery_queues");
        REQUIRE(queues.size() == 2);
        CHECK(queues[0].at("name") == "idle.out");
        CHECK(queues[0].at("pending") == 0);
        CHECK(queues[1].at("name") == "probe.out");
        CHECK(queues[1].at("pending") == 2);
        CHECK(queues[1].at("due") == 2);
        CHECK(queues[1].at("dead") == 2);
        CHECK(client.get("/api/v1/monitoring/overview").json().at("delivery_queues") == queues);
        CHECK(client.get("/api/v1/delivery-queues/idle.out/lanes").json().at("lanes").empty());

        const auto lanes = client.get("/api/v1/delivery-queues/probe.out/lanes").json().at("lanes");
        REQUIRE(lanes.size() == 2);
        CHECK(lanes[0].at("lane") == "a");
        CHECK(lanes[0].at("dead") == 2);
        CHECK(lanes[1].at("pending") == 2);
        CHECK(client.get("/api/v1/delivery-queues/probe.oud/lanes").status == 404);
    }

    TEST_CASE_FIXTURE(Stocked, "a list pages by what it says comes next") {
        const auto first = client.get("/api/v1/deliveries?limit=3").json();
        CHECK(first.at("deliveries").size() == 3);
        CHECK(first.at("next").at("before") == 3);
        const auto rest = client.get("/api/v1/deliveries?limit=3&before=3").json();
        CHECK(rest.at("deliveries").size() == 2);
        CHECK(rest.at("next") == nullptr);
        CHECK(client.get("/api/v1/deliveries?state=dead&lane=a").json().at("deliveries").size() ==
              2);
        CHECK(client.get("/api/v1/deliveries?state=broken").status == 422);
        CHECK(client.get("/api/v1/deliveries?limit=0").status == 422);
        CHECK(client.get("/api/v1/deliveries?limit=501").status == 422);
        CHECK(client.get("/api/v1/deliveries?event_id=x").status == 422);
    }

    TEST_CASE_FIXTURE(Stocked, "one is shown with its payload as it is stored") {
        const auto one = client.get("/api/v1/deliveries/1");
        CHECK(one.body.find(R"("payload":{"n": 1.10})") != std::string::npos);
        CHECK(one.json().at("last_error") == "answered 500");
        CHECK(one.json().at("attempts") == 7);
        CHECK(client.get("/api/v1/deliveries/99").status == 404);
        CHECK(client.get("/api/v1/deliveries/x").status == 404);
    }

    TEST_CASE_FIXTURE(Stocked, "one is replayed or cancelled and who did it is in the log") {
        const auto made = client.post("/api/v1/deliveries/1/replay", "{}");
        CHECK(made.status == 200);
        CHECK(made.json().at("replayed_as") == 6);
        CHECK(client.get("/api/v1/deliveries/1").json().at("replayed_as") == 6);
        CHECK(client.get("/api/v1/deliveries/6").json().at("replay_of") == 1);
        CHECK(client.post("/api/v1/deliveries/4/replay", "{}").status == 422);
        CHECK(client.post("/api/v1/deliveries/99/replay", "{}").status == 404);

        const auto off = client.post("/api/v1/deliveries/4/cancel", "{}").json();
        CHECK(off.at("state") == "cancelled");
        CHECK(off.at("last_error").get<std::string>().find("ada") != std::string::npos);
        CHECK(client.post("/api/v1/deliveries/4/cancel", "{}").status == 422);
        CHECK(client.post("/api/v1/deliveries/99/cancel", "{}").status == 404);
        CHECK(host.stream.log.count("deliveries: 1 queued again as 6 by 'ada'") == 1);
        CHECK(host.stream.log.count("deliveries: 4 cancelled by 'ada'") == 1);
        const auto queue = client.get("/api/v1/delivery-queues").json().at("delivery_queues").at(1);
        CHECK(queue.at("dead") == 1);
        CHECK(queue.at("pending") == 2);
    }

    TEST_CASE_FIXTURE(Stocked, "dead letters are counted by a dry run and then sent again") {
        const auto replay = [&](const std::string& body) {
            return client.post("/api/v1/delivery-queues/probe.out/replay", body);
        };
        const auto would = replay(R"({"dry_run":true})").json();
        CHECK(would.at("deliveries") == 2);
        CHECK(would.at("lanes") == 1);
        CHECK(would.at("replayed") == 0);
        CHECK(would.at("more") == false);
        CHECK(count("replay_of IS NOT NULL") == "0");

        CHECK(replay(R"({"lane":"b"})").json().at("replayed") == 0);
        CHECK(replay(R"({"first_id":2,"last_id":2})").json().at("replayed") == 1);
        CHECK(replay("{}").json().at("replayed") == 1);
        CHECK(replay("{}").json().at("replayed") == 0);
        CHECK(count("replay_of IS NOT NULL") == "2");
        CHECK(client.post("/api/v1/delivery-queues/probe.oud/replay", "{}").status == 404);
    }

    TEST_CASE_FIXTURE(Stocked, "a lane is cancelled as a whole after a dry run") {
        const auto cancel = [&](const std::string& body) {
            return client.post("/api/v1/delivery-queues/probe.out/cancel", body);
        };
        CHECK(cancel(R"({"lane":"b","dry_run":true})").json().at("waiting") == 2);
        CHECK(count("state = 'pending'") == "2");
        CHECK(cancel(R"({"lane":"b"})").json().at("cancelled") == 2);
        CHECK(cancel(R"({"lane":"b"})").json().at("cancelled") == 0);
        CHECK(count("state = 'cancelled'") == "2");
        CHECK(client.post("/api/v1/delivery-queues/x/cancel", R"({"lane":"b"})").status == 404);

        database.execute(
            "INSERT INTO radd.deliveries (queue, lane, payload) "
            "SELECT 'probe.out', 'b', '{}' FROM generate_series(1, 10001)");
        const auto slice = cancel(R"({"lane":"b"})").json();
        CHECK(slice.at("cancelled") == 10'000);
        CHECK(slice.at("waiting") == 10'001);
        CHECK(slice.at("more") == true);
        CHECK(cancel(R"({"lane":"b"})").json().at("more") == false);
        CHECK(count("state = 'pending'") == "0");
    }
}
