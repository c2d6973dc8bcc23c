// What an operator's page and an operator's probes are told.

#include <chrono>
#include <string>

#include <doctest/doctest.h>

#include <tests/pg/api_bench.hpp>

using namespace std::chrono_literals;
using radd::testing::Api;
using radd::testing::eventually;

namespace {

struct Running : Api {
    Running() { start(); }
};

/// In order, a blank after each.
std::string keys_of(const nlohmann::json& object) {
    std::string keys;
    for (const auto& [key, value] : object.items()) keys += key + " ";
    return keys;
}

}  // namespace

TEST_SUITE("monitoring api") {
    TEST_CASE_FIXTURE(Running, "the overview tells of database and host and consumers") {
        const auto answer = client.get("/api/v1/monitoring/overview");

        REQUIRE(answer.status == 200);
        const auto found = answer.json();
        CHECK(found.at("database").at("reachable") == true);
        CHECK(found.at("database").at("private") == false);
        CHECK(found.at("database").at("ids_left") > 50'000'000);
        CHECK(found.at("database").at("events_bytes") > 0);
        CHECK(found.at("host").at("name") == "here");
        CHECK(found.at("host").at("uptime_s") >= 0);
        CHECK(found.at("workers_in_process") == true);
        CHECK(found.at("refused_plugins").empty());
        CHECK(found.at("waiting_on") == nullptr);
        REQUIRE(found.at("consumers").size() == 3);
        const auto& first = found.at("consumers").at(0);
        CHECK(first.at("name") == "probe.outward");
        CHECK(first.at("state") == "ok");
        CHECK(first.at("lag") == 0);
        CHECK(first.at("paused_until") == nullptr);
        CHECK(first.at("owner").is_string());
        CHECK(keys_of(first) ==
              "approximate handled_count kind lag last_event_id name "
              "oldest_age_s overdue_event_id owner pause_reason paused_until "
              "plugin seconds_since_update skipped state stream_head waiting_on ");
        CHECK(keys_of(found) ==
              "consumers database delivery_queues host refused_plugins "
              "waiting_on workers_in_process ");
        CHECK(keys_of(found.at("host")) == "name started_at uptime_s version workers_in_process ");
        CHECK(keys_of(found.at("database")) ==
              "events_bytes ids_left last_drawn private reachable "
              "server_version settled stream_head time ");
    }

    TEST_CASE_FIXTURE(Running, "a hole names who holds the stream until it is gone") {
        radd::db::Session holder{host.stream.options()};
        holder.begin();
        holder.query(
            "INSERT INTO radd.events (event_type, entity_type, entity_id) VALUES ('a.b', 'item', "
            "'1')");
        database.execute(
            "INSERT INTO radd.events (event_type, entity_type, entity_id) VALUES ('a.b', 'item', "
            "'2')");

        CHECK(eventually([&] {
            const auto found = client.get("/api/v1/monitoring/overview").json();
            return found.at("waiting_on").is_object() &&
                   found.at("waiting_on").at("pid") == holder.backend_pid() &&
                   found.at("consumers").at(0).at("state") == "waiting" &&
                   found.at("consumers").at(0).at("waiting_on").at("event_id") == 1;
        }));
        holder.rollback();
        CHECK(eventually([&] {
            const auto found = client.get("/api/v1/monitoring/overview").json();
            return found.at("consumers").at(0).at("state") == "ok" &&
                   found.at("consumers").at(0).at("last_event_id") == 2;
        }));
    }

    TEST_CASE_FIXTURE(Running, "the history refuses what is no number") {
        CHECK(client.get("/api/v1/monitoring/history").json().at("interval_s") == 2);
        CHECK(client.get("/api/v1/monitoring/history?after=soon").status == 422);
    }

    TEST_CASE_FIXTURE(Running, "health and readiness and metrics answer") {
        CHECK(client.get("/healthz").json().at("status") == "ok");
        CHECK(client.get("/readyz").status == 200);
        const auto page = client.get("/metrics");
        CHECK(page.content_type == "text/plain; version=0.0.4; charset=utf-8");
        CHECK(page.body.find("radd_database_up 1") != std::string::npos);

        host.monitor.health().note_stopping();

        CHECK(client.get("/readyz").status == 503);
        CHECK(client.get("/readyz").json().at("ready") == false);
        CHECK(client.get("/healthz").status == 200);
    }

    TEST_CASE("a web process says that workers run elsewhere and sees them all the same") {
        Api api{false};
        api.database.execute(
            "INSERT INTO radd.consumers (name, plugin, owner, lease_until) VALUES "
            "('probe.outward', 'probe', 'elsewhere:1:1', 'infinity')");
        api.host.monitor.start();

        const auto found = api.client.get("/api/v1/monitoring/overview").json();

        CHECK(found.at("workers_in_process") == false);
        CHECK(found.at("host").at("workers_in_process") == false);
        CHECK(found.at("consumers").at(0).at("owner") == "elsewhere:1:1");
        CHECK(found.at("consumers").at(0).at("state") == "ok");
        const auto page = api.client.get("/metrics").body;
        CHECK(page.find("radd_workers_in_process 0\n") != std::string::npos);
        CHECK(page.find("radd_consumer_state{consumer=\"probe.outward\"") != std::string::npos);
    }

    TEST_CASE("a process whose monitor has not begun answers 503 and no guess") {
        Api api;

        const auto answer = api.client.get("/api/v1/monitoring/overview");

        CHECK(answer.status == 503);
    }
}
