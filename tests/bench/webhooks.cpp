// From an event to a receiver through `radd serve`: fanned out, queued, signed and sent.

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include <signal.h>
#include <tests/bench/figures.hpp>
#include <tests/bench/serving.hpp>
#include <tests/support/http_receiver.hpp>
#include <tests/support/wait.hpp>

namespace radd::bench {
namespace {

using namespace radd::testing;
using namespace std::chrono_literals;

constexpr int events = 2000;

}  // namespace

void measure_webhooks(Report& report) {
    TestDatabase database;
    Installation installation{database};
    ship_all(installation);
    std::atomic<int> came{0};
    HttpReceiver receiver{[&](const Received&) {
        ++came;
        return HttpReceiver::answer_of(204);
    }};
    const auto host = installation.serve();
    installation.must({"webhooks", "add", "one", receiver.url(), "probe.*"});
    std::vector<double> per_second;
    for (int round = 0; round < rounds; ++round) {
        came = 0;
        database.execute(
            "INSERT INTO radd.events (event_type, entity_type, entity_id, payload) "
            "SELECT 'probe.happened', 'note', i, '{\"n\": 1}' FROM generate_series(1, " +
            std::to_string(events) + ") i");
        const auto start = std::chrono::steady_clock::now();
        if (!eventually([&] { return came >= events; }, 60s))
            throw std::runtime_error{"not every webhook has come within a minute"};
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        per_second.push_back(events / took.count());
    }
    report.value(
        "webhooks/s of `radd serve` to one endpoint, from the commit on", per_second, ">= 500");
    host->signal(SIGTERM);
    (void)host->wait();
}

}  // namespace radd::bench
