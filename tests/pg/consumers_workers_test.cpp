// Threads and leases, with several workers on one database.

#include <atomic>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <tests/pg/consumers_running.hpp>

using namespace std::chrono_literals;
using radd::Event;
using radd::Transaction;
using radd::consumers::ConsumerSetup;
using radd::testing::Bench;
using radd::testing::eventually;
using radd::testing::Gate;
using radd::testing::Host;
using radd::testing::ids;
using radd::testing::Outward;
using radd::testing::Projection;
using radd::testing::Running;
using radd::testing::setup;

namespace {

/// Passes one gate in its first tick, and the next when it has been told to go on.
class Ticking final : public radd::PeriodicTask {
public:
    explicit Ticking(std::vector<Gate*> gates) : gates_{std::move(gates)} {}

    [[nodiscard]] std::chrono::milliseconds interval() const override { return 10ms; }
    bool tick() override {
        if (passed_ < gates_.size() && passed_ <= let_on_) gates_[passed_++]->pass();
        return false;
    }
    void go_on() { ++let_on_; }

private:
    std::vector<Gate*> gates_;
    std::size_t passed_ = 0;
    std::atomic<std::size_t> let_on_{0};
};

}  // namespace

TEST_SUITE("workers") {
    TEST_CASE_FIXTURE(Running, "consumers of every shape reach the head and stay there") {
        Host host{database.url()};
        host.workers.start();
        REQUIRE(eventually([&] { return host.owns_all(); }));

        append(25);

        CHECK(eventually([&] { return number("SELECT count(*) FROM done") == 75; }));
        CHECK(eventually(
            [&] { return number("SELECT count(*) FROM radd.consumers WHERE cursor = 25") == 3; }));
        CHECK(eventually([&] { return host.outward.delivered.size() == 25; }));
        CHECK(host.outward.delivered.ids() == ids(1, 25));
        CHECK(host.workers.stop(10s).empty());
        CHECK(number("SELECT count(*) FROM radd.consumers WHERE owner IS NULL") == 3);
    }

    TEST_CASE_FIXTURE(Running, "a host without workers seeds nothing") {
        Outward outward;
        const auto running = start({setup(outward, "probe.one")}, {}, {.run_workers = false});

        CHECK(workers->stop(1s).empty());
        CHECK(number("SELECT count(*) FROM radd.consumers") == 0);
    }

    // P12
    TEST_CASE("two hosts share the consumers and handle each event once") {
        radd::testing::TestDatabase database;
        const std::string cursors =
            "SELECT string_agg(name || '=' || cursor, ' ' ORDER BY name) FROM radd.consumers";
        const auto number = [&](const std::string& query) {
            return std::stoll(database.value(query));
        };
        auto first = std::make_unique<Host>(database.url(), 3s);
        auto second = std::make_unique<Host>(database.url(), 3s);
        first->workers.start();
        second->workers.start();
        REQUIRE(eventually(
            [&] { return first->workers.owned_count() + second->workers.owned_count() == 3; }));
        database.execute(
            "CREATE TABLE backwards (name text);"
            "CREATE FUNCTION watch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            "INSERT INTO backwards VALUES (new.name); RETURN new; END $$;"
            "CREATE TRIGGER watch AFTER UPDATE ON radd.consumers FOR EACH ROW "
            "WHEN (new.cursor < old.cursor) EXECUTE FUNCTION watch()");
        std::vector<std::int64_t> delivered;
        const auto collect = [&](Host& host) {
            for (const auto id : host.outward.delivered.ids()) delivered.push_back(id);
        };

        for (int round = 0; round < 10; ++round) {
            database.execute(
                "INSERT INTO radd.events (event_type, entity_type, entity_id) "
                "SELECT 'probe.happened', 'item', n::text FROM generate_series(1, 50) n");
            auto& restarted = round % 2 == 0 ? first : second;
            restarted->workers.stop(10s);
            collect(*restarted);
            restarted = std::make_unique<Host>(database.url(), 3s);
            restarted->workers.start();
        }
        REQUIRE(eventually(
            [&] { return number("SELECT count(*) FROM radd.consumers WHERE cursor = 500") == 3; }));
        first->workers.stop(10s);
        second->workers.stop(10s);
        collect(*first);
        collect(*second);

        CHECK(number("SELECT count(*) FROM done") == 1500);
        CHECK(number("SELECT count(*) FROM radd.skipped_events") == 0);
        CHECK(number("SELECT count(*) FROM backwards") == 0);
        CHECK(delivered.size() == 500);
        CHECK(std::set<std::int64_t>{delivered.begin(), delivered.end()}.size() == 500);
    }

    TEST_CASE("the host that does not own a consumer says that it stands by") {
        radd::testing::TestDatabase database;
        Host first{database.url()};
        first.workers.start();
        REQUIRE(eventually([&] { return first.owns_all(); }));
        Host second{database.url()};
        second.workers.start();

        CHECK(
            eventually([&] { return second.stream.log.count("standby for probe.outward") == 1; }));
        CHECK(second.workers.owned_count() == 0);
    }

    // P13
    TEST_CASE("a handler that outlives the lease keeps it") {
        radd::testing::TestDatabase database;
        Gate gate;
        Host first{database.url(), 1500ms};
        first.outward.act = [&](std::int64_t) { gate.pass(); };
        first.workers.start();
        REQUIRE(eventually([&] { return first.owns_all(); }));
        Host second{database.url(), 1500ms};
        second.workers.start();
        database.execute(
            "INSERT INTO radd.events (event_type, entity_type, entity_id) "
            "VALUES ('probe.happened', 'item', '1')");
        REQUIRE(gate.reached());

        // Three times the lease passes while the second host would take what is free.
        const auto start = std::chrono::steady_clock::now();
        REQUIRE(eventually([&] { return std::chrono::steady_clock::now() - start > 4500ms; }));
        CHECK(second.workers.owned_count() == 0);
        gate.open();

        CHECK(eventually([&] { return first.outward.delivered.size() == 1; }));
        CHECK(second.outward.delivered.size() == 0);
        CHECK(database.value("SELECT max(epoch) FROM radd.consumers") == "1");
    }

    TEST_CASE_FIXTURE(Running, "a handler beyond its deadline is seen and blocks itself alone") {
        Gate gate;
        Outward slow;
        Outward quick;
        slow.act = [&](std::int64_t) { gate.pass(); };
        auto hanging = setup(slow, "probe.slow");
        hanging.deadline = 20ms;
        const auto running = start({hanging, setup(quick, "probe.quick")}, {}, {.lease = 300ms});
        REQUIRE(owned(2));
        append(2);
        REQUIRE(gate.reached());

        CHECK(eventually([&] { return state("probe.slow") == "stalled"; }));
        CHECK(eventually([&] { return quick.delivered.size() == 2; }));
        CHECK(stream.log.count("probe.slow: event 1: its handler has run") == 1);
        gate.open();

        CHECK(eventually([&] { return slow.delivered.size() == 2; }));
        CHECK(eventually([&] { return state("probe.slow") == "ok"; }));
    }

    TEST_CASE_FIXTURE(Running, "a task beyond its deadline is seen each time") {
        Gate first;
        Gate second;
        Ticking task{{&first, &second}};
        const auto running = start({},
                                   {{.declaration = {.name = "probe.clock",
                                                     .plugin = "probe",
                                                     .plugin_version = "1.0.0",
                                                     .task = true},
                                     .deadline = 200ms,
                                     .task = &task}},
                                   {.lease = 300ms});
        const auto is_stalled = [&] {
            return eventually([&] { return state("probe.clock") == "stalled"; }) &&
                   workers->pulse().threads_stuck == 1;
        };
        const auto is_ok = [&] {
            return eventually([&] { return state("probe.clock") == "ok"; }) &&
                   workers->pulse().threads_stuck == 0;
        };
        REQUIRE(first.reached());
        CHECK(is_stalled());
        CHECK(stream.log.count("task probe.clock: its tick has run") == 1);
        first.open();
        CHECK(is_ok());

        task.go_on();
        REQUIRE(second.reached());
        CHECK(is_stalled());
        CHECK(stream.log.count("task probe.clock: its tick has run") == 2);
        second.open();
        CHECK(is_ok());
    }

    TEST_CASE_FIXTURE(Running, "an operator's pause and seek reach a running host") {
        Projection projection;
        const auto running = start({setup(projection, "probe.one")}, {}, {.lease = 300ms});
        REQUIRE(owned(1));
        append(3);
        REQUIRE(eventually([&] { return projection.seen.size() == 3; }));

        operations.pause("probe.one", std::nullopt, "");
        CHECK(eventually([&] { return workers->owned_count() == 0; }));
        append(2);
        CHECK(projection.seen.size() == 3);
        operations.seek("probe.one", std::int64_t{1}, 5);
        operations.resume("probe.one", 5);

        CHECK(eventually([&] { return projection.seen.size() == 7; }));
        CHECK(projection.seen.ids() == std::vector<std::int64_t>{1, 2, 3, 2, 3, 4, 5});
    }

    TEST_CASE_FIXTURE(Running, "an operator's retry reaches a running host") {
        std::atomic<bool> broken{true};
        Outward outward;
        outward.work = [&](Transaction&, const Event&) {
            if (broken) throw 42;
        };
        const auto running = start({setup(outward, "probe.one")}, {}, {.lease = 300ms});
        REQUIRE(owned(1));
        append(1);
        REQUIRE(
            eventually([&] { return number("SELECT count(*) FROM radd.skipped_events") == 1; }));
        broken = false;

        operations.retry("probe.one", std::nullopt);

        CHECK(eventually([&] { return outward.delivered.size() == 1; }));
    }

    // P12: a lease lost to another host without the owner noticing.
    TEST_CASE_FIXTURE(Running, "a lease that was taken away is noticed and taken back when free") {
        Outward outward;
        const auto running = start({setup(outward, "probe.one")}, {}, {.lease = 300ms});
        REQUIRE(owned(1));

        database.execute(
            "UPDATE radd.consumers SET owner = 'other:2:2', epoch = epoch + 1, "
            "lease_until = clock_timestamp() + interval '2 s'");
        CHECK(eventually([&] { return stream.log.count("the lease on probe.one is lost") == 1; }));

        CHECK(owned(1));
        CHECK(eventually([&] { return stream.log.count("did not release it") == 1; }));
    }

    TEST_CASE_FIXTURE(Running, "twenty idle consumers cost the database a few statements") {
        std::vector<std::unique_ptr<Outward>> consumers;
        std::vector<ConsumerSetup> setups;
        for (int i = 0; i < 20; ++i) {
            consumers.push_back(std::make_unique<Outward>());
            consumers.back()->silent = true;
            setups.push_back(setup(*consumers.back(), "probe.number_" + std::to_string(i)));
        }
        const auto running = start(std::move(setups));
        REQUIRE(owned(20));
        append(5);
        REQUIRE(eventually(
            [&] { return number("SELECT count(*) FROM radd.consumers WHERE cursor = 5") == 20; }));
        // Counters of the server lag by seconds, so each side is asked for itself: the keeper how
        // much it sent, and the other sessions whether they sent anything at all.
        const auto now = database.value("SELECT clock_timestamp()");
        const auto before = workers->keeper_statements();
        const auto begin = std::chrono::steady_clock::now();
        REQUIRE(eventually([&] { return std::chrono::steady_clock::now() - begin > 3s; }));

        CHECK(workers->keeper_statements() > before);
        CHECK(workers->keeper_statements() - before <= 2 * 4);
        // The tail, which polls at its own pace, and the keeper.
        CHECK(number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                     "AND backend_type = 'client backend' AND pid <> pg_backend_pid() "
                     "AND query_start > '" +
                     now + "'::timestamptz + interval '500 ms'") <= 2);
    }
}
