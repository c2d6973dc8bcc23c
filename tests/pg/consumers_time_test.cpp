// Work that takes its time on a busy machine, and hosts whose clock is wrong.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <tests/pg/consumers_running.hpp>

using namespace std::chrono_literals;
using radd::consumers::consumer_overview;
using radd::consumers::Workers;
using radd::testing::eventually;
using radd::testing::Host;
using radd::testing::ids;
using radd::testing::TestDatabase;

namespace {

/// Keeps every processor busy as long as it lives, twice over.
class BusyMachine {
public:
    BusyMachine() {
        const auto count = 2 * std::max(1U, std::thread::hardware_concurrency());
        for (unsigned i = 0; i < count; ++i)
            threads_.emplace_back([this] {
                while (!done_) {}
            });
    }
    BusyMachine(const BusyMachine&) = delete;
    BusyMachine& operator=(const BusyMachine&) = delete;
    ~BusyMachine() {
        done_ = true;
        for (auto& thread : threads_) thread.join();
    }

private:
    std::atomic<bool> done_{false};
    std::vector<std::thread> threads_;
};

void spin_for(std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {}
}

class Ticking final : public radd::PeriodicTask {
public:
    bool tick() override {
        ++ticks;
        return false;
    }
    [[nodiscard]] std::chrono::milliseconds interval() const override { return 20ms; }
    std::atomic<int> ticks{0};
};

struct Watched {
    void append(int count) {
        database.execute(
            "INSERT INTO radd.events (event_type, entity_type, entity_id) SELECT "
            "'probe.happened', 'item', n::text FROM generate_series(1, " +
            std::to_string(count) + ") n");
    }
    std::int64_t number(const std::string& query) { return std::stoll(database.value(query)); }
    [[nodiscard]] bool all_at(std::int64_t cursor) {
        return eventually([&] {
            return number(
                       "SELECT count(*) FROM radd.consumers WHERE kind = 'consumer' AND "
                       "cursor = " +
                       std::to_string(cursor)) == 3;
        });
    }

    TestDatabase database;
};

}  // namespace

TEST_SUITE("a busy machine") {
    // P13
    TEST_CASE_FIXTURE(Watched, "makes nobody do again what takes three leases") {
        std::vector<std::int64_t> delivered;
        {
            Host first{database.url(), 1s};
            Host second{database.url(), 1s};
            first.workers.start();
            REQUIRE(eventually([&] { return first.owns_all(); }));
            second.workers.start();
            first.outward.act = [](std::int64_t id) { spin_for(id <= 2 ? 1500ms : 0ms); };
            const BusyMachine busy;

            append(5);

            REQUIRE(all_at(5));
            CHECK(eventually([&] {
                return first.outward.delivered.size() + second.outward.delivered.size() == 5;
            }));
            CHECK(first.workers.stop(20s).empty());
            CHECK(second.workers.stop(20s).empty());
            delivered = first.outward.delivered.ids();
            for (const auto id : second.outward.delivered.ids()) delivered.push_back(id);
        }

        std::ranges::sort(delivered);
        CHECK(delivered == ids(1, 5));
        CHECK(number("SELECT count(*) FROM done") == 15);
        CHECK(number("SELECT count(*) FROM radd.skipped_events") == 0);
    }
}

TEST_SUITE("a small pool") {
    // P08
    TEST_CASE_FIXTURE(Watched, "makes six consumers and many writers take turns") {
        radd::testing::Stream stream{database.url()};
        radd::db::Pool pool{stream.options(), 4};
        std::vector<std::unique_ptr<radd::testing::Projection>> slow;
        std::vector<radd::consumers::ConsumerSetup> setups;
        for (int i = 0; i < 6; ++i) {
            const std::string name = "probe.slow_" + std::to_string(i);
            slow.push_back(std::make_unique<radd::testing::Projection>());
            slow.back()->work = [name](radd::Transaction& tx, const radd::Event& event) {
                tx.execute(radd::testing::insert_done, name, event.id);
                tx.execute("SELECT pg_sleep(0.2)");
            };
            setups.push_back(radd::testing::setup(*slow.back(), name));
        }
        Workers workers{
            {pool, *stream.tail, stream.catalog, {}, stream.clock, stream.random, stream.log},
            {.lease = 2s},
            std::move(setups),
            {}};
        workers.start();
        REQUIRE(eventually([&] { return workers.owned_count() == 6; }));

        std::vector<std::thread> writers;
        for (int i = 0; i < 10; ++i)
            writers.emplace_back([&pool] {
                auto lease = pool.lease("writer");
                lease->query(
                    "INSERT INTO radd.events (event_type, entity_type, entity_id) VALUES "
                    "('probe.happened', 'item', '1')");
            });
        for (auto& writer : writers) writer.join();

        CHECK(eventually([&] { return number("SELECT count(*) FROM done") == 60; }));
        CHECK(eventually(
            [&] { return number("SELECT count(*) FROM radd.consumers WHERE cursor = 10") == 6; }));
        // Their leases were renewed all the while: on a connection that is not of the pool.
        CHECK(number("SELECT max(epoch) FROM radd.consumers") == 1);
        CHECK(workers.owned_count() == 6);
        CHECK(stream.log.count("", radd::LogLevel::error) == 0);
        CHECK(number("SELECT count(*) FROM radd.skipped_events") == 0);
        CHECK(workers.stop(10s).empty());
    }
}

TEST_SUITE("a clock that is wrong") {
    // P19
    TEST_CASE_FIXTURE(Watched, "by an hour changes no lease and no reading") {
        Host early{database.url(), 3s};
        Host late{database.url(), 3s};
        early.stream.clock.ahead = 1h;
        late.stream.clock.ahead = -1h;
        early.workers.start();
        REQUIRE(eventually([&] { return early.owns_all(); }));
        late.workers.start();
        append(20);
        REQUIRE(all_at(20));

        // By either clock the lease of the other is long over, or has an hour to go.
        CHECK(eventually([&] { return late.stream.log.count("standby for probe.outward") == 1; }));
        append(20);
        REQUIRE(all_at(40));
        CHECK(late.workers.owned_count() == 0);
        CHECK(number("SELECT max(epoch) FROM radd.consumers") == 1);
        for (const auto& one : consumer_overview(database.session(), {.head = 40})) {
            CHECK(one.state == "ok");
            CHECK(one.seconds_since_update >= 0);
            CHECK(one.seconds_since_update <= 10);
        }
        CHECK(early.workers.stop(10s).empty());

        CHECK(eventually([&] { return late.owns_all(); }));
        append(10);
        CHECK(all_at(50));
        CHECK(eventually(
            [&] { return early.outward.delivered.size() + late.outward.delivered.size() == 50; }));
    }

    // P19
    TEST_CASE_FIXTURE(Watched, "and is set back ten minutes stops no loop") {
        Host host{database.url(), 1s};
        Ticking ticking;
        Workers tasks{host.stream.workers(),
                      {.lease = 1s},
                      {},
                      {{.declaration = {.name = "probe.clock",
                                        .plugin = "probe",
                                        .plugin_version = "1.0.0",
                                        .task = true},
                        .task = &ticking}}};
        host.workers.start();
        tasks.start();
        REQUIRE(eventually([&] { return host.owns_all() && ticking.ticks > 2; }));
        append(10);
        REQUIRE(all_at(10));

        host.stream.clock.ahead = -10min;
        const int before = ticking.ticks;
        append(10);

        CHECK(all_at(20));
        CHECK(eventually([&] { return ticking.ticks > before + 5; }));
        // Two leases later it is still the owner, so it has renewed in between.
        const auto begin = std::chrono::steady_clock::now();
        REQUIRE(eventually([&] { return std::chrono::steady_clock::now() - begin > 2s; }));
        CHECK(host.owns_all());
        CHECK(eventually([&] {
            return number(
                       "SELECT count(*) FROM radd.consumers WHERE lease_until < "
                       "clock_timestamp()") == 0;
        }));
        CHECK(tasks.stop(10s).empty());
    }
}
