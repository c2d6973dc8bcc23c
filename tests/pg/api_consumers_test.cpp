// What an operator does to consumers over HTTP.

#include <chrono>
#include <string>

#include <doctest/doctest.h>

#include <tests/pg/api_bench.hpp>

using namespace std::chrono_literals;
using radd::testing::Api;
using radd::testing::eventually;

namespace {

struct Operated : Api {
    Operated() {
        host.projection.work = [this](radd::Transaction&, const radd::Event& event) {
            if (event.entity_id == "2" && !mended) throw radd::Error{"no luck with \"2\""};
        };
        start();
        database.execute(
            "INSERT INTO radd.events (event_type, entity_type, entity_id, payload) SELECT 'a.b', "
            "'item', n::text, '{\"n\": 9007199254740993, \"p\": 1.10}' FROM "
            "generate_series(1, 5) n");
        REQUIRE(eventually([&] { return show("probe.projection").at("last_event_id") == 5; }));
    }
    nlohmann::json show(const std::string& name) {
        return client.get("/api/v1/consumers/" + name).json();
    }
    std::atomic<bool> mended{false};
};

const std::string one = "/api/v1/consumers/probe.projection";

}  // namespace

TEST_SUITE("consumers api") {
    TEST_CASE_FIXTURE(Operated, "an unknown name is 404 everywhere and names the nearest") {
        const std::string wrong = "/api/v1/consumers/probe.projektion";
        CHECK(client.get(wrong).status == 404);
        CHECK(client.get(wrong + "/skipped").status == 404);
        CHECK(client.post(wrong + "/pause", "{}").status == 404);
        CHECK(client.post(wrong + "/resume", "{}").status == 404);
        CHECK(client.post(wrong + "/seek", R"({"to":"head"})").status == 404);
        CHECK(client.post(wrong + "/retry", R"({"all":true})").status == 404);
        const auto answer = client.post(wrong + "/retire", "{}");
        CHECK(answer.status == 404);
        CHECK(answer.body.find("did you mean 'probe.projection'") != std::string::npos);
    }

    TEST_CASE_FIXTURE(Operated, "a pause is shown at once with its reason and ends") {
        const auto paused =
            client.post(one + "/pause", R"({"for":"5m","reason":"upgrade of the index"})").json();
        CHECK(paused.at("state") == "paused");
        CHECK(paused.at("pause_reason") == "upgrade of the index");
        CHECK(paused.at("paused_until").get<std::string>().ends_with("Z"));
        CHECK(host.stream.log.count("probe.projection: paused for 300000 ms by ada") == 1);

        CHECK(client.post(one + "/pause", "{}").json().at("paused_until") == "infinity");
        const auto resumed = client.post(one + "/resume", "{}").json();

        CHECK(resumed.at("state") != "paused");
        CHECK(resumed.at("paused_until") == nullptr);
        CHECK(resumed.at("moved") == nullptr);
        CHECK(eventually([&] { return show("probe.projection").at("state") == "ok"; }));
    }

    TEST_CASE_FIXTURE(Operated, "a pause of no duration is refused by name") {
        const auto answer = client.post(one + "/pause", R"({"for":"soon"})");

        CHECK(answer.status == 422);
        CHECK(answer.body.starts_with("for: "));
    }

    TEST_CASE_FIXTURE(Operated, "a seek is told before it is done") {
        const auto told = client.post(one + "/seek", R"({"to":"beginning","dry_run":true})").json();
        CHECK(told.at("direction") == "replay");
        CHECK(told.at("events") == 5);
        CHECK(told.at("from") == 5);
        CHECK(show("probe.projection").at("last_event_id") == 5);

        CHECK(client.post(one + "/seek", R"({"to":3})").json().at("events") == 2);

        CHECK(eventually([&] { return show("probe.projection").at("last_event_id") == 5; }));
        CHECK(show("probe.projection").at("handled_count") == 2);
        CHECK(client.post(one + "/seek", R"({"to":6})").status == 422);
        CHECK(client.post(one + "/seek", R"({"to":"tail"})").status == 422);
        CHECK(host.stream.log.count("cursor set from 5 to 3 by ada") == 1);
    }

    TEST_CASE_FIXTURE(Operated, "what was skipped is listed with its event and planned again") {
        const auto page = client.get(one + "/skipped");
        REQUIRE(page.status == 200);
        CHECK(page.body.find("9007199254740993") != std::string::npos);
        CHECK(page.body.find("1.10") != std::string::npos);
        const auto records = page.json().at("skipped_events");
        REQUIRE(records.size() == 1);
        CHECK(records.at(0).at("event_id") == 2);
        CHECK(records.at(0).at("phase") == "plan");
        CHECK(records.at(0).at("error") == "no luck with \"2\"");
        CHECK(records.at(0).at("event").at("entity_id") == "2");
        CHECK(page.json().at("next") == nullptr);

        mended = true;
        CHECK(client.post(one + "/retry", R"({"event_id":2})").json().at("requested") == 1);

        CHECK(eventually([&] {
            return client.get("/api/v1/skipped-events").json().at("skipped_events").empty();
        }));
        CHECK(client.post(one + "/retry", R"({"event_id":2})").status == 404);
        CHECK(client.post(one + "/retry", R"({"all":true})").json().at("requested") == 0);
    }

    TEST_CASE_FIXTURE(Operated, "skipped events come in pages") {
        database.execute(
            "INSERT INTO radd.skipped_events (consumer, event_id, event, phase, error, plugin, "
            "plugin_version) SELECT 'probe.outward', n, '{}', 'plan', 'x', 'probe', '1' FROM "
            "generate_series(10, 14) n");
        std::string query = "?limit=2";
        std::vector<std::int64_t> seen;
        for (int pages = 0; pages < 10; ++pages) {
            const auto page = client.get("/api/v1/consumers/probe.outward/skipped" + query).json();
            for (const auto& record : page.at("skipped_events"))
                seen.push_back(record.at("event_id").get<std::int64_t>());
            if (page.at("next").is_null()) break;
            query = "?limit=2&before=" + page.at("next").at("before").dump();
        }

        CHECK(seen == std::vector<std::int64_t>{14, 13, 12, 11, 10});
        CHECK(client.get("/api/v1/skipped-events?limit=501").status == 422);
        CHECK(client.get("/api/v1/skipped-events?limit=500").status == 200);
    }

    TEST_CASE_FIXTURE(Operated, "a retired consumer stays in the list and can be brought back") {
        CHECK(client.post(one + "/retire", "{}").json().at("state") == "retired");
        const auto list = client.get("/api/v1/consumers").json().at("consumers");
        CHECK(list.size() == 3);

        CHECK(client.post(one + "/resume", "{}").status == 200);

        CHECK(eventually([&] { return show("probe.projection").at("state") == "ok"; }));
    }
}
