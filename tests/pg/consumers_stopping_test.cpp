// Ending: what is finished, what is given up, and who goes on; consumers and periodic tasks.

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <tests/pg/consumers_running.hpp>

using namespace std::chrono_literals;
using radd::Event;
using radd::Transaction;
using radd::consumers::TaskSetup;
using radd::consumers::Workers;
using radd::testing::eventually;
using radd::testing::Gate;
using radd::testing::ids;
using radd::testing::Outward;
using radd::testing::Running;
using radd::testing::setup;

namespace {

class Counting final : public radd::PeriodicTask {
public:
    [[nodiscard]] std::chrono::milliseconds interval() const override { return every; }
    bool tick() override {
        ++ticks;
        return false;
    }
    std::chrono::milliseconds every{10};
    std::atomic<int> ticks{0};
};

TaskSetup task(Counting& counting, bool sleep_first = false) {
    return {.declaration = {.name = "probe.clock",
                            .plugin = "probe",
                            .plugin_version = "1.0.0",
                            .task = true},
            .sleep_first = sleep_first,
            .task = &counting};
}

/// For a handler whose thread is left behind, as a host does that ends with std::_Exit.
Outward& never_destroyed() {
    static auto& kept = *new std::vector<Outward*>;  // Reachable to the end: no leak.
    kept.push_back(new Outward);
    return *kept.back();
}

}  // namespace

TEST_SUITE("stopping") {
    TEST_CASE_FIXTURE(Running, "it is safe twice and without a start") {
        Outward outward;
        Workers never{stream.workers(), {}, {setup(outward, "probe.never")}, {}};
        CHECK(never.stop(1s).empty());

        const auto running = start({setup(outward, "probe.one")});
        CHECK(workers->stop(10s).empty());
        CHECK(workers->stop(10s).empty());
    }

    // P14
    TEST_CASE_FIXTURE(Running, "the handler under way finishes and no event is planned after") {
        Gate gate;
        Outward outward;
        outward.work = [&](Transaction&, const Event& event) {
            if (event.id == 5) gate.pass();
        };
        const auto running = start({setup(outward, "probe.one")});
        REQUIRE(owned(1));
        append(10);
        REQUIRE(gate.reached());

        std::thread stopping{[&] { CHECK(workers->stop(10s).empty()); }};
        CHECK(eventually([&] { return workers->stopping(); }));
        gate.open();
        stopping.join();

        CHECK(outward.delivered.ids() == ids(1, 5));
        CHECK(cursor() == 5);
        CHECK(database.value("SELECT owner FROM radd.consumers") == "(null)");
    }

    // P14
    TEST_CASE_FIXTURE(Running, "a handler that does not come back is named and keeps its lease") {
        Gate gate;
        auto& hanging = never_destroyed();
        Outward quick;
        hanging.act = [&](std::int64_t) { gate.pass(); };
        const auto running = start({setup(hanging, "probe.hanging"), setup(quick, "probe.quick")});
        REQUIRE(owned(2));
        append(1);
        REQUIRE(gate.reached());

        const auto left = workers->stop(3s);

        CHECK(left == std::vector<std::string>{"probe.hanging"});
        CHECK(number("SELECT count(*) FROM radd.consumers WHERE owner IS NOT NULL") == 1);
        gate.open();
        CHECK(eventually([&] { return hanging.delivered.size() == 1; }));
    }

    // P14: the second signal.
    TEST_CASE_FIXTURE(Running, "a grace that is cut ends the wait at once") {
        Gate gate;
        auto& hanging = never_destroyed();
        hanging.act = [&](std::int64_t) { gate.pass(); };
        const auto running = start({setup(hanging, "probe.hanging")});
        REQUIRE(owned(1));
        append(1);
        REQUIRE(gate.reached());

        const auto begin = std::chrono::steady_clock::now();
        workers->cut_grace();
        CHECK(workers->stop(60s).size() == 1);
        CHECK(std::chrono::steady_clock::now() - begin < 5s);
        gate.open();
        CHECK(eventually([&] { return hanging.delivered.size() == 1; }));
    }

    TEST_CASE_FIXTURE(Running, "what moved in memory is written before it ends") {
        Outward outward;
        outward.silent = true;
        const auto running = start({setup(outward, "probe.one")});
        REQUIRE(owned(1));
        append(7);
        REQUIRE(eventually([&] { return workers->totals().at(0).planned == 7; }));

        workers->stop(10s);

        CHECK(cursor() == 7);
        CHECK(number("SELECT handled_count FROM radd.consumers") == 7);
    }
}

TEST_SUITE("periodic tasks of a host") {
    TEST_CASE_FIXTURE(Running, "one host ticks and another takes over when it stops") {
        Counting mine;
        Counting theirs;
        const auto running = start({}, {task(mine)}, {.lease = 3s});
        REQUIRE(eventually([&] { return mine.ticks > 2; }));
        Workers other{stream.workers(), {.lease = 3s}, {}, {task(theirs)}};
        other.start();
        REQUIRE(eventually([&] { return stream.log.count("standby for probe.clock") > 0; }));
        CHECK(theirs.ticks == 0);

        workers->stop(10s);

        CHECK(eventually([&] { return theirs.ticks > 2; }));
    }

    TEST_CASE_FIXTURE(Running, "one that sleeps first does not tick at the start") {
        Counting counting;
        counting.every = 1h;
        const auto running = start({}, {task(counting, true)});
        REQUIRE(owned(1));

        CHECK(workers->stop(10s).empty());
        CHECK(counting.ticks == 0);
    }
}
