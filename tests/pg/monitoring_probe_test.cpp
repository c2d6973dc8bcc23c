// Whether the database answers, and how soon that is known.

#include <chrono>
#include <string>

#include <doctest/doctest.h>

#include <host/db/migrate.hpp>
#include <host/monitoring/database_probe.hpp>
#include <tests/pg/consumers_bench.hpp>
#include <tests/support/private_cluster.hpp>

using namespace std::chrono_literals;
using radd::monitoring::DatabaseProbe;
using radd::testing::eventually;

namespace {

struct Probed {
    Probed() {
        radd::db::Session session{{.url = cluster.url()}};
        radd::db::migrate(session, {{"core", radd::db::core_migrations()}});
    }
    [[nodiscard]] bool is_there() const { return probe.away_for() == 0ms; }
    /// What the server is asked at 503 by.
    [[nodiscard]] bool is_away() const { return probe.away_for() >= 1s; }

    radd::testing::PrivateCluster cluster;
    radd::testing::RealClock clock;
    radd::testing::KeptLog log;
    DatabaseProbe probe{{.url = cluster.url()}, clock, log};
};

}  // namespace

TEST_SUITE("database probe") {
    TEST_CASE_FIXTURE(Probed, "before the first answer it is away") {
        CHECK(probe.away_for() > 0ms);
        CHECK_FALSE(probe.facts());
    }

    TEST_CASE_FIXTURE(Probed, "a server that answers tells its version and where the stream is") {
        probe.start();
        REQUIRE(eventually([&] { return is_there(); }));

        const auto facts = probe.facts();

        REQUIRE(facts);
        CHECK(facts->server_version.starts_with("15."));
        CHECK(facts->position.last_drawn == 0);
        CHECK(facts->position.ids_left > 50'000'000);
        CHECK(facts->time.ends_with("Z"));
    }

    TEST_CASE_FIXTURE(Probed, "a frozen server is away within two seconds and back when it thaws") {
        probe.start();
        REQUIRE(eventually([&] { return is_there(); }));

        cluster.freeze();
        CHECK(eventually([&] { return is_away(); }, 10s));
        cluster.thaw();

        CHECK(eventually([&] { return is_there(); }));
    }

    TEST_CASE_FIXTURE(Probed, "a server that is stopped and started is away meanwhile") {
        probe.start();
        REQUIRE(eventually([&] { return is_there(); }));

        cluster.stop_immediate();
        CHECK(eventually([&] { return is_away(); }));
        CHECK(eventually([&] { return log.count("database probe: ", radd::LogLevel::warn) == 1; }));
        cluster.start();

        CHECK(eventually([&] { return is_there(); }));
        CHECK(log.count("the database answers again") == 1);
    }

    TEST_CASE_FIXTURE(Probed, "it stops while the server is frozen") {
        probe.start();
        REQUIRE(eventually([&] { return is_there(); }));
        cluster.freeze();
        REQUIRE(eventually([&] { return probe.away_for() > 0ms; }));

        const auto began = std::chrono::steady_clock::now();
        const bool clean = probe.stop();
        const auto took = std::chrono::steady_clock::now() - began;
        cluster.thaw();

        CHECK(clean);
        CHECK(took < 10s);
    }
}
