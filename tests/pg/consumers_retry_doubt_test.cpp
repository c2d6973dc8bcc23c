// A retry whose COMMIT got no answer: delivered if it landed, open if it did not.

#include <stdexcept>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include <tests/pg/consumers_unanswered.hpp>

using radd::Event;
using radd::Transaction;
using radd::consumers::Tick;
using radd::testing::Bench;
using radd::testing::eventually;
using radd::testing::ids;
using radd::testing::lay_fuse;
using radd::testing::leaves_a_row_and_burns_once;
using radd::testing::Outward;
using radd::testing::Unanswered;

namespace {

const std::string open_records =
    "SELECT count(*) AS n FROM radd.skipped_events WHERE resolved_at IS NULL";

void breaks(Transaction&, const Event&) {
    throw std::runtime_error{"broken"};
}

/// A consumer that has skipped one event, whose retry is asked for; its commit is not answered.
struct Retried : Unanswered {
    Retried() {
        outward.work = breaks;
        append(1);
        REQUIRE(made->tick() == Tick::progressed);
        REQUIRE(number(open_records) == 1);
        outward.work = leaves_a_row_unanswered();
        operations.retry("probe.one", std::nullopt);
        made->request_retries(1);

        Tick first{};
        std::thread ticking{[&] { first = made->tick(); }};
        cut_the_answer();
        ticking.join();
        REQUIRE(first == Tick::unavailable);
        REQUIRE(outward.delivered.size() == 0);
    }
    radd::consumers::ConsumerOperations operations{session};
    std::unique_ptr<radd::consumers::ConsumerRunner> made = runner();
};

}  // namespace

TEST_SUITE("retry in doubt") {
    TEST_CASE_FIXTURE(Retried, "one that landed is delivered once") {
        CHECK(made->tick() == Tick::idle);

        CHECK(outward.delivered.ids() == ids(1, 1));
        CHECK(number("SELECT count(*) AS n FROM done") == 1);
        CHECK(number(open_records) == 0);
        CHECK(stream.log.count("lost during COMMIT") == 1);
        CHECK(stream.log.count("nothing was done") == 0);
        CHECK(stream.log.count("event 1 was planned again") == 1);
        CHECK(made->tick() == Tick::idle);
        CHECK(outward.delivered.size() == 1);
    }

    TEST_CASE_FIXTURE(Retried, "one that landed is delivered by whoever planned it") {
        session.run_script(
            "UPDATE radd.consumers SET owner = 'other:1:1', epoch = epoch + 1, lease_until = "
            "'infinity'");
        made->position().lose(made->position().current()->epoch);

        CHECK(made->tick() == Tick::standby);

        CHECK(outward.delivered.ids() == ids(1, 1));
    }

    TEST_CASE_FIXTURE(Retried, "one that was sought back over is left to the replay") {
        operations.seek("probe.one", std::int64_t{0}, 1);

        made->tick();

        CHECK(outward.delivered.size() == 0);
        CHECK(stream.log.count("event 1 was planned again") == 0);
    }

    TEST_CASE_FIXTURE(Bench, "one that did not land stays open and is planned once more") {
        lay_fuse(database);
        Outward outward;
        outward.work = breaks;
        auto made = runner(outward);
        append(1);
        settle(*made);
        outward.work = leaves_a_row_and_burns_once();
        operations.retry("probe.one", std::nullopt);
        made->request_retries(1);

        CHECK(made->tick() == Tick::unavailable);
        CHECK(outward.delivered.size() == 0);
        CHECK(made->tick() == Tick::idle);

        CHECK(outward.delivered.ids() == ids(1, 1));
        CHECK(number("SELECT count(*) FROM done") == 1);
        CHECK(number(open_records) == 0);
        CHECK(stream.log.count("did not land") == 1);
    }
}
