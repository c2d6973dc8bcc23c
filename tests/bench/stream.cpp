// From the commit to the handler: one consumer far behind, many at the head, and how soon.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <tests/bench/figures.hpp>
#include <tests/bench/raw.hpp>
#include <tests/bench/running.hpp>
#include <tests/bench/statement_log.hpp>
#include <tests/bench/table.hpp>

namespace radd::bench {
namespace {

using namespace radd::testing;
using namespace std::chrono_literals;
using SteadyClockTime = std::chrono::steady_clock::time_point;

SteadyClockTime now() {
    return std::chrono::steady_clock::now();
}

double seconds_since(SteadyClockTime start) {
    return std::chrono::duration<double>{now() - start}.count();
}

/// A field of our own /proc status, in MiB.
double memory(const std::string& field) {
    std::ifstream status{"/proc/self/status"};
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(field + ":")) return std::stod(line.substr(field.size() + 1)) / 1024;
    }
    return 0;
}

void append(OutboxBench& bench, int rows, const std::string& json) {
    bench.database.execute(
        "INSERT INTO radd.events (event_type, entity_type, entity_id, payload) "
        "SELECT 'probe.happened', 'note', i, '" +
        json + "' FROM generate_series(1, " + std::to_string(rows) + ") i");
}

/// Appends one event every 5 ms for `time`; calls `committed` after each commit.
template <typename Committed>
void append_steadily(Raw& raw, std::chrono::milliseconds time, Committed committed) {
    const auto start = now();
    for (auto due = start; due < start + time; due += 5ms) {
        let_pass(due - now());
        raw.emit_alone();
        committed(now());
    }
}

}  // namespace

void compare_drain() {
    constexpr int rows = 100'000;
    OutboxBench bench;
    append(bench, rows, payload);
    bench.database.execute("VACUUM ANALYZE radd.events");
    bench.database.execute("SELECT radd.settle()");
    Raw raw{bench.database.url()};
    raw.drain();
    std::vector<double> by_raw, by_consumer;
    for (int round = 0; round < rounds; ++round) {
        auto start = now();
        by_raw.push_back(static_cast<double>(raw.drain()) / seconds_since(start));

        // From its first event to its last: acquiring the lease is no part of reading.
        std::atomic<SteadyClockTime::rep> first{0};
        std::atomic<bool> done{false};
        const auto look = [&](std::int64_t id) {
            if (id == 1) first = now().time_since_epoch().count();
            if (id == rows) done = true;
        };
        const Running running{bench, "drain_" + std::to_string(round), 1, look};
        while (!done) let_pass(200us);
        start = SteadyClockTime{SteadyClockTime::duration{first.load()}};
        by_consumer.push_back(rows / seconds_since(start));
    }
    print_ratio("drain of a backlog by one no-op consumer, rows/s", by_raw, by_consumer, ">= 0.8");
}

void measure_fan_out() {
    constexpr int rows = 40'000;
    constexpr int many = 10;
    std::vector<double> of_one, of_many, rates;
    for (int round = 0; round < rounds; ++round) {
        OutboxBench bench;
        Raw raw{bench.database.url()};
        StatementLog log{bench.database};
        for (const int count : {1, many}) {
            const Running running{bench, "fan_" + std::to_string(count), count};
            append_steadily(raw, 1s, [](auto) {});
            (void)log.take();
            append_steadily(raw, 1s, [](auto) {});
            (count == 1 ? of_one : of_many).push_back(log.take());
        }
        bench.database.execute("ALTER DATABASE " + bench.database.name() +
                               " RESET log_statement; SELECT radd.settle()");
        std::atomic<bool> open{false};
        std::atomic<int> waiting{0};
        const std::int64_t before = std::stoll(bench.database.value("SELECT radd.head()"));
        const auto look = [&](std::int64_t id) {
            if (id != before + 1) return;
            ++waiting;
            while (!open) let_pass(100us);
        };
        Running running{bench, "rate", many, look};
        (void)eventually([&] { return running.seen() == before * many; });
        append(bench, rows, "{}");
        (void)eventually(
            [&] { return waiting == many && running.tail().position() == before + rows; });
        const auto start = now();
        open = true;
        while (running.seen() < (before + rows) * many) let_pass(200us);
        rates.push_back(static_cast<double>(rows) * many / seconds_since(start));
    }
    print_ratio("statements/s of ten consumers at the head, of one", of_one, of_many, "<= 1.2");
    print_value("deliveries/s of ten from the shared buffer", rates, ">= 1000000");
}

void measure_latency() {
    std::vector<double> p50, p99;
    for (int round = 0; round < rounds; ++round) {
        OutboxBench bench;
        std::vector<SteadyClockTime> handled(1000), committed;
        Raw raw{bench.database.url()};
        std::vector<double> ms;
        {
            const auto look = [&](std::int64_t id) {
                handled.at(static_cast<std::size_t>(id)) = now();
            };
            const Running running{bench, "soon", 1, look};
            append_steadily(raw, 2s, [&](SteadyClockTime at) { committed.push_back(at); });
            const auto all = static_cast<std::int64_t>(committed.size());
            (void)eventually([&] { return running.seen() == all; });
        }
        // The first ones find a tail that has backed off, which is another question.
        for (std::size_t i = 20; i < committed.size(); ++i) {
            const std::chrono::duration<double, std::milli> took = handled[i + 1] - committed[i];
            ms.push_back(std::max(0.0, took.count()));
        }
        p50.push_back(quantile(ms, 0.5));
        p99.push_back(quantile(ms, 0.99));
    }
    print_value("commit to handler at 200 events/s, p50, ms", p50, "<= 2");
    print_value("commit to handler at 200 events/s, p99, ms", p99, "<= 5");
}

void measure_idle() {
    std::vector<double> per_second;
    OutboxBench bench;
    StatementLog log{bench.database};
    const Running running{bench, "idle", 20};
    let_pass(3s);
    (void)log.take();
    for (int round = 0; round < rounds; ++round) {
        const auto start = now();
        let_pass(1s);
        per_second.push_back(log.take() / seconds_since(start));
    }
    print_value("statements/s of 20 idle consumers, tail and keeper", per_second, "<= 25");
}

void measure_memory() {
    constexpr int small = 20'000;
    constexpr int large = 500;
    constexpr int many = 20;
    OutboxBench bench;
    append(bench, small, "{}");
    append(bench, large, R"({"text":")" + std::string(200 * 1024, 'x') + R"("})");
    bench.database.execute("SELECT radd.settle()");
    // What was the peak before is none of this; 5 resets it.
    std::ofstream{"/proc/self/clear_refs"} << "5";
    const double before = memory("VmRSS");
    const Running running{bench, "heavy", many};
    const bool is_done =
        eventually([&] { return running.seen() == std::int64_t{small + large} * many; }, 120s);
    if (!is_done) throw std::runtime_error{"the heavy backlog is not drained"};
    print_value("growth of 20 consumers draining 200 KiB each, MiB (once)",
                {memory("VmHWM") - before},
                "<= 192");
}

}  // namespace radd::bench
