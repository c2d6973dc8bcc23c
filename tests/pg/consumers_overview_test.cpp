// P51: what the overview says about a consumer, and by whose clock.

#include <string>

#include <doctest/doctest.h>

#include <tests/pg/consumers_bench.hpp>

using radd::consumers::consumer_overview;
using radd::consumers::ConsumerStatus;
using radd::consumers::OverviewContext;
using radd::testing::Bench;

namespace {

struct Overview : Bench {
    Overview() {
        database.execute(
            "INSERT INTO radd.consumers (name, plugin, owner, lease_until) "
            "VALUES ('probe.one', 'probe', 'this:1:1', 'infinity')");
    }
    /// The consumer with its cursor at `at`, which moved `seconds` ago.
    void stand(std::int64_t at, const std::string& seconds) {
        database.execute("UPDATE radd.consumers SET cursor = " + std::to_string(at) +
                         ", updated_at = clock_timestamp() - interval '" + seconds + " s'");
    }
    ConsumerStatus status(OverviewContext context) {
        return consumer_overview(database.session(), context).at(0);
    }
    std::string state_at(std::int64_t head) { return status({.head = head}).state; }
    void set(const std::string& assignments) {
        database.execute("UPDATE radd.consumers SET " + assignments);
    }
};

}  // namespace

TEST_SUITE("overview") {
    TEST_CASE_FIXTURE(Overview, "lag and movement decide between ok and stalled") {
        append(100);

        stand(100, "1000000");
        CHECK(state_at(100) == "ok");
        stand(99, "0");
        CHECK(state_at(100) == "catching_up");
        stand(99, "119");
        CHECK(state_at(100) == "catching_up");
        // Whole seconds: 120.5 counts as 120.
        stand(99, "120.5");
        CHECK(state_at(100) == "catching_up");
        stand(99, "121");
        CHECK(state_at(100) == "stalled");
        stand(90, "600");
        CHECK(state_at(100) == "stalled");
        stand(91, "0");
        CHECK(state_at(100) == "catching_up");
    }

    TEST_CASE_FIXTURE(Overview, "an empty stream and a clock in the future are no trouble") {
        stand(0, "5");
        CHECK(status({.head = 0}).lag == 0);
        CHECK(state_at(0) == "ok");
        append(5);
        stand(5, "-30");
        CHECK(status({.head = 5}).seconds_since_update == 0);
        CHECK(state_at(5) == "ok");
    }

    TEST_CASE_FIXTURE(Overview, "the lag counts events and not the ids that were rolled back") {
        append(10);
        database.execute("SELECT setval('radd.events_id_seq', 50009)");
        const auto last = append(1);
        stand(10, "0");

        const auto found = status({.head = last});

        CHECK(last == 50010);
        CHECK(found.lag == 1);
        CHECK_FALSE(found.approximate);
    }

    TEST_CASE_FIXTURE(Overview, "a lag is exact to ten thousand and a distance above") {
        const auto last = append(10'001);
        stand(1, "0");
        CHECK(status({.head = last}).lag == 10'000);
        CHECK_FALSE(status({.head = last}).approximate);

        stand(0, "0");
        CHECK(status({.head = last}).lag == 10'001);
        CHECK(status({.head = last}).approximate);
    }

    TEST_CASE_FIXTURE(Overview, "no more records of skipped events are counted than are told") {
        const auto skip = [&](int from, int to) {
            database.execute(
                "INSERT INTO radd.skipped_events (consumer, event_id, phase, error, plugin, "
                "plugin_version, event) SELECT 'probe.one', n, 'plan', 'no', 'probe', '1', '{}' "
                "FROM generate_series(" +
                std::to_string(from) + ", " + std::to_string(to) + ") n");
        };
        skip(1, 10'000);
        CHECK(status({}).skipped == 10'000);
        skip(10'001, 10'050);
        CHECK(status({}).skipped == ConsumerStatus::skipped_counted_max + 1);
    }

    TEST_CASE_FIXTURE(Overview, "a hole in the stream is never ok") {
        append(5);
        stand(5, "0");
        const radd::outbox::StreamHolder holder{.hole_id = 6,
                                                .pid = 4711,
                                                .gid = {},
                                                .age = std::chrono::seconds{9},
                                                .application_name = "billing",
                                                .state = "idle in transaction",
                                                .query = "INSERT"};

        const auto found = status({.head = 5, .waiting_on = holder});

        CHECK(found.state == "waiting");
        REQUIRE(found.waiting_on);
        CHECK(found.waiting_on->pid == 4711);
    }

    TEST_CASE_FIXTURE(Overview, "who runs it is seen before how far it is") {
        append(5);
        stand(5, "0");
        set("lease_until = clock_timestamp() - interval '1 s'");
        CHECK(state_at(5) == "unowned");
        CHECK_FALSE(status({.head = 5}).owner);
        CHECK(status({.head = 5, .loaded = std::vector<std::string>{}}).state == "not_loaded");
        set("lease_until = 'infinity', overdue_event_id = 3");
        CHECK(state_at(5) == "stalled");
        set("paused_until = 'infinity'");
        CHECK(state_at(5) == "paused");
        set("cursor = 6");
        CHECK(state_at(5) == "beyond_head");
        set("state = 'retired'");
        CHECK(state_at(5) == "retired");
    }

    TEST_CASE_FIXTURE(Overview, "who is dead is not idle") {
        append(5);
        stand(5, "0");
        set("lease_until = clock_timestamp() - interval '1 s'");
        CHECK(state_at(5) == "unowned");
        set("owner = NULL, lease_until = '-infinity'");
        CHECK(state_at(5) == "unowned");
        set("kind = 'task'");
        CHECK(state_at(5) == "unowned");
    }

    TEST_CASE_FIXTURE(Overview, "a pause says until when and is over by itself") {
        append(5);
        stand(5, "0");
        set("paused_until = '2100-01-01T00:00:00Z', pause_reason = 'upgrade'");
        CHECK(status({.head = 5}).paused_until == "2100-01-01T00:00:00.000000Z");
        set("paused_until = 'infinity'");
        CHECK(status({.head = 5}).paused_until == "infinity");
        CHECK(status({.head = 5}).pause_reason == "upgrade");

        set("paused_until = clock_timestamp() - interval '1 ms'");

        CHECK(state_at(5) == "ok");
        CHECK_FALSE(status({.head = 5}).paused_until);
        CHECK_FALSE(status({.head = 5}).pause_reason);
    }

    TEST_CASE_FIXTURE(Overview,
                      "a process that sees less of the stream than an owner takes no fright") {
        append(5);
        stand(5, "0");

        const auto found = status({.head = 3});

        CHECK(found.lag == 0);
        CHECK(found.state == "ok");
    }

    TEST_CASE_FIXTURE(Overview, "a task has no lag and is ok while somebody runs it") {
        append(5);
        stand(0, "1000");
        set("kind = 'task'");

        const auto found = status({.head = 5});

        CHECK(found.task);
        CHECK(found.lag == 0);
        CHECK(found.state == "ok");
        CHECK_FALSE(found.oldest_age_s);
    }

    TEST_CASE_FIXTURE(Overview, "it counts what was skipped and how old the next event is") {
        append(5);
        stand(2, "0");
        database.execute(
            "INSERT INTO radd.skipped_events (consumer, event_id, event, phase, error, plugin, "
            "plugin_version, resolved_at, resolution) VALUES "
            "('probe.one', 1, '{}', 'plan', 'x', 'probe', '1', null, null), "
            "('probe.one', 2, '{}', 'plan', 'x', 'probe', '1', clock_timestamp(), 'retried')");

        const auto found = status({.head = 5});

        CHECK(found.skipped == 1);
        REQUIRE(found.oldest_age_s);
        CHECK(*found.oldest_age_s < 60);
    }

    // P18
    TEST_CASE_FIXTURE(Bench, "silent rows that are passed are progress in the overview") {
        radd::testing::Outward outward;
        auto made = runner(outward);
        append(1000, "probe.happened", true);
        database.execute("UPDATE radd.consumers SET updated_at = updated_at - interval '1 hour'");
        for (int batch = 1; batch <= 10; ++batch) {
            CHECK(made->tick() == radd::consumers::Tick::progressed);
            flush(*made);
            const auto one = consumer_overview(database.session(), {.head = 1000});
            CHECK(one.at(0).lag == 1000 - 100 * batch);
            CHECK(one.at(0).seconds_since_update < 1800);
            database.execute(
                "UPDATE radd.consumers SET updated_at = updated_at - interval '1 hour'");
        }
        CHECK(outward.delivered.size() == 0);
    }
}
