// P07: the server goes away and comes back, and so does every loop.

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <tests/pg/consumers_running.hpp>
#include <tests/support/private_cluster.hpp>

using namespace std::chrono_literals;
using radd::consumers::ConsumerSetup;
using radd::consumers::Workers;
using radd::testing::Bench;
using radd::testing::eventually;
using radd::testing::let_pass;
using radd::testing::Outward;
using radd::testing::PerEvent;
using radd::testing::PrivateCluster;
using radd::testing::Projection;
using radd::testing::setup;
using radd::testing::Stream;

namespace {

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

/// A consumer of each shape, each of which leaves one row per event.
struct Shapes {
    explicit Shapes(std::string prefix) : name{std::move(prefix)} {
        outward.work = Bench::leaves_a_row(name + ".outward");
        projection.work = Bench::leaves_a_row(name + ".projection");
        per_event.work = Bench::leaves_a_row(name + ".per_event");
    }
    [[nodiscard]] std::vector<ConsumerSetup> setups() {
        std::vector<ConsumerSetup> all;
        all.push_back(setup(outward, name + ".outward"));
        all.push_back(setup(projection, name + ".projection"));
        all.push_back(setup(per_event, name + ".per_event"));
        return all;
    }

    std::string name;
    Outward outward;
    Projection projection;
    PerEvent per_event;
};

bool is_at_head(const Stream& stream, std::int64_t consumers) {
    return number(stream,
                  "SELECT count(*) AS n FROM radd.consumers WHERE cursor = "
                  "(SELECT max(id) FROM radd.events)") == consumers;
}

std::chrono::nanoseconds processor_time() {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return std::chrono::seconds{used.tv_sec} + std::chrono::nanoseconds{used.tv_nsec};
}

bool is_long() {
    return std::getenv("RADD_LONG") != nullptr;  // NOLINT(concurrency-mt-unsafe)
}

}  // namespace

TEST_SUITE("restart of the server") {
    // P07
    TEST_CASE("six consumers outlive ten restarts and nothing is done twice") {
        PrivateCluster cluster;
        Stream stream{cluster.url()};
        Shapes first{"first"};
        Shapes second{"second"};
        auto setups = first.setups();
        for (auto& one : second.setups()) setups.push_back(std::move(one));
        Workers workers{
            stream.workers(), {.lease = 1s, .backoff_cap = 500ms}, std::move(setups), {}};
        workers.start();
        REQUIRE(eventually([&] { return workers.owned_count() == 6; }));

        std::int64_t events = 0;
        for (int round = 0; round < 10; ++round) {
            append(stream, 100);
            events += 100;
            const auto some = [&] {
                return number(stream, "SELECT count(*) AS n FROM done") > (events - 95) * 6;
            };
            REQUIRE(eventually(some, 60s));
            cluster.stop_immediate();
            cluster.start();
        }
        append(stream, 1);
        ++events;

        REQUIRE(eventually([&] { return is_at_head(stream, 6); }, 60s));
        CHECK(number(stream, "SELECT count(*) AS n FROM done") == events * 6);
        CHECK(number(stream, "SELECT count(*) AS n FROM radd.skipped_events") == 0);
        CHECK(workers.stop(10s).empty());
        for (const auto* shapes : {&first, &second}) {
            const auto delivered = shapes->outward.delivered.ids();
            CHECK(std::set<std::int64_t>{delivered.begin(), delivered.end()}.size() ==
                  delivered.size());
            // Only a commit whose answer was lost may cost deliveries, and it is asked for
            // afterwards.
            CHECK(delivered.size() == static_cast<std::size_t>(events));
        }
    }

    // P07, P11
    TEST_CASE("a server that stays away costs neither time of the processor nor a flood of lines") {
        PrivateCluster cluster;
        Stream stream{cluster.url()};
        Shapes shapes{"only"};
        Workers workers{stream.workers(), {.lease = 1s, .backoff_cap = 500ms}, shapes.setups(), {}};
        workers.start();
        REQUIRE(eventually([&] { return workers.owned_count() == 3; }));
        append(stream, 20);
        REQUIRE(eventually([&] { return is_at_head(stream, 3); }));

        cluster.stop_fast();
        const auto away = is_long() ? 60s : 5s;
        const auto before = processor_time();
        let_pass(away);
        const auto used = processor_time() - before;
        const auto lines = stream.log.count("");
        cluster.start();
        append(stream, 1);

        CHECK(eventually([&] { return is_at_head(stream, 3); }, 60s));
        CHECK(number(stream, "SELECT count(*) AS n FROM done") == 21 * 3);
        CHECK(used * 4 < away);
        // Three consumers, the keeper and the tail, one line for each of their steps at most.
        CHECK(lines < 5U * (10U + static_cast<std::size_t>(away / 250ms)));
        CHECK(workers.stop(10s).empty());
    }

    // P07
    TEST_CASE("a worker that starts while the server is away begins when it is there") {
        PrivateCluster cluster;
        Stream stream{cluster.url()};
        Shapes shapes{"only"};
        append(stream, 10);
        cluster.stop_immediate();
        Workers workers{stream.workers(), {.lease = 1s, .backoff_cap = 500ms}, shapes.setups(), {}};
        workers.start();
        REQUIRE(eventually([&] { return stream.log.count("", radd::LogLevel::warn) > 0; }));
        CHECK(workers.owned_count() == 0);

        cluster.start();

        CHECK(eventually([&] { return workers.owned_count() == 3; }, 60s));
        append(stream, 10);
        REQUIRE(eventually([&] { return is_at_head(stream, 3); }, 60s));
        CHECK(shapes.projection.seen.size() == 20);
        CHECK(workers.stop(10s).empty());
    }
}
