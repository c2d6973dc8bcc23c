// P07: /readyz is about progress.

#include <chrono>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tests/pg/monitoring_bench.hpp>
#include <tests/support/private_cluster.hpp>

using namespace std::chrono_literals;
using radd::testing::eventually;
using radd::testing::PrivateCluster;
using radd::testing::TestDatabase;
using radd::testing::Watched;

namespace {

struct Ready {
    Ready() { REQUIRE(host.starts_well()); }
    TestDatabase database;
    Watched host{database.url()};
};

}  // namespace

TEST_SUITE("readiness") {
    TEST_CASE("nothing is ready before it has started") {
        const TestDatabase database;
        Watched host{database.url()};

        CHECK_FALSE(host.is_ready());
        for (const std::string check : {"started", "database", "leases"})
            CHECK(host.check(check) == false);
    }

    TEST_CASE_FIXTURE(Ready, "a process that stops is not ready whatever else works") {
        host.monitor.health().note_stopping();

        CHECK_FALSE(host.is_ready());
        CHECK(host.check("started") == false);
        CHECK(host.check("database") == true);
    }

    TEST_CASE_FIXTURE(Ready, "its checks name no consumer") {
        const auto text = radd::monitoring::Health::to_json(host.monitor.health().readiness());

        CHECK(text.find("probe") == std::string::npos);
        CHECK(nlohmann::json::parse(text).at("checks").size() == 5);
    }

    TEST_CASE("a process without workers keeps no lease and misses none") {
        const TestDatabase database;
        Watched host{database.url(), 10s, false};
        host.monitor.start();
        host.monitor.health().note_started();

        CHECK(eventually([&] { return host.is_ready(); }));
        CHECK_FALSE(host.check("leases"));
    }

    TEST_CASE("a restart of the server shows and passes") {
        PrivateCluster cluster;
        Watched host{cluster.url(), 2s};
        REQUIRE(host.starts_well());

        cluster.stop_immediate();
        CHECK(eventually([&] { return !host.is_ready(); }, 10s));
        CHECK(eventually([&] { return host.check("leases") == false; }));
        CHECK(eventually([&] { return host.check("stream") == false; }));
        CHECK(host.check("workers") == true);
        cluster.start();

        CHECK(eventually([&] { return host.is_ready(); }));
    }

    TEST_CASE("a frozen server shows and passes") {
        PrivateCluster cluster;
        Watched host{cluster.url()};
        REQUIRE(host.starts_well());

        cluster.freeze();
        CHECK(eventually([&] { return !host.is_ready(); }, 10s));
        cluster.thaw();

        CHECK(eventually([&] { return host.is_ready(); }));
    }

    TEST_CASE("a handler at work is progress and a thread that waits for ever is not") {
        TestDatabase database;
        radd::testing::Gate gate;
        Watched host{database.url()};
        host.outward.work = [&](radd::Transaction&, const radd::Event&) { gate.pass(); };
        REQUIRE(host.starts_well());
        database.execute(
            "INSERT INTO radd.events (event_type, entity_type, entity_id) VALUES ('a.b', 'item', "
            "'1')");
        REQUIRE(gate.reached());
        host.stream.clock.steady_ahead = radd::consumers::Workers::stuck_after + 5s;
        CHECK(host.workers.pulse().threads_stuck <= 2);  // The others, until they come round.
        REQUIRE(eventually([&] { return host.workers.pulse().threads_stuck == 0; }));

        // With every session lent, its commit waits for one, and no plugin is at it.
        std::vector<radd::db::Lease> all;
        while (all.size() < host.stream.pool->size())
            all.push_back(host.stream.pool->lease("test"));
        gate.open();
        REQUIRE(eventually([&] { return host.stream.pool->counts().waits > 0; }));
        host.stream.clock.steady_ahead = 2 * (radd::consumers::Workers::stuck_after + 5s);
        CHECK(eventually([&] { return host.workers.pulse().threads_stuck == 1; }));
        CHECK(host.check("workers") == false);
        all.clear();

        CHECK(eventually([&] { return host.check("workers") == true; }));
    }
}
