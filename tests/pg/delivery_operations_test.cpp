// What an operator sees of deliveries and does to them, in the database.

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <host/delivery/delivery_json.hpp>
#include <host/delivery/operations.hpp>
#include <tests/pg/delivery_bench.hpp>

namespace radd::testing {
namespace {

using namespace std::chrono_literals;
using delivery::DeliveryOperations;

struct OperatorBench : QueueBench {
    /// As many dead letters of a lane, for the reason "gone".
    void die(const std::string& lane, int count = 1) {
        receiver.answer = [](const Delivery&) { return AttemptResult::dead("gone"); };
        enqueue(lane, count);
        CHECK(settle(*worker) == count);
        receiver.answer = {};
    }
    [[nodiscard]] delivery::QueueStatus status() {
        const auto all = operations.queues();
        REQUIRE(all.size() == 1);
        return all.front();
    }

    db::Session session{database.options()};
    DeliveryOperations operations{session};
    std::unique_ptr<delivery::QueueRunner> worker = runner();
};

TEST_SUITE("delivery operations") {
    TEST_CASE_FIXTURE(OperatorBench, "a queue at a glance tells what waits and what is dead") {
        CHECK(operations.queues().empty());
        die("a", 3);
        enqueue("b", 2);
        CHECK(worker->claim() == 1);  // Of a lane that is new one at a time.
        enqueue("c", 1);
        pass(40s);

        const auto now = status();
        CHECK(now.name == "probe.out");
        CHECK(now.pending == 3);
        CHECK(now.due == 2);
        CHECK(now.under_way == 1);
        CHECK(now.dead == 3);
        CHECK(now.oldest_due_s.value_or(0) >= 40);
        CHECK_FALSE(now.approximate);

        const auto lanes = operations.lanes("probe.out");
        REQUIRE(lanes.size() == 3);
        CHECK(lanes[0].lane == "a");
        CHECK(lanes[0].dead == 3);
        CHECK(lanes[1].lane == "b");
        CHECK(lanes[1].pending == 2);
        CHECK(lanes[1].under_way == 1);
        CHECK(lanes[2].next_attempt_at.has_value());
        CHECK_THROWS_AS((void)operations.lanes("probe.ou"), delivery::UnknownQueue);
    }

    TEST_CASE_FIXTURE(OperatorBench, "a queue is shown though nothing was ever in it") {
        operations = DeliveryOperations{session, {"other.out", "probe.out"}};
        enqueue("a");

        const auto all = operations.queues();

        REQUIRE(all.size() == 2);
        CHECK(all[0].name == "other.out");
        CHECK(all[0].pending == 0);
        CHECK_FALSE(all[0].oldest_due_s);
        CHECK(all[1].pending == 1);
    }

    TEST_CASE_FIXTURE(OperatorBench, "counting ends at its bound and says so") {
        const auto fill = [&](std::int64_t count) {
            database.execute("DELETE FROM radd.deliveries");
            database.execute(
                "INSERT INTO radd.deliveries (queue, lane, payload) SELECT 'probe.out', n::text, "
                "'{}' FROM generate_series(1, " +
                std::to_string(count) + ") n");
        };
        fill(delivery::QueueStatus::counted_max);
        CHECK(status().pending == 10'000);
        CHECK_FALSE(status().approximate);
        fill(delivery::QueueStatus::counted_max + 1);
        CHECK(status().pending == 10'000);
        CHECK(status().due == 10'000);
        CHECK(status().approximate);
        CHECK(operations.lanes("probe.out").size() == DeliveryOperations::lanes_listed_max);
    }

    TEST_CASE_FIXTURE(OperatorBench, "a list is narrowed and paged and tells why one is dead") {
        die("a", 2);
        enqueue("b", 3);
        database.execute("UPDATE radd.deliveries SET event_id = 77 WHERE id = 4");

        const auto ids = [&](const delivery::DeliveryFilter& filter, std::int64_t rows = 50) {
            std::string found;
            for (const auto& one : operations.list(filter, rows))
                found += (found.empty() ? "" : ",") + std::to_string(one.id);
            return found;
        };
        CHECK(ids({}) == "5,4,3,2,1");
        CHECK(ids({}, 2) == "5,4");
        CHECK(ids({.before = 4}, 2) == "3,2");
        CHECK(ids({.state = "dead"}) == "2,1");
        CHECK(ids({.state = "pending"}) == "5,4,3");
        CHECK(ids({.queue = "probe.out", .lane = "a"}) == "2,1");
        CHECK(ids({.queue = "other"}).empty());
        CHECK(ids({.event_id = 77}) == "4");
        const auto dead = operations.find(1);
        CHECK(dead.last_error == "gone");
        CHECK(dead.attempts == 1);
        CHECK(dead.finished_at.has_value());
        CHECK_FALSE(dead.next_attempt_at.has_value());
        CHECK(operations.find(5).next_attempt_at.has_value());
        CHECK_THROWS_AS((void)operations.find(6), delivery::UnknownDelivery);
        CHECK_THROWS_AS((void)operations.payload_text(6), delivery::UnknownDelivery);
    }

    TEST_CASE_FIXTURE(OperatorBench, "a payload is shown byte for byte") {
        const std::string odd = "{\"b\":1.10,\"a\":9007199254740993,\"a\":\"\xf0\x9f\x98\x80\"}";
        enqueue("a", 1, odd);

        CHECK(operations.payload_text(1) == odd);
        const auto text = json_text(operations.find(1), odd);
        CHECK(text.ends_with(",\"payload\":" + odd + "}"));
        CHECK(nlohmann::json::accept(text));
    }

    TEST_CASE_FIXTURE(OperatorBench, "one that is finished is replayed and one that waits is not") {
        die("a");
        enqueue("b");
        const auto made = operations.replay(1);

        CHECK(operations.find(made).replay_of == 1);
        CHECK(operations.find(1).replayed_as == made);
        CHECK(status().dead == 0);
        CHECK(settle(*worker) == 2);
        CHECK(operations.find(made).state == "delivered");
        CHECK(operations.find(made).uid != operations.find(1).uid);
        CHECK(operations.replay(made) > made);
        enqueue("c");
        CHECK_THROWS_AS(operations.replay(operations.list({.state = "pending"}, 1)[0].id),
                        InvalidInput);
        CHECK_THROWS_AS(operations.replay(999), delivery::UnknownDelivery);
    }

    TEST_CASE_FIXTURE(OperatorBench, "dead letters are replayed once and as the preview said") {
        die("a", 3);
        die("b", 2);

        const auto all = operations.preview_dead("probe.out", {});
        CHECK(all.deliveries == 5);
        CHECK(all.lanes == 2);
        CHECK(all.first_id == 1);
        CHECK(all.last_id == 5);
        CHECK(operations.preview_dead("probe.out", {.lane = "b"}).deliveries == 2);
        CHECK(operations.preview_dead("probe.out", {.first_id = 2, .last_id = 4}).deliveries == 3);
        CHECK(number("replay_of IS NOT NULL") == 0);

        CHECK(operations.replay_dead("probe.out", {.first_id = 2, .last_id = 4}) == 3);
        CHECK(operations.replay_dead("probe.out", {.first_id = 2, .last_id = 4}) == 0);
        CHECK(operations.replay_dead("probe.out", {}) == 2);
        CHECK(operations.replay_dead("probe.out", {}) == 0);
        CHECK(number("replay_of IS NOT NULL") == 5);
        CHECK(number("state = 'dead'") == 5);
        CHECK_THROWS_AS(operations.replay_dead("probe.oud", {}), delivery::UnknownQueue);
        CHECK_THROWS_AS((void)operations.preview_dead("probe.oud", {}), delivery::UnknownQueue);
    }

    TEST_CASE_FIXTURE(OperatorBench, "what is cancelled is attempted no more and is not dead") {
        enqueue("a", 2);
        enqueue("b", 2);

        operations.cancel(1, "cancelled by hand");
        CHECK(operations.find(1).state == "cancelled");
        CHECK(operations.find(1).last_error == "cancelled by hand");
        CHECK_THROWS_AS(operations.cancel(1, "again"), InvalidInput);
        CHECK_THROWS_AS(operations.cancel(99, "none"), delivery::UnknownDelivery);
        CHECK(operations.waiting_in("probe.out", "b") == 2);
        CHECK(operations.cancel_lane("probe.out", "b", "by hand") == 2);
        CHECK(operations.cancel_lane("probe.out", "b", "by hand") == 0);
        CHECK_THROWS_AS(operations.cancel_lane("nowhere", "b", "by hand"), delivery::UnknownQueue);

        CHECK(settle(*worker) == 1);
        CHECK(receiver.attempts().front().id == 2);
        CHECK(status().dead == 0);
    }

    TEST_CASE_FIXTURE(OperatorBench, "a result that comes after a cancel does not count") {
        enqueue("a");
        CHECK(worker->claim() == 1);
        operations.cancel(1, "by hand");
        CHECK(worker->perform_one());

        CHECK(operations.find(1).state == "cancelled");
        CHECK(worker->totals().late == 1);
    }
}

}  // namespace
}  // namespace radd::testing
