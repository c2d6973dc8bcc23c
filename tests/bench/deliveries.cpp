// How many deliveries a second one queue makes to a receiver on this machine.

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include <host/db/migrate.hpp>
#include <host/delivery/outbound.hpp>
#include <host/delivery/queue_runner.hpp>
#include <host/outbox/transaction.hpp>
#include <radd/testing/services.hpp>
#include <tests/bench/figures.hpp>
#include <tests/bench/report.hpp>
#include <tests/bench/running.hpp>
#include <tests/support/http_receiver.hpp>
#include <tests/support/test_database.hpp>
#include <tests/support/wait.hpp>

namespace radd::bench {
namespace {

using namespace radd::testing;
using namespace std::chrono_literals;

constexpr int deliveries = 2000;
constexpr int lanes = 4;

class Caller final : public DeliveryHandler {
public:
    Caller(HttpClient& client, std::string url) : client_{client}, url_{std::move(url)} {}
    AttemptResult attempt(const Delivery& delivery) override {
        const auto answer = client_.call({.url = url_, .body = delivery.payload_text});
        return answer.status == 204 ? AttemptResult::delivered() : AttemptResult::failed("no 204");
    }

private:
    HttpClient& client_;
    std::string url_;
};

}  // namespace

void measure_deliveries(Report& report) {
    TestDatabase database;
    db::migrate(database.session(), {{"core", db::core_migrations()}});
    db::Pool pool{database.options(), 16};
    LogBook log;
    SteadyClock clock;
    AnyRandom random;
    outbox::Catalog catalog;
    outbox::OutboxDatabase transactions{pool, catalog, {}, log, "bench", {}};
    HttpReceiver receiver;
    delivery::OutboundClient client{{"127.0.0.0/8"}, "radd_bench"};
    Caller caller{client, receiver.url()};
    FakeServices services;
    std::vector<double> per_second;
    for (int round = 0; round < rounds; ++round) {
        delivery::StoredQueue queue{"bench.out"};
        delivery::QueueRunner runner{
            {.spec = {.name = "bench.out",
                      .schedule = [](Services&) { return std::vector<std::chrono::seconds>{}; },
                      .concurrency = 32,
                      .lane_concurrency = 8,
                      .make = {}},
             .services = &services,
             .queue = &queue,
             .handler = &caller},
            {pool, transactions, clock, random, log}};
        database.execute("TRUNCATE radd.deliveries");
        transactions.transact([&](Transaction& tx) {
            std::vector<NewDelivery> rows;
            for (int i = 0; i < deliveries; ++i)
                rows.push_back({.lane = std::to_string(i % lanes), .payload = json{{"n", i}}});
            queue.enqueue(tx, rows);
        });
        const auto start = std::chrono::steady_clock::now();
        runner.start();
        if (!eventually([&] { return runner.totals().delivered == deliveries; }, 60s))
            throw std::runtime_error{"the queue is not empty within a minute"};
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        per_second.push_back(deliveries / took.count());
        runner.request_stop();
        static_cast<void>(runner.stop(std::chrono::steady_clock::now() + 10s));
    }
    report.value("deliveries/s to a receiver on loopback", per_second, ">= 500");
}

}  // namespace radd::bench
