// Retries end with the lease, not with the list.

#include <stdexcept>

#include <doctest/doctest.h>

#include <tests/pg/consumers_bench.hpp>

using radd::testing::Bench;
using radd::testing::Outward;

TEST_SUITE("retries and the lease") {
    TEST_CASE_FIXTURE(Bench, "what was paused in the middle leaves the rest to who comes next") {
        bool broken = true;
        Outward outward;
        auto made = runner(outward);
        outward.work = [&](radd::Transaction&, const radd::Event&) {
            if (broken) throw std::runtime_error{"broken"};
            // As the keeper does when it learns of a pause.
            if (const auto current = made->position().current())
                made->position().lose(current->epoch);
        };
        append(3);
        settle(*made);
        REQUIRE(operations.retry("probe.one", std::nullopt) == 3);
        broken = false;
        REQUIRE(acquire(*made));
        settle(*made);

        CHECK(outward.delivered.ids() == std::vector<std::int64_t>{1});
        CHECK(number("SELECT count(*) FROM radd.skipped_events WHERE resolved_at IS NULL "
                     "AND retry_requested_at IS NOT NULL") == 2);
    }
}
