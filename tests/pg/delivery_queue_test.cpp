#include <atomic>

#include <doctest/doctest.h>

#include <host/delivery/retention_task.hpp>
#include <tests/pg/delivery_bench.hpp>

namespace radd::testing {
namespace {

using namespace std::chrono_literals;

AttemptResult answers_500(const Delivery&) {
    return AttemptResult::failed("answered 500");
}

TEST_SUITE("delivery queue") {
    TEST_CASE_FIXTURE(QueueBench,
                      "a receiver that always fails is tried by the schedule and then dead") {
        receiver.answer = answers_500;
        enqueue("a");
        const auto worker = runner();

        std::vector<std::string> waits;
        for (const auto rung : ladder) {
            CHECK(settle(*worker) == 1);
            CHECK(state() == "pending after " + std::to_string(waits.size() + 1));
            waits.push_back(wait());
            // The clock of the database goes on meanwhile: half a rung is never all of it.
            const auto half = std::chrono::milliseconds{rung} / 2;
            pass(half);
            CHECK(settle(*worker) == 0);
            pass(half);
        }
        CHECK(settle(*worker) == 1);
        pass(100h);

        CHECK(waits == std::vector<std::string>{"5", "300", "1800", "7200", "18000", "36000"});
        CHECK(state() == "dead after 7");
        CHECK(settle(*worker) == 0);
        CHECK(receiver.count() == 7);
        CHECK(receiver.attempts().back().attempt == 7);
        CHECK(log.count("dead after 7 attempts: answered 500", LogLevel::warn) == 1);
    }

    TEST_CASE_FIXTURE(QueueBench,
                      "a schedule may be empty or become shorter than the attempts made") {
        receiver.answer = answers_500;
        schedule = {};
        enqueue("empty");
        const auto worker = runner();
        CHECK(settle(*worker) == 1);
        CHECK(state("lane = 'empty'") == "dead after 1");

        schedule = {1s, 1s};
        enqueue("two");
        for (int i = 0; i < 5; ++i) {
            static_cast<void>(settle(*worker));
            pass(1s);
        }
        CHECK(state("lane = 'two'") == "dead after 3");

        schedule.assign(6, 1s);
        enqueue("shortened");
        for (int i = 0; i < 5; ++i) {
            CHECK(settle(*worker) == 1);
            pass(1s);
        }
        schedule = {1s};
        CHECK(settle(*worker) == 1);
        CHECK(state("lane = 'shortened'") == "dead after 6");
    }

    TEST_CASE_FIXTURE(QueueBench, "a fourth attempt that is answered is the last") {
        receiver.answer = [](const Delivery& delivery) {
            if (delivery.attempt == 4) return AttemptResult::delivered("200");
            if (delivery.attempt == 2) throw Unavailable{"connection refused"};
            if (delivery.attempt == 3) throw 3;
            return AttemptResult::failed("answered 503");
        };
        enqueue("a");
        const auto worker = runner();

        for (int i = 0; i < 6; ++i) {
            static_cast<void>(settle(*worker));
            pass(10h);
        }

        CHECK(state() == "delivered after 4");
        CHECK(receiver.count() == 4);
        const auto totals = worker->totals();
        CHECK(totals.attempts == 4);
        CHECK(totals.failed == 3);
        CHECK(totals.delivered == 1);
    }

    TEST_CASE_FIXTURE(QueueBench, "jitter stretches a wait by its share at most") {
        receiver.answer = answers_500;
        spec.jitter = 0.5;
        schedule = {100s};
        enqueue("a", 50);
        CHECK(settle(*runner()) == 50);

        CHECK(number("next_attempt_at - last_attempt_at BETWEEN '100 s' AND '150 s'") == 50);
        CHECK(std::stoi(
                  database.value("SELECT count(DISTINCT next_attempt_at - last_attempt_at) FROM "
                                 "radd.deliveries")) > 40);
    }

    TEST_CASE_FIXTURE(QueueBench,
                      "what a receiver asks for is obeyed up to two hours past the rung") {
        std::optional<std::chrono::seconds> wish;
        receiver.answer = [&](const Delivery&) {
            return AttemptResult::failed("answered 429", wish);
        };
        const auto worker = runner();
        const std::vector<std::pair<std::optional<std::chrono::seconds>, std::string>> table{
            {std::nullopt, "5"},
            {120s, "120"},
            {0s, "5"},
            {7205s, "7205"},
            {7206s, "7205"},
            {std::chrono::seconds::max(), "7205"}};
        for (const auto& [asked, waited] : table) {
            wish = asked;
            database.execute("DELETE FROM radd.deliveries");
            enqueue("a");
            CHECK(settle(*worker) == 1);
            CHECK(wait() == waited);
            CHECK(state() == "pending after 1");
        }
    }

    TEST_CASE_FIXTURE(QueueBench,
                      "a rolled-back transaction has queued nothing and a key is queued once") {
        const auto undone = [&](Transaction& tx) {
            CHECK(queue.enqueue(tx, NewDelivery{.lane = "a"}) == 1);
            throw Error{"no"};
        };
        CHECK_THROWS_AS(transactions.transact([&](Transaction& tx) { undone(tx); }), Error);
        CHECK(number("true") == 0);

        for (int i = 0; i < 2; ++i) {
            transactions.transact([&](Transaction& tx) {
                CHECK(queue.enqueue(
                          tx, NewDelivery{.lane = "a", .event_id = 7, .key = "event 7 {\"}"}) ==
                      (i == 0 ? 1 : 0));
            });
        }
        CHECK(number("key = 'event 7 {\"}' AND event_id = 7") == 1);
    }

    TEST_CASE_FIXTURE(QueueBench, "a payload is kept byte for byte and limits are named") {
        const std::string payload =
            "{\"b\":\"é\\u2028</script>\\/\",  \"a\":12345678901234567890.10}";
        enqueue("a", 1, payload);
        CHECK(settle(*runner()) == 1);
        CHECK(receiver.attempts()[0].payload_text == payload);

        const auto refused = [&](const NewDelivery& delivery) {
            try {
                transactions.transact([&](Transaction& tx) { queue.enqueue(tx, delivery); });
            } catch (const InvalidInput& error) {
                return error.field();
            }
            return std::string{"nothing"};
        };
        const auto text_of = [](std::size_t bytes) {
            return '"' + std::string(bytes - 2, 'x') + '"';
        };
        CHECK(refused({.lane = ""}) == "lane");
        CHECK(refused({.lane = std::string(delivery_lane_bytes_max, 'x')}) == "nothing");
        CHECK(refused({.lane = std::string(delivery_lane_bytes_max + 1, 'x')}) == "lane");
        CHECK(refused({.lane = "a", .payload = "no JSON"}) == "payload");
        CHECK(refused({.lane = "a", .payload = text_of(delivery_payload_bytes_max)}) == "nothing");
        CHECK(refused({.lane = "a", .payload = text_of(delivery_payload_bytes_max + 1)}) ==
              "payload");
        CHECK(refused({.lane = "a", .key = std::string(delivery_key_bytes_max + 1, 'k')}) == "key");
    }

    TEST_CASE_FIXTURE(QueueBench,
                      "a process that dies in an attempt repeats it once and never without end") {
        enqueue("a");
        // Each counts its attempt, may have made it, and never records what came of it.
        std::vector<std::unique_ptr<delivery::QueueRunner>> died;
        for (int attempt = 1; attempt <= 7; ++attempt) {
            died.push_back(runner());
            CHECK(died.back()->claim() == 1);
            CHECK(runner()->claim() == 0);
            CHECK(state() == "pending after " + std::to_string(attempt));
            pass(spec.timeout + delivery::QueueRunner::claim_margin);
        }
        CHECK(settle(*runner()) == 1);

        CHECK(receiver.count() == 0);
        CHECK(state() == "dead after 7");
        CHECK(log.count("the process ended during the last attempt", LogLevel::warn) == 1);
    }

    TEST_CASE_FIXTURE(QueueBench, "a result that comes after the claim has passed does not count") {
        enqueue("a");
        const auto slow = runner();
        CHECK(slow->claim() == 1);
        pass(spec.timeout + delivery::QueueRunner::claim_margin);
        const auto other = runner();
        receiver.answer = answers_500;
        CHECK(other->claim() == 1);

        receiver.answer = nullptr;
        CHECK(slow->perform_one());
        CHECK(state() == "pending after 2");
        CHECK(slow->totals().late == 1);
        CHECK(other->perform_one());
        CHECK(state() == "delivered after 2");
    }

    // P11
    TEST_CASE_FIXTURE(QueueBench,
                      "what has been attempted past counting is dead and stops no other") {
        enqueue("a", 2);
        enqueue("b");
        database.execute("UPDATE radd.deliveries SET attempts = 2147483647 WHERE id = 1");
        const auto worker = runner();

        CHECK(settle(*worker) == 3);

        CHECK(receiver.count() == 2);
        CHECK(state("id = 1") == "dead after 2147483647");
        CHECK(database.value("SELECT last_error FROM radd.deliveries WHERE id = 1") ==
              "its attempts are past counting");
        CHECK(number("state = 'delivered'") == 2);
        CHECK(worker->claim() == 0);
    }

    TEST_CASE_FIXTURE(QueueBench, "the handler hears a result in the transaction that records it") {
        database.execute("CREATE TABLE heard (id bigint, text text)");
        bool fails = false;
        receiver.answer = answers_500;
        receiver.on_settled = [&](Transaction& tx, const Delivery& delivery, const Settled& said) {
            static constexpr Sql insert_heard = "INSERT INTO heard (id, text) VALUES ($1, $2)";
            tx.execute(
                insert_heard, delivery.id, said.result.detail + (said.is_dead ? ", dead" : ""));
            if (fails) throw Error{"no room"};
        };
        schedule = {1s};
        enqueue("a");
        const auto worker = runner();

        CHECK(settle(*worker) == 1);
        pass(1s);
        fails = true;
        CHECK(settle(*worker) == 1);

        CHECK(database.value("SELECT string_agg(text, '; ') FROM heard") == "answered 500");
        CHECK(state() == "dead after 2");
        CHECK(log.count("settled() failed: no room", LogLevel::error) == 1);
    }

    TEST_CASE_FIXTURE(QueueBench, "dead letters are repeated as new deliveries and each once") {
        schedule = {};
        receiver.answer = answers_500;
        enqueue("a", 3, "{\"n\":1}");
        enqueue("b", 2);
        const auto worker = runner();
        CHECK(settle(*worker) == 5);
        receiver.answer = nullptr;

        std::optional<std::int64_t> one;
        std::int64_t range = 0;
        std::int64_t all = 0;
        std::int64_t again = 0;
        transactions.transact([&](Transaction& tx) {
            one = queue.replay_one(tx, 1);
            CHECK_FALSE(queue.replay_one(tx, *one).has_value());
            CHECK_FALSE(queue.replay_one(tx, 4711).has_value());
            range = queue.replay_dead(tx, {.lane = "a", .first_id = 1, .last_id = 2});
            all = queue.replay_dead(tx, {});
            again = queue.replay_dead(tx, {});
        });
        CHECK(range == 1);
        CHECK(all == 3);
        CHECK(again == 0);
        CHECK(settle(*worker) == 5);

        CHECK(number("state = 'dead'") == 5);
        CHECK(number("state = 'delivered' AND replay_of IS NOT NULL AND attempts = 1") == 5);
        CHECK(database.value("SELECT count(DISTINCT uid) FROM radd.deliveries") == "10");
        CHECK(database.value("SELECT payload FROM radd.deliveries WHERE replay_of = 1") ==
              "{\"n\":1}");
    }

    TEST_CASE_FIXTURE(QueueBench, "a lane that is cancelled is attempted no more") {
        enqueue("a", 3);
        enqueue("b");
        std::int64_t cancelled = 0;
        transactions.transact(
            [&](Transaction& tx) { cancelled = queue.cancel_lane(tx, "a", "switched off"); });

        CHECK(cancelled == 3);
        CHECK(settle(*runner()) == 1);
        CHECK(number("state = 'cancelled' AND last_error = 'switched off'") == 3);
    }

    TEST_CASE_FIXTURE(QueueBench,
                      "a lane with more than one call may cancel is cancelled in slices") {
        enqueue("a", 10'001);
        enqueue("b");
        std::vector<std::int64_t> slices;
        for (int call = 0; call < 3; ++call)
            transactions.transact(
                [&](Transaction& tx) { slices.push_back(queue.cancel_lane(tx, "a", "off")); });

        CHECK(slices == std::vector<std::int64_t>{10'000, 1, 0});
        CHECK(settle(*runner()) == 1);
    }

    TEST_CASE_FIXTURE(QueueBench,
                      "a spent delivery that is given back is dead with the next host") {
        schedule.clear();
        enqueue("a");
        enqueue("b");
        database.execute(
            "UPDATE radd.deliveries SET attempts = 1, claimed_until = clock_timestamp() "
            "WHERE lane = 'a'");
        {
            const auto first = runner();
            REQUIRE(first->claim() == 2);
            first->request_stop();
        }
        CHECK(state("lane = 'a'") == "pending after 1");
        CHECK(state("lane = 'b'") == "pending after 0");

        const auto next = runner();
        CHECK(settle(*next) == 2);
        CHECK(receiver.count() == 1);
        CHECK(state("lane = 'a'") == "dead after 1");
        CHECK(state("lane = 'b'") == "delivered after 1");
    }

    TEST_CASE_FIXTURE(QueueBench, "finished rows go in slices when their time has come") {
        enqueue("a", 2500);
        database.execute(
            "UPDATE radd.deliveries SET state = 'delivered', finished_at = clock_timestamp()");
        enqueue("waits");
        pass(719h);
        delivery::RetentionTask task{transactions, {{"probe.out", 720h}, {"probe.none", 1h}}};
        while (task.tick()) {}
        CHECK(number("true") == 2501);

        pass(2h);
        int slices = 1;
        for (; task.tick(); ++slices) {
            if (slices < 3) CHECK(number("true") == 2501 - 1000 * slices);
        }
        CHECK(slices == 4);
        CHECK(number("true") == 1);
    }
}

}  // namespace
}  // namespace radd::testing
