// `radd serve` with every plugin that ships: what it takes while nothing happens, and while much
// has happened.

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include <signal.h>
#include <tests/bench/figures.hpp>
#include <tests/bench/raw.hpp>
#include <tests/bench/report.hpp>
#include <tests/bench/serving.hpp>
#include <tests/bench/statement_log.hpp>
#include <tests/support/process.hpp>
#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

namespace radd::bench {
namespace {

using namespace radd::testing;
using namespace std::chrono_literals;

void append(TestDatabase& database, int rows, int bytes) {
    database.execute(
        "INSERT INTO radd.events (event_type, entity_type, entity_id, payload) "
        "SELECT 'probe.happened', 'note', i, jsonb_build_object('text', repeat('x', " +
        std::to_string(bytes) + ")) FROM generate_series(1, " + std::to_string(rows) + ") i");
}

void wait_until_settled(const Installation& installation) {
    if (!eventually([&] { return installation.is_settled(); }, 60s))
        throw std::runtime_error{"the backlog is not drained within a minute"};
}

}  // namespace

void measure_host(Report& report) {
    TestDatabase database;
    Installation installation{database};
    ship_all(installation);
    StatementLog log{database};
    const auto host = installation.serve();
    let_pass(3s);
    std::vector<double> per_second;
    (void)log.take();
    for (int round = 0; round < rounds; ++round) {
        const auto start = std::chrono::steady_clock::now();
        let_pass(1s);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        per_second.push_back(log.take() / took.count());
    }
    report.value("statements/s of an idle `radd serve`", per_second, "<= 25");
    report.value("RSS of an idle `radd serve`, MiB (once)", {memory_mib(*host, "VmRSS")}, "<= 64");

    // Small ones, so that many ids fit a statement; then large ones in all of them.
    append(database, 50'000, 200);
    append(database, 1'500, 200 * 1024);
    append(database, 20'000, 200);
    wait_until_settled(installation);
    report.value("peak RSS, 1 500 of 200 KiB at the head, MiB (once)",
                 {memory_mib(*host, "VmHWM")},
                 "<= 256");
    installation.must({"consumers", "seek", "csat.sender", "beginning", "--yes"});
    wait_until_settled(installation);
    report.value(
        "peak RSS, the same and more drained, MiB (once)", {memory_mib(*host, "VmHWM")}, "<= 256");
    host->signal(SIGTERM);
    (void)host->wait();
}

}  // namespace radd::bench
