// A host with one queue, to be killed: deliveries_worker URL RECEIVER CONCURRENCY [give_back].
// Sends each payload to RECEIVER as it is, and writes who was told of a result into `told`, in the
// transaction that records it. Ends on SIGTERM; with `give_back`, once it has given back what it
// has claimed and not begun.

#include <csignal>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <host/delivery/outbound.hpp>
#include <host/delivery/queue_runner.hpp>
#include <host/outbox/catalog.hpp>
#include <host/outbox/transaction.hpp>
#include <host/system.hpp>
#include <radd/testing/services.hpp>

using namespace std::chrono_literals;
using namespace radd;

namespace {

constexpr Sql insert_told = "INSERT INTO told (delivery_id, attempt) VALUES ($1, $2)";

class Lines final : public Log {
public:
    void write(LogLevel level, std::string_view message) noexcept override {
        if (level < LogLevel::warn) return;
        std::cerr << std::string{message} + "\n";
    }
};

class Caller final : public DeliveryHandler {
public:
    Caller(HttpClient& client, std::string url) : client_{client}, url_{std::move(url)} {}
    AttemptResult attempt(const Delivery& delivery) override {
        const auto answer = client_.call({.url = url_, .body = delivery.payload_text});
        return answer.status == 204 ? AttemptResult::delivered() : AttemptResult::failed("no 204");
    }
    void settled(Transaction& tx, const Delivery& delivery, const Settled&) override {
        tx.execute(insert_told, delivery.id, std::int64_t{delivery.attempt});
    }

private:
    HttpClient& client_;
    std::string url_;
};

DeliveryQueueSpec spec(int concurrency) {
    return {.name = "probe.out",
            .schedule = [](Services&) { return std::vector<std::chrono::seconds>(3, 1s); },
            .jitter = 0,
            .concurrency = concurrency,
            .make = {}};
}

void wait_for_the_end() {
    sigset_t term;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    int received = 0;
    sigwait(&term, &received);
}

int run(const std::string& url, const std::string& receiver, int concurrency, bool gives_back) {
    Lines log;
    host::SystemClock clock;
    host::SystemRandom random;
    const outbox::Catalog catalog;
    db::Pool pool{{.url = url, .application_name = "deliveries_worker"}, 8};
    outbox::OutboxDatabase transactions{pool, catalog, {}, log, "probe", {}};
    delivery::OutboundClient client{{"127.0.0.0/8"}, "deliveries_worker"};
    Caller caller{client, receiver};
    testing::FakeServices services;
    delivery::StoredQueue queue{"probe.out"};
    delivery::QueueRunner runner{
        {.spec = spec(concurrency), .services = &services, .queue = &queue, .handler = &caller},
        {pool, transactions, clock, random, log}};
    if (gives_back) {
        runner.claim();
    } else {
        runner.start();
        wait_for_the_end();
    }
    runner.request_stop();
    return runner.stop(clock.steady_now() + 20s) == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    // Before any thread begins, so that all inherit it and only sigwait() takes the signal.
    sigset_t term;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &term, nullptr);
    const bool gives_back = argc == 5 && std::string_view{argv[4]} == "give_back";
    if (argc != 4 && !gives_back) {
        std::cerr << "usage: deliveries_worker URL RECEIVER CONCURRENCY [give_back]\n";
        return 2;
    }
    try {
        return run(argv[1], argv[2], std::stoi(argv[3]), gives_back);
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
