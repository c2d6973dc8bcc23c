// Who runs a consumer, from where, and what an operator changes about it.

#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

#include <tests/pg/consumers_bench.hpp>

using namespace std::chrono_literals;
using radd::Event;
using radd::InvalidInput;
using radd::Transaction;
using radd::consumers::Declaration;
using radd::consumers::SeekTo;
using radd::consumers::Tick;
using radd::testing::Bench;
using radd::testing::ids;
using radd::testing::Outward;
using radd::testing::PerEvent;
using radd::testing::Projection;

namespace {

const std::string other = "other:2:2";
const std::vector<std::string> one_name{"probe.one"};

Declaration declared(radd::FirstStart start, radd::Resume resume = radd::Resume::cursor) {
    return {.name = "probe.one",
            .plugin = "probe",
            .plugin_version = "1.0.0",
            .first_start = start,
            .resume = resume};
}

struct Owned : Bench {
    void expire() {
        database.execute(
            "UPDATE radd.consumers SET lease_until = clock_timestamp() - interval '1 s'");
    }
    bool taken_by(const std::string& owner) { return !store.acquire(one_name, owner, 10s).empty(); }
    std::string refusal(const std::string& name) {
        try {
            operations.seek(name, SeekTo::head, 0);
        } catch (const InvalidInput& error) {
            return error.what();
        }
        return "accepted";
    }
};

}  // namespace

TEST_SUITE("first start") {
    TEST_CASE_FIXTURE(Bench, "one that reaches outward begins at the head") {
        const auto before = append(5);
        Outward outward;
        auto made = runner(outward);
        CHECK(cursor() == before);
        CHECK(settle(*made) == 0);

        const auto after = append(2);
        settle(*made);

        CHECK(outward.delivered.ids() == ids(before + 1, after));
    }

    TEST_CASE_FIXTURE(Bench, "a projection begins with the first event and sees silent ones") {
        append(2);
        const auto last = append(3, "probe.happened", true);
        Projection projection;
        auto made = runner(projection);

        settle(*made);

        CHECK(projection.seen.ids() == ids(1, last));
    }

    TEST_CASE_FIXTURE(Bench, "a transaction per event is one and passes silent events") {
        PerEvent consumer;
        std::vector<std::string> transactions;
        consumer.work = [&](Transaction& tx, const Event&) {
            transactions.push_back(
                tx.query_one("SELECT pg_current_xact_id()::text AS id")->text("id"));
        };
        auto made = runner(consumer);
        append(2);
        append(1, "probe.happened", true);
        const auto last = append(1);

        settle(*made);

        CHECK(consumer.seen.ids() == std::vector<std::int64_t>{1, 2, last});
        REQUIRE(transactions.size() == 3);
        CHECK(transactions[0] != transactions[1]);
        CHECK(cursor() == last);
    }

    // P12
    TEST_CASE_FIXTURE(Bench, "a name that is known is not seeded again") {
        append(3);
        CHECK(store.declare(declared(radd::FirstStart::head), 3).first_start);
        CHECK_FALSE(store.declare(declared(radd::FirstStart::head), 9).first_start);
        CHECK(cursor() == 3);
        CHECK(number("SELECT seeded_at FROM radd.consumers") == 3);
    }
}

TEST_SUITE("lease") {
    TEST_CASE_FIXTURE(Owned, "it has one owner until it is released") {
        store.declare(declared(radd::FirstStart::head), 0);
        const auto mine = store.acquire(one_name, me, 10s);
        REQUIRE(mine.size() == 1);
        CHECK_FALSE(taken_by(other));

        store.release(std::vector<radd::consumers::ConsumerStore::Held>{
            {"probe.one", mine[0].standing.epoch}});
        const auto theirs = store.acquire(one_name, other, 10s);

        REQUIRE(theirs.size() == 1);
        CHECK_FALSE(theirs[0].expired);
        CHECK(theirs[0].standing.epoch > mine[0].standing.epoch);
    }

    TEST_CASE_FIXTURE(Owned, "one that ran out is taken over and said to have expired") {
        store.declare(declared(radd::FirstStart::head), 0);
        const auto mine = store.acquire(one_name, me, 10s);
        expire();

        const auto theirs = store.acquire(one_name, other, 10s);

        REQUIRE(theirs.size() == 1);
        CHECK(theirs[0].expired);
        const std::vector<radd::consumers::ConsumerStore::Held> held{
            {"probe.one", mine.at(0).standing.epoch}};
        CHECK(store.renew(held, 10s).empty());
    }

    TEST_CASE_FIXTURE(Owned, "a renewal waits for nobody and still knows the owner") {
        store.declare(declared(radd::FirstStart::head), 0);
        const auto mine = store.acquire(one_name, me, 10s);
        radd::db::Session moving{stream.options()};
        moving.begin();
        moving.query("UPDATE radd.consumers SET updated_at = clock_timestamp()");

        const std::vector<radd::consumers::ConsumerStore::Held> held{
            {"probe.one", mine.at(0).standing.epoch}};
        const auto owned = store.renew(held, 10s);

        CHECK(owned.size() == 1);
        moving.rollback();
    }

    // P13
    TEST_CASE_FIXTURE(Owned, "an owner that lost its lease while planning delivers nothing") {
        Outward outward;
        auto made = runner(outward);
        outward.work = [&](Transaction& tx, const Event& event) {
            leaves_a_row("outward")(tx, event);
            if (event.id != 2) return;
            expire();
            REQUIRE(taken_by(other));
        };
        append(3);

        CHECK(made->tick() == Tick::standby);

        CHECK(outward.delivered.size() == 0);
        CHECK(number("SELECT count(*) FROM done") == 0);
        CHECK(cursor() == 0);
        CHECK(made->tick() == Tick::standby);
    }

    TEST_CASE_FIXTURE(Owned, "moves in memory of a fenced owner are not written") {
        Outward outward;
        outward.silent = true;
        auto made = runner(outward);
        append(3);
        settle(*made);
        REQUIRE(made->position().unwritten());
        expire();
        REQUIRE(taken_by(other));

        const std::vector<radd::consumers::Move> moves{*made->position().unwritten()};

        CHECK(store.advance_many(moves).empty());
        CHECK(cursor() == 0);
    }
}

TEST_SUITE("cursor") {
    TEST_CASE_FIXTURE(Bench, "batches without effect send no statement and one write covers all") {
        Outward outward;
        outward.silent = true;
        auto made = runner(outward, "probe.one", 10);
        const auto last = append(100);

        CHECK(settle(*made) == 10);
        CHECK(cursor() == 0);
        CHECK(made->position().current()->cursor == last);
        flush(*made);

        CHECK(cursor() == last);
        CHECK(number("SELECT handled_count FROM radd.consumers") == 100);
    }

    TEST_CASE_FIXTURE(Bench, "an effect after moves in memory starts from what is on disk") {
        Outward outward;
        outward.silent = true;
        auto made = runner(outward);
        append(5);
        settle(*made);
        outward.silent = false;
        const auto last = append(1);
        settle(*made);

        CHECK(cursor() == last);
        CHECK(outward.delivered.ids() == std::vector<std::int64_t>{last});
        CHECK_FALSE(made->position().unwritten());
        CHECK(number("SELECT handled_count FROM radd.consumers") == 6);
    }

    TEST_CASE_FIXTURE(Bench, "the receipt is that of the handled events") {
        Projection projection;
        projection.work = [](Transaction& tx, const Event& event) {
            leaves_a_row("projection")(tx, event);
            if (event.id % 7 == 0) throw std::runtime_error{"no sevens"};
        };
        auto made = runner(projection, "probe.one", 8);
        append(50);
        settle(*made);

        radd::consumers::Receipt expected;
        for (std::int64_t id = 1; id <= 50; ++id) {
            if (id % 7 != 0) expected.add(id);
        }
        CHECK(number("SELECT handled_count FROM radd.consumers") == expected.count);
        CHECK(number("SELECT handled_hash FROM radd.consumers") ==
              static_cast<std::int64_t>(expected.hash));
    }
}

TEST_SUITE("operator") {
    // P03
    TEST_CASE_FIXTURE(Owned, "a cursor beyond the stream is held until a seek") {
        append(100);
        store.declare(declared(radd::FirstStart::beginning), 100);
        database.execute("UPDATE radd.consumers SET cursor = 150");
        CHECK(state() == "beyond_head");
        REQUIRE(store.hold_beyond_head(one_name).size() == 1);
        const auto last = append(60);
        CHECK(state() == "beyond_head");
        CHECK_FALSE(taken_by(me));

        operations.seek("probe.one", std::int64_t{100}, last);
        Projection projection;
        auto made = runner(projection);
        settle(*made);

        CHECK(projection.seen.ids() == ids(101, 160));
    }

    TEST_CASE_FIXTURE(Owned, "a cursor within the stream is not held") {
        append(5);
        store.declare(declared(radd::FirstStart::head), 5);
        CHECK(store.hold_beyond_head(one_name).empty());
        CHECK(state() == "unowned");
    }

    TEST_CASE_FIXTURE(Owned, "a seek back replays and begins a new receipt") {
        Projection projection;
        auto made = runner(projection);
        bool broken = true;
        projection.work = [&](Transaction&, const Event& event) {
            if (broken && event.id == 4) throw std::runtime_error{"four"};
        };
        append(5);
        settle(*made);
        broken = false;

        const auto seek = operations.seek("probe.one", std::int64_t{2}, 5);
        REQUIRE(acquire(*made));
        settle(*made);
        flush(*made);

        CHECK(seek.events == 3);
        CHECK(projection.seen.ids() == std::vector<std::int64_t>{1, 2, 3, 5, 3, 4, 5});
        CHECK(number("SELECT seeded_at FROM radd.consumers") == 2);
        CHECK(number("SELECT handled_count FROM radd.consumers") == 3);
        CHECK(database.value("SELECT resolution FROM radd.skipped_events") == "replayed");
    }

    TEST_CASE_FIXTURE(Owned, "a seek fences the owner") {
        Outward outward;
        auto made = runner(outward);
        outward.work = [&](Transaction& tx, const Event& event) {
            leaves_a_row("outward")(tx, event);
            if (event.id == 1) operations.seek("probe.one", SeekTo::head, 3);
        };
        append(3);

        CHECK(made->tick() == Tick::standby);

        CHECK(outward.delivered.size() == 0);
        CHECK(cursor() == 3);
    }

    TEST_CASE_FIXTURE(Owned, "a seek outside the stream is refused with its bounds") {
        append(5);
        store.declare(declared(radd::FirstStart::head), 5);

        CHECK_THROWS_AS(operations.seek("probe.one", std::int64_t{6}, 5), InvalidInput);
        CHECK_THROWS_AS(operations.seek("probe.one", std::int64_t{-1}, 5), InvalidInput);
        CHECK(operations.seek("probe.one", SeekTo::beginning, 5).events == 5);
        CHECK(cursor() == 0);
    }

    TEST_CASE_FIXTURE(Owned, "an unknown name is answered with the nearest one") {
        store.declare(declared(radd::FirstStart::head), 0);
        CHECK(refusal("probe.oen").find("did you mean 'probe.one'?") != std::string::npos);
        CHECK(refusal("somebody").find("radd consumers list") != std::string::npos);
    }

    TEST_CASE_FIXTURE(Owned, "a paused consumer is run by nobody until it is resumed") {
        store.declare(declared(radd::FirstStart::head), 0);
        REQUIRE(taken_by(me));
        operations.pause("probe.one", std::nullopt, "looking into it");
        CHECK(state() == "paused");
        CHECK_FALSE(taken_by(me));
        CHECK_FALSE(taken_by(other));

        operations.resume("probe.one", 0);

        CHECK(taken_by(other));
    }

    TEST_CASE_FIXTURE(Owned, "a pause with a length ends by itself") {
        store.declare(declared(radd::FirstStart::head), 0);
        operations.pause("probe.one", 1h, "");
        CHECK_FALSE(taken_by(me));
        operations.pause("probe.one", 0ms, "");
        CHECK(taken_by(me));
    }

    TEST_CASE_FIXTURE(Owned, "a pause by the manifest ends with the manifest") {
        auto declaration = declared(radd::FirstStart::head);
        declaration.paused = true;
        store.declare(declaration, 0);
        CHECK(state() == "paused");

        declaration.paused = false;
        store.declare(declaration, 0);
        CHECK(taken_by(me));

        operations.pause("probe.one", std::nullopt, "by hand");
        store.declare(declaration, 0);
        CHECK(state() == "paused");
    }

    TEST_CASE_FIXTURE(Owned, "what is retired stays listed and comes back by its policy") {
        append(5);
        store.declare(declared(radd::FirstStart::beginning, radd::Resume::head), 5);
        operations.retire("probe.one");
        CHECK(state() == "retired");
        CHECK_FALSE(taken_by(me));
        store.declare(declared(radd::FirstStart::beginning, radd::Resume::head), 5);
        CHECK(state() == "retired");

        const auto moved = operations.resume("probe.one", 5);

        REQUIRE(moved);
        CHECK(moved->events == 5);
        CHECK(cursor() == 5);
        CHECK(taken_by(me));
    }

    TEST_CASE_FIXTURE(Owned, "a consumer whose plugin was away resumes as it declares") {
        append(5);
        for (const int of : {0, 1, 2}) {
            const auto resume = of == 0 ? radd::Resume::cursor : radd::Resume::head;
            auto wanted = declared(radd::FirstStart::beginning, resume);
            wanted.bootstraps = of == 1;  // Whose backlog is what came meanwhile.
            store.declare(wanted, 5);
            CHECK(store.mark_disabled(std::vector<std::string>{"somebody.else"}) == 1);
            CHECK(state() == "not_loaded");
            const auto found = store.declare(wanted, 5);
            CHECK(found.passed.has_value() == (of > 0));
            CHECK(cursor() == (of == 2 ? 5 : 0));
            CHECK(database.value("SELECT coalesce(backlog_until, 0) FROM radd.consumers") ==
                  (of == 1 ? "5" : "0"));
            CHECK(state() == "unowned");
        }
    }

    TEST_CASE_FIXTURE(Owned, "a consumer that another host runs is not disabled") {
        store.declare(declared(radd::FirstStart::head), 0);
        REQUIRE(taken_by(other));
        CHECK(store.mark_disabled(std::vector<std::string>{"somebody.else"}) == 0);
    }
}
