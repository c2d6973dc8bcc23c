#include <atomic>
#include <set>

#include <doctest/doctest.h>

#include <tests/pg/consumers_running.hpp>
#include <tests/pg/delivery_bench.hpp>

namespace radd::testing {
namespace {

using namespace std::chrono_literals;

std::set<std::string> lanes_of(const std::vector<Delivery>& attempts) {
    std::set<std::string> lanes;
    for (const auto& one : attempts) lanes.insert(one.lane);
    return lanes;
}

TEST_SUITE("delivery lanes") {
    TEST_CASE_FIXTURE(QueueBench, "ten thousand due rows of one lane starve no other") {
        spec.concurrency = 8;
        enqueue("busy", 10'000);
        for (const auto* lane : {"a", "b", "z"}) enqueue(lane);
        const auto worker = runner();

        CHECK(worker->claim() == 4);
        while (worker->perform_one()) {}
        CHECK(lanes_of(receiver.attempts()) == std::set<std::string>{"a", "b", "busy", "z"});
    }

    TEST_CASE_FIXTURE(QueueBench, "more lanes than attempts at once take turns") {
        spec.concurrency = 4;
        for (int lane = 0; lane < 300; ++lane) enqueue("lane " + std::to_string(lane), 3);
        const auto worker = runner();

        for (int round = 0; round < 110; ++round) {
            worker->claim();
            while (worker->perform_one()) {}
        }

        CHECK(lanes_of(receiver.attempts()).size() == 300);
        settle(*worker);
        CHECK(number("state = 'delivered'") == 900);
    }

    TEST_CASE_FIXTURE(QueueBench, "the one due lane behind hundreds that are not is found") {
        for (int lane = 0; lane < 450; ++lane) enqueue("lane " + std::to_string(1000 + lane));
        database.execute(
            "UPDATE radd.deliveries SET next_attempt_at = clock_timestamp() + interval '1 h'");
        enqueue("late");
        const auto worker = runner();

        CHECK(worker->claim() == 1);
        CHECK(worker->perform_one());
        CHECK(number("lane = 'late' AND state = 'delivered'") == 1);

        // Behind the place that a look has reached, too.
        spec.concurrency = 1;
        const auto narrow = runner();
        enqueue("late");
        CHECK(settle(*narrow) == 1);
        enqueue("late", 2);
        REQUIRE(narrow->claim() == 1);
        enqueue("a");
        CHECK(narrow->perform_one());
        CHECK(narrow->claim() == 1);
        CHECK(narrow->perform_one());
        CHECK(narrow->claim() == 1);
        CHECK(narrow->perform_one());
        CHECK(number("state = 'delivered'") == 5);
    }

    TEST_CASE_FIXTURE(QueueBench, "beside a doubtful attempt those that answer are all found") {
        spec.concurrency = 8;
        enqueue("zz");
        const auto worker = runner();
        CHECK(settle(*worker) == 1);
        for (int lane = 0; lane < 450; ++lane) enqueue("lane " + std::to_string(1000 + lane));
        database.execute(
            "UPDATE radd.deliveries SET next_attempt_at = clock_timestamp() + interval '1 h' "
            "WHERE state = 'pending'");
        enqueue("a");
        REQUIRE(worker->claim() == 1);

        enqueue("zz");
        CHECK(worker->claim() == 1);
        while (worker->perform_one()) {}
        CHECK(number("lane = 'zz' AND state = 'delivered'") == 2);
    }

    TEST_CASE_FIXTURE(QueueBench, "a lane that is away rests and the others go on") {
        spec.breaker_after = 3;
        spec.breaker_for = 60s;
        receiver.answer = [](const Delivery& delivery) {
            return delivery.lane == "away" ? AttemptResult::unreachable("refused")
                                           : AttemptResult::delivered();
        };
        enqueue("away", 10);
        enqueue("here", 10);
        const auto worker = runner();

        settle(*worker);
        CHECK(number("lane = 'here' AND state = 'delivered'") == 10);
        CHECK(number("lane = 'away' AND attempts = 1") == 3);
        CHECK(number("lane = 'away' AND attempts = 0") == 7);
        CHECK(worker->totals().lanes_resting == 1);

        clock.steady_ahead = clock.steady_ahead.load() + 60s;
        settle(*worker);
        CHECK(number("lane = 'away' AND attempts = 1") == 4);

        receiver.answer = nullptr;
        clock.steady_ahead = clock.steady_ahead.load() + 60s;
        settle(*worker);
        CHECK(number("lane = 'away' AND state = 'delivered'") == 6);
    }

    TEST_CASE_FIXTURE(QueueBench,
                      "one that never answers is dead after seven and rests meanwhile") {
        receiver.answer = [](const Delivery& delivery) -> AttemptResult {
            if (delivery.lane == "away") throw Unavailable{"timed out"};
            return AttemptResult::delivered();
        };
        enqueue("away");
        const auto worker = runner();

        for (std::int32_t attempt = 1; attempt <= 7; ++attempt) {
            CAPTURE(attempt);
            enqueue("here");
            CHECK(settle(*worker) == (attempt > spec.breaker_after ? 1 : 2));
            if (attempt > spec.breaker_after) {  // It is due, and its lane rests.
                CHECK(worker->totals().lanes_resting == 1);
                clock.steady_ahead = clock.steady_ahead.load() + spec.breaker_for;
                CHECK(settle(*worker) == 1);
            }
            CHECK(number("lane = 'away' AND attempts = " + std::to_string(attempt)) == 1);
            pass(ladder.back());
        }

        CHECK(state("lane = 'away'") == "dead after 7");
        CHECK(number("lane = 'here' AND state = 'delivered'") == 7);
        CHECK(log.count("dead after 7 attempts: timed out", LogLevel::warn) == 1);
        clock.steady_ahead = clock.steady_ahead.load() + spec.breaker_for;
        CHECK(settle(*worker) == 0);
    }

    TEST_CASE_FIXTURE(QueueBench,
                      "a slow lane has one attempt at a time and all of them leave room") {
        spec.concurrency = 8;
        Gate gate;
        receiver.answer = [&](const Delivery& delivery) {
            if (delivery.lane.starts_with("slow")) gate.pass();
            return AttemptResult::delivered();
        };
        enqueue("quick");
        const auto worker = runner();
        CHECK(settle(*worker) == 1);

        for (int lane = 0; lane < 20; ++lane) enqueue("slow " + std::to_string(lane), 5);
        worker->start();
        REQUIRE(eventually([&] { return worker->totals().in_flight == 6; }));
        enqueue("quick", 20);
        CHECK(eventually([&] { return number("lane = 'quick' AND state = 'delivered'") == 21; }));
        CHECK(number("lane LIKE 'slow%' AND attempts > 0") == 6);
        gate.open();
        CHECK(eventually([&] { return number("state = 'delivered'") == 121; }));
    }

    TEST_CASE_FIXTURE(QueueBench, "two hosts attempt each delivery once") {
        spec.concurrency = 8;
        for (int lane = 0; lane < 5; ++lane) enqueue("lane " + std::to_string(lane), 100);
        Receiver second;
        delivery::StoredQueue other_queue{"probe.out"};
        const auto one = runner();
        const auto two = runner(second, other_queue);
        one->start();
        two->start();

        CHECK(eventually([&] { return number("state = 'delivered'") == 500; }));
        CHECK(receiver.count() + second.count() == 500);
        CHECK(receiver.count() > 0);
        CHECK(second.count() > 0);
        CHECK(number("attempts <> 1") == 0);
    }

    TEST_CASE_FIXTURE(QueueBench, "a row that another host is claiming is passed without waiting") {
        enqueue("a", 2);
        db::Session other{database.options()};
        other.begin();
        static constexpr Sql lock_first = "SELECT id FROM radd.deliveries WHERE id = 1 FOR UPDATE";
        other.query(lock_first);

        CHECK(settle(*runner()) == 1);
        CHECK(receiver.attempts()[0].id == 2);
        other.rollback();
        CHECK(settle(*runner()) == 1);
    }

    TEST_CASE_FIXTURE(QueueBench, "a stop lets attempts end and gives back what has not begun") {
        spec.concurrency = 2;
        Gate gate;
        receiver.answer = [&](const Delivery&) {
            gate.pass();
            return AttemptResult::delivered();
        };
        enqueue("a");
        enqueue("b");
        const auto worker = runner();
        worker->start();
        REQUIRE(gate.reached());
        worker->request_stop();
        CHECK(worker->stop(clock.steady_now()) > 0);
        gate.open();
        CHECK(eventually([&] { return number("claimed_until IS NOT NULL") == 0; }));

        enqueue("c", 1);
        const auto by_hand = runner();
        CHECK(by_hand->claim() >= 1);
        by_hand->request_stop();
        CHECK(number("lane = 'c' AND attempts = 0 AND claimed_until IS NULL") == 1);
        CHECK(by_hand->claim() == 0);
    }

    TEST_CASE_FIXTURE(QueueBench, "an hour on the clock of the host changes no wait") {
        receiver.answer = [](const Delivery&) { return AttemptResult::failed("answered 500"); };
        for (const auto ahead : {std::chrono::microseconds{1h}, std::chrono::microseconds{-1h}}) {
            clock.ahead = ahead;
            database.execute("DELETE FROM radd.deliveries");
            enqueue("a");
            const auto worker = runner();
            CHECK(settle(*worker) == 1);
            CHECK(wait() == "5");
            CHECK(number("last_attempt_at BETWEEN clock_timestamp() - interval '10 min' AND "
                         "clock_timestamp()") == 1);
            pass(4900ms);
            pass(100ms);
            CHECK(settle(*worker) == 1);
        }
    }

    TEST_CASE_FIXTURE(QueueBench, "what is queued by this process is attempted at once") {
        const auto worker = runner();
        worker->start();
        REQUIRE(eventually([&] { return worker->totals().name == "probe.out"; }));
        const auto begin = std::chrono::steady_clock::now();
        enqueue("a");
        CHECK(eventually([&] { return receiver.count() == 1; }));
        // Nobody who is not told looks sooner than after two seconds.
        CHECK(std::chrono::steady_clock::now() - begin < 1500ms);
    }
}

}  // namespace
}  // namespace radd::testing
