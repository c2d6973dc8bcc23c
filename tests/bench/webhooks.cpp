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

constexpr int requests = 2000;  ///< A round, to however many endpoints.

/// Requests per second, when each event brings one to each of the endpoints.
double rate(TestDatabase& database, std::atomic<int>& came, int endpoints) {
    came = 0;
    database.execute(
        "INSERT INTO radd.events (event_type, entity_type, entity_id, payload) "
        "SELECT 'probe.happened', 'note', i, '{\"n\": 1}' FROM generate_series(1, " +
        std::to_string(requests / endpoints) + ") i");
    const auto start = std::chrono::steady_clock::now();
    if (!eventually([&] { return came >= requests; }, 60s))
        throw std::runtime_error{"not every webhook has come within a minute"};
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    return requests / took.count();
}

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
    int endpoints = 0;
    for (const int wanted : {1, 4}) {
        for (; endpoints < wanted; ++endpoints) {
            installation.must(
                {"webhooks", "add", "to " + std::to_string(endpoints), receiver.url(), "probe.*"});
        }
        std::vector<double> per_second;
        for (int round = 0; round < rounds; ++round)
            per_second.push_back(rate(database, came, wanted));
        report.value(
            "webhooks/s of `radd serve` to " + std::to_string(wanted) +
                (wanted == 1 ? " endpoint, from the commit on" : " endpoints, from the commit on"),
            per_second,
            ">= 500");
    }
    host->signal(SIGTERM);
    (void)host->wait();
}

}  // namespace radd::bench
