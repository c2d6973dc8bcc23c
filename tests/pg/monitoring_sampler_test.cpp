// One look for everybody who asks.

#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <tests/pg/monitoring_bench.hpp>
#include <tests/support/private_cluster.hpp>

using namespace std::chrono_literals;
using nlohmann::json;
using radd::monitoring::Sampler;
using radd::testing::eventually;
using radd::testing::PrivateCluster;
using radd::testing::TestDatabase;
using radd::testing::Watched;

namespace {

struct Sampled {
    Sampled() { REQUIRE(host.starts_well()); }
    TestDatabase database;
    Watched host{database.url()};
    Sampler& sampler = host.monitor.sampler();
};

}  // namespace

TEST_SUITE("sampler") {
    TEST_CASE_FIXTURE(Sampled, "callers share a look that is young enough") {
        const auto first = sampler.fresh(10s);

        CHECK(sampler.fresh(10s) == first);
        CHECK(first->consumers.size() == 3);
    }

    TEST_CASE_FIXTURE(Sampled, "what has changed just now is not told from before") {
        const auto before = sampler.fresh(10s);
        database.execute("UPDATE radd.consumers SET paused_until = 'infinity'");
        sampler.expire();

        const auto after = sampler.fresh(10s);

        CHECK(after != before);
        for (const auto& status : after->consumers) {
            CHECK(status.state == "paused");
            CHECK(status.paused_until == "infinity");
        }
    }

    TEST_CASE_FIXTURE(Sampled, "a crowd costs one look and not one each") {
        std::vector<std::thread> crowd;
        std::mutex mutex;
        std::set<const void*> looks;
        sampler.expire();
        for (int one = 0; one < 32; ++one) {
            crowd.emplace_back([&] {
                const auto snapshot = sampler.fresh(10s, 20s);
                const std::scoped_lock lock{mutex};
                looks.insert(snapshot.get());
            });
        }
        for (auto& one : crowd) one.join();

        CHECK(looks.size() <= 3);
    }

    TEST_CASE_FIXTURE(Sampled, "the history has a sample every two seconds and all lists alike") {
        REQUIRE(
            eventually([&] { return json::parse(sampler.history_json({})).at("at").size() >= 3; }));

        const auto history = json::parse(sampler.history_json({}));

        const auto size = history.at("at").size();
        CHECK(history.at("interval_s") == 2);
        CHECK(history.at("stream_head").size() == size);
        for (const auto& [name, series] : history.at("consumers").items()) {
            CHECK(series.at("lag").size() == size);
            CHECK(series.at("last_event_id").size() == size);
            CHECK(series.at("state").size() == size);
        }
        const auto last = history.at("at").back().get<std::int64_t>();
        CHECK(last - history.at("at").front().get<std::int64_t>() >= 3);
        CHECK(json::parse(sampler.history_json(last - 1)).at("at").size() == 1);
    }

    // P45
    TEST_CASE_FIXTURE(Sampled, "the room that the stream takes is looked up once a minute") {
        const auto told = [&] {
            sampler.expire();
            return sampler.fresh(10s, 10s)->events_bytes;
        };
        const auto before = told();
        CHECK(std::to_string(before) ==
              database.value("SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE "
                             "relname LIKE 'events_from_%' AND relkind = 'r'"));

        database.execute(
            "INSERT INTO radd.events (event_type, entity_type, entity_id, payload) SELECT 'a.b', "
            "'item', n::text, json_build_object('text', repeat('x', 500)) "
            "FROM generate_series(1, 5000) n");
        CHECK(told() == before);
        host.stream.clock.steady_ahead = Sampler::measure_every;
        CHECK(told() > before + 5000 * 500);
    }

    TEST_CASE("a frozen server makes a caller wait a second and no longer") {
        PrivateCluster cluster;
        Watched host{cluster.url()};
        REQUIRE(host.starts_well());
        cluster.freeze();
        host.monitor.sampler().expire();

        const auto began = std::chrono::steady_clock::now();
        CHECK_THROWS_AS(static_cast<void>(host.monitor.sampler().fresh()), radd::Unavailable);
        const auto took = std::chrono::steady_clock::now() - began;
        cluster.thaw();

        CHECK(took < 5s);
        CHECK(eventually([&] { return host.is_ready(); }, 10s));
    }
}
