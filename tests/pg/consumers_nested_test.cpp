// A transaction of its own inside one that the host has lent.

#include <string>

#include <doctest/doctest.h>

#include <tests/pg/consumers_bench.hpp>

using radd::Event;
using radd::Transaction;
using radd::testing::Bench;
using radd::testing::insert_done;
using radd::testing::Outward;

namespace {

/// As plugins get it, with a pool that one transaction exhausts.
struct Nested : Bench {
    void leave_a_row(std::int64_t id) {
        own.transact([id](Transaction& tx) { tx.execute(insert_done, "own", id); });
    }
    radd::db::Pool pool{stream.options(), 1};
    radd::outbox::OutboxDatabase own{pool, stream.catalog, {}, stream.log, "plugin", {}};
};

}  // namespace

TEST_SUITE("nested transaction") {
    TEST_CASE_FIXTURE(Nested, "one inside another is refused at once with the remedy") {
        const auto begin = std::chrono::steady_clock::now();

        CHECK_THROWS_WITH_AS(own.transact([&](Transaction& tx) {
            tx.execute(insert_done, "outer", 1);
            leave_a_row(1);
        }),
                             doctest::Contains("use the transaction you were given"),
                             radd::Error);

        CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds{5});
        CHECK(number("SELECT count(*) FROM done") == 0);
        leave_a_row(2);
        CHECK(number("SELECT count(*) FROM done") == 1);
    }

    TEST_CASE_FIXTURE(Nested, "one in a plan costs its event and one in a delivery is welcome") {
        Outward outward;
        outward.work = [&](Transaction&, const Event& event) {
            if (event.id == 2) leave_a_row(event.id);
        };
        outward.act = [&](std::int64_t id) { leave_a_row(id); };
        auto made = runner(outward);
        append(3);
        settle(*made);

        CHECK(outward.delivered.ids() == std::vector<std::int64_t>{1, 3});
        CHECK(number("SELECT event_id FROM radd.skipped_events WHERE error LIKE "
                     "'%use the transaction you were given%'") == 2);
        CHECK(number("SELECT count(*) FROM done WHERE consumer = 'own'") == 2);
    }
}
