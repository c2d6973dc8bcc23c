// P15: a worker that dies at a named point, and what its deaths cost.

#include <csignal>
#include <string>

#include <doctest/doctest.h>

#include <tests/faults/worker_bench.hpp>

using radd::testing::eventually;
using radd::testing::SharedWorkerBench;

namespace {

struct Bench : SharedWorkerBench {
    Bench() { seed(); }
    /// Five events, a worker that dies at `point` with event 3, and one that does not.
    void die_and_go_on(const std::string& point) {
        append(5);
        auto doomed = start({point, "3"});
        REQUIRE(doomed->wait() == 128 + SIGKILL);
        auto next = start();
        REQUIRE(eventually([&] { return owned_by(*next) && all_at_head(); }));
        next->signal(SIGTERM);
        CHECK(next->wait() == 0);

        CHECK(list("planned", "event_id") == "1,2,3,4,5");
        CHECK(list("projected", "event_id") == "1,2,3,4,5");
        CHECK(list("applied", "event_id") == "1,2,3,4,5");
        CHECK(count("radd.skipped_events") == 0);
        check_tables();
    }
};

}  // namespace

TEST_SUITE("death of a worker") {
    // P15: (a)
    TEST_CASE_FIXTURE(Bench, "before an event is planned costs no delivery") {
        die_and_go_on("read");
        CHECK(list("delivered", "seq") == "1,2,3,4,5");
    }

    // P15: (b)
    TEST_CASE_FIXTURE(Bench, "after planning and before the commit costs no delivery") {
        die_and_go_on("planned");
        CHECK(list("delivered", "seq") == "1,2,3,4,5");
    }

    // P15: (c) for what stands behind the event at work, (d) for what stands before it.
    TEST_CASE_FIXTURE(Bench, "between commit and delivery loses the rest of its batch") {
        die_and_go_on("committed");
        CHECK(list("delivered", "seq") == "1,2");
    }

    // P15: (d)
    TEST_CASE_FIXTURE(Bench, "after some deliveries repeats none of them") {
        die_and_go_on("delivered");
        CHECK(list("delivered", "seq") == "1,2,3");
    }

    // P17
    TEST_CASE_FIXTURE(Bench, "three times over one event alone sets it aside") {
        append(5);
        // The first takes a batch down and names no event; the next owners run one at a time.
        for (int death = 0; death <= 3; ++death) {
            CAPTURE(death);
            const bool is_odd = death % 2 == 1;
            auto doomed = start({is_odd ? "read" : "abort", "3"});
            REQUIRE(doomed->wait() == 128 + (is_odd ? SIGKILL : SIGABRT));
            CHECK(count("radd.skipped_events") == 0);
        }
        // It would die once more if it were given the event.
        auto next = start({"read", "3"});
        REQUIRE(eventually([&] { return all_at_head(); }));
        CHECK(next->is_running());
        append(1);
        REQUIRE(eventually([&] { return all_at_head(); }));
        next->signal(SIGTERM);
        CHECK(next->wait() == 0);

        CHECK(list("planned", "event_id") == "1,2,4,5,6");
        CHECK(list("delivered", "seq") == "1,2,4,5,6");
        CHECK(list("projected", "event_id") == "1,2,3,4,5,6");
        CHECK(list("applied", "event_id") == "1,2,3,4,5,6");
        CHECK(value("SELECT consumer || ' ' || event_id || ' ' || phase FROM "
                    "radd.skipped_events") == "probe.outward 3 quarantine");
        CHECK(value("SELECT event ->> 'entity_id' FROM radd.skipped_events") == "3");
    }
}
