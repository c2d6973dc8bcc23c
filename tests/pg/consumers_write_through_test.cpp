// After an owner that died, the row says within a batch where the next one is.

#include <doctest/doctest.h>

#include <tests/pg/consumers_bench.hpp>

using radd::consumers::Tick;
using radd::testing::Bench;
using radd::testing::Outward;

TEST_SUITE("after a death") {
    // Moves in memory would hide how far this owner came: if it died as well, far from the cursor,
    // the next would count starts of the wrong events and die at the same one, again and again.
    TEST_CASE_FIXTURE(Bench, "moves without effect are written until the head is reached") {
        Outward outward;
        outward.silent = true;
        auto made = runner(outward, "probe.one", 10);
        append(25);
        database.execute(
            "UPDATE radd.consumers SET owner = 'dead:1:1', "
            "lease_until = clock_timestamp() - interval '1 s'");
        REQUIRE(acquire(*made));

        CHECK(made->tick() == Tick::progressed);
        CHECK(cursor() == 10);  // One at a time.
        settle(*made);
        CHECK(cursor() == 25);

        append(5);
        settle(*made);
        CHECK(cursor() == 25);
        flush(*made);
        CHECK(cursor() == 30);
    }
}
