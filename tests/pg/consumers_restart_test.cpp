// P07: the server goes away and comes back, and so does every loop.

#include <set>
#include <string>

#include <doctest/doctest.h>

#include <tests/pg/consumers_bench.hpp>
#include <tests/support/private_cluster.hpp>

using namespace std::chrono_literals;
using radd::consumers::ConsumerSetup;
using radd::consumers::Workers;
using radd::testing::Bench;
using radd::testing::eventually;
using radd::testing::Outward;
using radd::testing::PerEvent;
using radd::testing::PrivateCluster;
using radd::testing::Projection;
using radd::testing::Stream;

namespace {

ConsumerSetup setup(radd::Consumer& consumer, const std::string& name) {
    return {.declaration = {.name = name,
                            .plugin = "probe",
                            .plugin_version = "1.0.0",
                            .first_start = consumer.traits().first_start},
            .batch = 5,
            .consumer = &consumer};
}

/// On a session of its own: the one before died with the server.
std::int64_t number(const Stream& stream, std::string_view query) {
    radd::db::Session session{stream.options()};
    const auto rows = session.query_text(query, {}, false);
    return rows[0].integer("n");
}

void append(const Stream& stream, int count) {
    radd::db::Session session{stream.options()};
    session.run_script(
        "INSERT INTO radd.events (event_type, entity_type, entity_id) SELECT "
        "'probe.happened', 'item', n::text FROM generate_series(1, " +
        std::to_string(count) + ") n");
}

}  // namespace

TEST_SUITE("restart of the server") {
    // P07
    TEST_CASE("every loop comes back and nothing is done twice") {
        PrivateCluster cluster;
        Stream stream{cluster.url()};
        Outward outward;
        Projection projection;
        PerEvent per_event;
        outward.work = Bench::leaves_a_row("outward");
        projection.work = Bench::leaves_a_row("projection");
        per_event.work = Bench::leaves_a_row("per_event");
        Workers workers{stream.workers(),
                        {.lease = 1s, .backoff_cap = 500ms},
                        {setup(outward, "probe.outward"),
                         setup(projection, "probe.projection"),
                         setup(per_event, "probe.per_event")},
                        {}};
        workers.start();
        REQUIRE(eventually([&] { return workers.owned_count() == 3; }));

        std::int64_t events = 0;
        for (int round = 0; round < 3; ++round) {
            append(stream, 100);
            events += 100;
            const auto some = [&] {
                return number(stream, "SELECT count(*) AS n FROM done") > (events - 95) * 3;
            };
            REQUIRE(eventually(some));
            cluster.stop_immediate();
            cluster.start();
        }
        append(stream, 1);
        ++events;

        REQUIRE(eventually([&] {
            return number(stream,
                          "SELECT count(*) AS n FROM radd.consumers WHERE cursor = "
                          "(SELECT max(id) FROM radd.events)") == 3;
        }));
        CHECK(number(stream, "SELECT count(*) AS n FROM done") == events * 3);
        CHECK(number(stream, "SELECT count(*) AS n FROM radd.skipped_events") == 0);
        CHECK(workers.stop(10s).empty());
        const auto delivered = outward.delivered.ids();
        CHECK(std::set<std::int64_t>{delivered.begin(), delivered.end()}.size() ==
              delivered.size());
        CHECK(delivered.size() <= static_cast<std::size_t>(events));
        // Only a commit whose answer was lost may cost deliveries, and it is asked for afterwards.
        CHECK(delivered.size() == static_cast<std::size_t>(events));
    }
}
