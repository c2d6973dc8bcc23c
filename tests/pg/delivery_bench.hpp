#pragma once

/// A queue, a receiver whose every answer a test decides, and runners to drive by hand.

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <host/delivery/queue_runner.hpp>
#include <host/outbox/transaction.hpp>
#include <radd/testing/services.hpp>
#include <tests/pg/consumers_bench.hpp>

namespace radd::testing {

/// Answers each attempt as `answer` says, and keeps what it was given.
class Receiver final : public DeliveryHandler {
public:
    AttemptResult attempt(const Delivery& delivery) override {
        {
            const std::scoped_lock lock{mutex_};
            attempts_.push_back(delivery);
        }
        return answer ? answer(delivery) : AttemptResult::delivered();
    }
    void settled(Transaction& tx, const Delivery& delivery, const Settled& settled) override {
        if (on_settled) on_settled(tx, delivery, settled);
    }
    [[nodiscard]] std::vector<Delivery> attempts() const {
        const std::scoped_lock lock{mutex_};
        return attempts_;
    }
    [[nodiscard]] std::size_t count() const { return attempts().size(); }

    std::function<AttemptResult(const Delivery&)> answer;
    std::function<void(Transaction&, const Delivery&, const Settled&)> on_settled;

private:
    mutable std::mutex mutex_;
    std::vector<Delivery> attempts_;
};

inline constexpr std::array ladder{std::chrono::seconds{5},
                                   std::chrono::seconds{300},
                                   std::chrono::seconds{1800},
                                   std::chrono::seconds{7200},
                                   std::chrono::seconds{18000},
                                   std::chrono::seconds{36000}};

struct QueueBench {
    QueueBench() {
        db::Session session{database.options()};
        db::migrate(session, {{"core", db::core_migrations()}});
        spec.name = "probe.out";
        spec.jitter = 0;
        spec.schedule = [this](Services&) { return schedule; };
    }

    TestDatabase database;
    RealClock clock;
    RealRandom random;
    KeptLog log;
    outbox::Catalog catalog;
    db::Pool pool{database.options(), 16};
    outbox::OutboxDatabase transactions{pool, catalog, {}, log, "test", {}};
    FakeServices services;
    Receiver receiver;
    std::vector<std::chrono::seconds> schedule{ladder.begin(), ladder.end()};
    DeliveryQueueSpec spec;
    delivery::StoredQueue queue{"probe.out"};

    [[nodiscard]] std::unique_ptr<delivery::QueueRunner> runner() {
        return runner(receiver, queue);
    }
    [[nodiscard]] std::unique_ptr<delivery::QueueRunner> runner(DeliveryHandler& handler,
                                                                delivery::StoredQueue& of) {
        return std::make_unique<delivery::QueueRunner>(
            delivery::QueueSetup{
                .spec = spec, .services = &services, .queue = &of, .handler = &handler},
            delivery::RunnerParts{pool, transactions, clock, random, log});
    }

    void enqueue(const std::string& lane, int count = 1, const std::string& payload = "{}") {
        transactions.transact([&](Transaction& tx) {
            const std::vector<NewDelivery> many(static_cast<std::size_t>(count),
                                                {.lane = lane, .payload = payload});
            CHECK(queue.enqueue(tx, many) == count);
        });
    }

    /// Claims and attempts until nothing is due; how many attempts.
    static int settle(delivery::QueueRunner& runner) {
        int attempts = 0;
        while (runner.claim() > 0) {
            while (runner.perform_one()) ++attempts;
        }
        return attempts;
    }

    /// As if `time` had passed: every time that a row holds lies so much further back.
    void pass(std::chrono::milliseconds time) {
        static constexpr Sql shift = R"sql(
            UPDATE radd.deliveries
               SET next_attempt_at = next_attempt_at - $1::bigint * interval '1 millisecond',
                   claimed_until = claimed_until - $1::bigint * interval '1 millisecond',
                   last_attempt_at = last_attempt_at - $1::bigint * interval '1 millisecond',
                   created_at = created_at - $1::bigint * interval '1 millisecond',
                   finished_at = finished_at - $1::bigint * interval '1 millisecond')sql";
        database.session().query(shift, time.count());
    }

    /// From the last result to the next attempt, exactly.
    [[nodiscard]] std::string wait() {
        return database.value(
            "SELECT extract(epoch FROM next_attempt_at - last_attempt_at)::float8 FROM "
            "radd.deliveries ORDER BY id LIMIT 1");
    }
    [[nodiscard]] std::string state(const std::string& which = "true") {
        return database.value("SELECT state || ' after ' || attempts FROM radd.deliveries WHERE " +
                              which + " ORDER BY id LIMIT 1");
    }
    [[nodiscard]] int number(const std::string& which) {
        return std::stoi(database.value("SELECT count(*) FROM radd.deliveries WHERE " + which));
    }
};

}  // namespace radd::testing
