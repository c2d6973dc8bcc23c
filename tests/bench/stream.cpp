// At the head: what many consumers cost, how soon they see an event, what they need while idle.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <tests/bench/cluster_cpu.hpp>
#include <tests/bench/figures.hpp>
#include <tests/bench/latencies.hpp>
#include <tests/bench/raw.hpp>
#include <tests/bench/report.hpp>
#include <tests/bench/require_soon.hpp>
#include <tests/bench/running.hpp>
#include <tests/bench/statement_log.hpp>

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

/// Appends one event every 5 ms for `time`.
void append_steadily(Raw& raw, std::chrono::milliseconds time) {
    const auto start = now();
    for (auto due = start; due < start + time; due += 5ms) {
        let_pass(due - now());
        raw.emit_alone();
    }
}

/// Of one second.
struct Costs {
    double statements;
    double cpu_ms;
};

/// A second at the head with 200 events, seen by `count` consumers.
Costs costs_at_head(OutboxBench& bench, StatementLog& log, ClusterCpu& cpu, int count) {
    Raw raw{bench.database.url()};
    const Running running{bench, alike("fan_" + std::to_string(count), count)};
    append_steadily(raw, 1s);
    (void)log.take();
    (void)cpu.take();
    append_steadily(raw, 2s);
    return {.statements = log.take() / 2.0, .cpu_ms = cpu.take() * 1000 / 2};
}

/// Deliveries per second of `count` consumers to whom the tail hands everything.
double rate_from_buffer(OutboxBench& bench, int count) {
    constexpr int rows = 40'000;
    bench.database.execute("SELECT radd.settle()");
    std::atomic<bool> open{false};
    std::atomic<int> waiting{0};
    const std::int64_t before = std::stoll(bench.database.value("SELECT radd.head()"));
    const auto look = [&](const Event& event) {
        if (event.id != before + 1) return;
        ++waiting;
        while (!open) let_pass(100us);
    };
    Running running{bench, alike("rate_" + std::to_string(count), count, look)};
    // Nobody waits on if this ends in a throw.
    struct Opening {
        std::atomic<bool>& flag;
        ~Opening() { flag = true; }
    };
    const Opening opening{open};
    require_soon("consumers at the head", [&] { return running.seen() == before * count; });
    append(bench, rows, "{}");
    require_soon("consumers that wait and a full buffer",
                 [&] { return waiting == count && running.tail().position() == before + rows; });
    const auto start = now();
    open = true;
    while (running.seen() < (before + rows) * count) let_pass(200us);
    return static_cast<double>(rows) * count / seconds_since(start);
}

/// The same by hand: a connection that asks for rows after its last one, every millisecond.
class Poller {
public:
    explicit Poller(const std::string& url, Latencies& latencies, std::size_t place)
        : raw_{url}, thread_{[this, &latencies, place] {
              while (!is_stopping_) {
                  const auto rows = raw_.rows_after(cursor_);
                  for (const auto& [id, number] : rows) latencies.saw(place, number);
                  if (!rows.empty()) cursor_ = rows.back().first;
                  seen_ += rows.size();
                  let_pass(1ms);
              }
          }} {}
    ~Poller() {
        is_stopping_ = true;
        thread_.join();
    }
    Poller(const Poller&) = delete;
    Poller& operator=(const Poller&) = delete;

    [[nodiscard]] std::size_t seen() const noexcept { return seen_; }

private:
    Raw raw_;
    std::int64_t cursor_ = 0;
    std::atomic<std::size_t> seen_{0};
    std::atomic<bool> is_stopping_{false};
    std::thread thread_;
};

void measure_latency_at(Report& report, int per_second, bool is_durable) {
    std::vector<double> p50, p99, max, reached, raw_p50, raw_p99;
    for (int round = 0; round < rounds; ++round) {
        OutboxBench bench;
        Raw raw{bench.database.url()};
        if (!is_durable) raw.run("SET synchronous_commit = off");
        Latencies latencies{2, static_cast<std::size_t>(per_second) * 3};
        {
            const Running running{bench, alike("soon", 1, latencies.look(0))};
            const Poller poller{bench.database.url(), latencies, 1};
            const auto end = now() + 2s;
            latencies.append(raw, 1'000'000us / per_second, [&] { return now() < end; });
            const auto all = static_cast<std::int64_t>(latencies.appended());
            require_soon("every event handled and polled", [&] {
                return running.seen() == all && poller.seen() == latencies.appended();
            });
        }
        p50.push_back(quantile(latencies.ms(0), 0.5));
        p99.push_back(quantile(latencies.ms(0), 0.99));
        max.push_back(quantile(latencies.ms(0), 1));
        raw_p50.push_back(quantile(latencies.ms(1), 0.5));
        raw_p99.push_back(quantile(latencies.ms(1), 0.99));
        reached.push_back(latencies.rate());
    }
    const std::string what = "commit to handler at " + std::to_string(per_second) + " events/s";
    const bool is_promised = per_second <= 200;
    report.value(what + ", p50, ms", p50, is_promised ? "<= 2" : "");
    report.value(what + ", p99, ms", p99, is_promised ? "<= 5" : "");
    report.value(what + ", max, ms", max, "");
    report.ratio(what + ", p50, to a raw reader that polls every ms", raw_p50, p50, "");
    report.ratio(what + ", p99, to the same", raw_p99, p99, "");
    report.value(what + ": what the writer reached", reached, "");
}

}  // namespace

void measure_fan_out(Report& report) {
    constexpr std::array counts{1, 10, 50};
    std::array<std::vector<double>, counts.size()> statements, cpu, rates;
    for (int round = 0; round < rounds; ++round) {
        OutboxBench bench;
        ClusterCpu cluster{bench.database};
        {
            StatementLog log{bench.database};
            for (std::size_t i = 0; i < counts.size(); ++i) {
                const Costs costs = costs_at_head(bench, log, cluster, counts.at(i));
                statements.at(i).push_back(costs.statements);
                cpu.at(i).push_back(costs.cpu_ms);
            }
        }
        bench.database.execute("ALTER DATABASE " + bench.database.name() + " RESET log_statement");
        for (std::size_t i = 0; i < counts.size(); ++i)
            rates.at(i).push_back(rate_from_buffer(bench, counts.at(i)));
    }
    for (std::size_t i = 1; i < counts.size(); ++i) {
        const std::string count = std::to_string(counts.at(i));
        report.ratio("statements/s of " + count + " consumers at the head, of one",
                     statements.front(),
                     statements.at(i),
                     "<= 1.2");
        report.ratio("ms of database CPU a second for " + count + " at the head, for one",
                     cpu.front(),
                     cpu.at(i),
                     "<= 1.2");
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
        report.value("deliveries/s of " + std::to_string(counts.at(i)) + " from the shared buffer",
                     rates.at(i),
                     counts.at(i) == 10 ? ">= 1000000" : "");
    }
}

void measure_latency(Report& report) {
    measure_latency_at(report, 200, true);
    // Faster than one connection can wait for this disk.
    measure_latency_at(report, 2000, false);
}

void measure_idle(Report& report) {
    std::vector<double> per_second;
    OutboxBench bench;
    StatementLog log{bench.database};
    const Running running{bench, alike("idle", 20)};
    let_pass(3s);
    (void)log.take();
    for (int round = 0; round < rounds; ++round) {
        const auto start = now();
        let_pass(1s);
        per_second.push_back(log.take() / seconds_since(start));
    }
    report.value("statements/s of 20 idle consumers, tail and keeper", per_second, "<= 25");
}

void measure_memory(Report& report) {
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
    const Running running{bench, alike("heavy", many)};
    const bool is_done =
        eventually([&] { return running.seen() == std::int64_t{small + large} * many; }, 120s);
    if (!is_done) throw std::runtime_error{"the heavy backlog is not drained"};
    report.value("growth of 20 consumers draining 200 KiB each, MiB (once)",
                 {memory("VmHWM") - before},
                 "<= 192");
}

}  // namespace radd::bench
