// Plugins that catch everything, while the database is away.

#include <stdexcept>

#include <doctest/doctest.h>

#include <tests/pg/consumers_bench.hpp>

using radd::Event;
using radd::Transaction;
using radd::consumers::Tick;
using radd::testing::Bench;
using radd::testing::insert_done;
using radd::testing::PerEvent;
using radd::testing::Projection;

namespace {

/// Runners whose sessions cannot be opened, because the address leads nowhere.
struct Away : Bench {
    std::unique_ptr<radd::consumers::ConsumerRunner> away(radd::Consumer& consumer) {
        auto with_database = runner(consumer);
        append(3);
        auto parts = stream.parts();
        radd::consumers::RunnerParts nowhere{
            pool, parts.tail, parts.catalog, parts.policy, parts.clock, parts.log, parts.lease};
        auto made = std::make_unique<radd::consumers::ConsumerRunner>(
            radd::consumers::ConsumerSetup{.declaration = with_database->declaration(),
                                           .consumer = &consumer},
            nowhere);
        REQUIRE(acquire(*made));
        return made;
    }
    radd::db::Pool pool{{.url = "host=/nowhere"}, 1};
};

void insert(Transaction& tx, const Event& event) {
    tx.execute(insert_done, "probe", event.id);
}

}  // namespace

TEST_SUITE("swallowed outage") {
    TEST_CASE_FIXTURE(Away, "an event whose plugin swallows it is not passed") {
        Projection batch;
        PerEvent single;
        batch.work = single.work = [](Transaction& tx, const Event& event) {
            try {
                insert(tx, event);
            } catch (const std::exception&) {}
        };
        for (radd::Consumer* consumer :
             {static_cast<radd::Consumer*>(&batch), static_cast<radd::Consumer*>(&single)}) {
            const auto made = away(*consumer);
            CHECK(made->tick() == Tick::unavailable);
            CHECK_FALSE(made->position().unwritten());
        }
    }

    TEST_CASE_FIXTURE(Away, "an event whose plugin throws something else is not skipped") {
        Projection projection;
        projection.work = [](Transaction& tx, const Event& event) {
            try {
                insert(tx, event);
            } catch (const std::exception& error) {
                throw std::runtime_error{error.what()};
            }
        };
        const auto made = away(projection);
        CHECK(made->tick() == Tick::unavailable);
        CHECK(stream.log.count("skipped") == 0);
    }

    TEST_CASE_FIXTURE(Away, "a transaction whose work swallows it does not commit nothing") {
        radd::outbox::OutboxDatabase database_away{
            pool, stream.catalog, {}, stream.log, "test", nullptr};
        const auto work = [](Transaction& tx) {
            try {
                tx.execute("SELECT 1");
            } catch (const radd::Unavailable&) {}
        };
        CHECK_THROWS_AS(database_away.transact(work), radd::Unavailable);
    }
}
