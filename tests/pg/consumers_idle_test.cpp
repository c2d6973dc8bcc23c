// A handler that lets its transaction idle until the server ends it.

#include <chrono>

#include <doctest/doctest.h>

#include <tests/pg/consumers_bench.hpp>
#include <tests/support/wait.hpp>

using namespace std::chrono_literals;
using radd::testing::Bench;
using radd::testing::insert_done;
using radd::testing::Projection;

namespace {

/// Its sessions may idle in a transaction for half a second.
struct Impatient : Bench {
    void settle_with(radd::Consumer& consumer) {
        const auto declared = runner(consumer)->declaration();
        const auto parts = stream.parts();
        radd::consumers::ConsumerRunner made{
            {.declaration = declared, .consumer = &consumer},
            {pool, parts.tail, parts.catalog, parts.policy, parts.clock, parts.log, parts.lease}};
        REQUIRE(acquire(made));
        for (int ticks = 0; ticks < 20 && made.position().current()->cursor < 3; ++ticks)
            static_cast<void>(made.tick());
    }
    radd::db::Pool pool{{.url = database.url(), .idle_in_transaction_timeout = 500ms}, 2};
};

}  // namespace

TEST_SUITE("idle transaction") {
    TEST_CASE_FIXTURE(Impatient, "an event that idles too long each time is skipped at last") {
        Projection projection;
        int attempts = 0;
        projection.work = [&](radd::Transaction& tx, const radd::Event& event) {
            tx.execute(insert_done, "probe", event.id);
            if (event.id != 2) return;
            ++attempts;
            radd::testing::let_pass(1500ms);  // Idling is what this event does wrong.
        };
        append(3);
        settle_with(projection);

        CHECK(cursor() == 3);
        CHECK(number("SELECT sum(event_id) FROM done") == 4);
        CHECK(number("SELECT event_id FROM radd.skipped_events WHERE phase = 'plan'") == 2);
        CHECK(attempts == 2);
    }
}
