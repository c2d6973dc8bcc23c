// An attempt while it is in the hands of its handler.

#include <string>

#include <doctest/doctest.h>

#include <tests/pg/delivery_bench.hpp>
#include <tests/support/gate.hpp>

namespace radd::testing {
namespace {

using namespace std::chrono_literals;

/// A queue that runs, and whose handler is held at the gate.
struct Held : QueueBench {
    Held() {
        receiver.answer = [this](const Delivery&) {
            gate.pass();
            return AttemptResult::delivered();
        };
    }
    void start() {
        worker = runner();
        worker->start();
    }

    Gate gate;
    std::unique_ptr<delivery::QueueRunner> worker;  // Ends before the gate does.
};

TEST_SUITE("delivery attempt") {
    TEST_CASE_FIXTURE(Held, "one that does not return is told of once while it lasts") {
        spec.timeout = 50ms;
        enqueue("a");
        start();
        REQUIRE(gate.reached());

        CHECK(eventually([&] { return worker->totals().overdue == 1; }));
        CHECK(eventually([&] { return log.count("to a: attempt 1 has run for") == 1; }));
        enqueue("b");
        CHECK(eventually([&] { return log.count("to b: attempt 1 has run for") == 1; }));
        CHECK(log.count("to a: attempt 1 has run for") == 1);
        CHECK(worker->totals().overdue == 2);
        gate.open();

        CHECK(eventually([&] { return number("state = 'delivered'") == 2; }));
        CHECK(worker->totals().overdue == 0);
    }

    TEST_CASE_FIXTURE(Held, "no transaction is open and no row is locked while it lasts") {
        enqueue("a");
        start();
        REQUIRE(gate.reached());

        CHECK(eventually([&] {
            return database.value(
                       "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                       "AND pid <> pg_backend_pid() AND state LIKE 'idle in transaction%'") == "0";
        }));
        CHECK(database.value("SELECT count(*) FROM (SELECT FROM radd.deliveries FOR UPDATE SKIP "
                             "LOCKED) free") == "1");
        // Looks for work hold the table as well, for moments; other databases have the same oids.
        CHECK(eventually([&] {
            return database.value(
                       "SELECT count(*) FROM pg_locks WHERE granted AND pid <> pg_backend_pid() "
                       "AND relation = 'radd.deliveries'::regclass AND database = (SELECT oid FROM "
                       "pg_database WHERE datname = current_database())") == "0";
        }));
        gate.open();

        CHECK(eventually([&] { return number("state = 'delivered'") == 1; }));
    }

    TEST_CASE_FIXTURE(QueueBench, "the seventh that is answered after six that were not delivers") {
        receiver.answer = [&](const Delivery& delivery) {
            return delivery.attempt == 7 ? AttemptResult::delivered("answered 200")
                                         : AttemptResult::failed("answered 500");
        };
        enqueue("a");
        const auto worker = runner();
        for (const auto rung : ladder) {
            CHECK(settle(*worker) == 1);
            pass(std::chrono::milliseconds{rung} / 2);
            CHECK(settle(*worker) == 0);
            pass(std::chrono::milliseconds{rung} / 2);
        }
        CHECK(state() == "pending after 6");

        CHECK(settle(*worker) == 1);

        CHECK(state() == "delivered after 7");
        pass(ladder.back());
        CHECK(settle(*worker) == 0);
        CHECK(receiver.count() == 7);
    }
}

}  // namespace
}  // namespace radd::testing
