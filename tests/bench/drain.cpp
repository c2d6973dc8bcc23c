// A backlog: one consumer that has nothing else to do, one that has nine others at the head beside
// it, and one that writes a row for each event.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <tests/bench/figures.hpp>
#include <tests/bench/latencies.hpp>
#include <tests/bench/raw.hpp>
#include <tests/bench/require_soon.hpp>
#include <tests/bench/running.hpp>

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

void append_backlog(OutboxBench& bench, int rows) {
    bench.database.execute(
        "INSERT INTO radd.events (event_type, entity_type, entity_id, payload) "
        "SELECT 'probe.happened', 'note', i, '" +
        payload + "' FROM generate_series(1, " + std::to_string(rows) + ") i");
    bench.database.execute("VACUUM ANALYZE radd.events");
    bench.database.execute("SELECT radd.settle()");
}

/// From the first event of a backlog to its last: acquiring the lease is no part of reading.
class Span {
public:
    explicit Span(std::int64_t last) : last_{last} {}

    [[nodiscard]] Look look() {
        return [this](const Event& event) {
            if (event.id == 1) first_at_ = now();
            if (event.id != last_) return;
            took_ = seconds_since(first_at_);
            is_over_ = true;
        };
    }
    [[nodiscard]] bool is_over() const noexcept { return is_over_; }
    [[nodiscard]] double rate() const { return static_cast<double>(last_) / took_; }

private:
    std::int64_t last_;
    SteadyClockTime first_at_{};
    double took_ = 0;
    std::atomic<bool> is_over_{false};
};

double timed_drain(Raw& raw) {
    const auto start = now();
    const auto rows = static_cast<double>(raw.drain());
    return rows / seconds_since(start);
}

/// Writes one row for each event, as an index or a table of deliveries does.
class Writer final : public ProjectionConsumer {
public:
    explicit Writer(Look look) : look_{std::move(look)} {}
    void project(Transaction& tx, const Event& event) override {
        constexpr Sql insert = "INSERT INTO things (id, title) VALUES ($1, $2)";
        tx.query(insert, event.id, event.entity_id);
        look_(event);
    }

private:
    Look look_;
};

/// The same by hand, a hundred events in a transaction with the cursor, as the runner does.
double timed_projection(OutboxBench& bench, int rows, bool with_savepoints) {
    constexpr int batch = 100;
    bench.database.execute("TRUNCATE things");
    Raw raw{bench.database.url()};
    raw.prepare("row", "INSERT INTO things (id, title) VALUES ($1, $2)");
    raw.prepare("cursor", "UPDATE radd.stream SET settled = settled");
    const auto start = now();
    raw.run("BEGIN");
    for (int id = 1; id <= rows; ++id) {
        const std::string text = std::to_string(id);
        if (with_savepoints) raw.run("SAVEPOINT one");
        raw.execute("row", {text.c_str(), text.c_str()});
        if (with_savepoints) raw.run("RELEASE SAVEPOINT one");
        if (id % batch != 0) continue;
        raw.execute("cursor", {});
        raw.run("COMMIT");
        if (id < rows) raw.run("BEGIN");
    }
    return rows / seconds_since(start);
}

double timed_writer(OutboxBench& bench, int rows, const std::string& name) {
    bench.database.execute("TRUNCATE things");
    Span span{rows};
    Writer writer{span.look()};
    const auto tail = bench.started_tail();
    AnyRandom random;
    consumers::Workers workers{
        {bench.pool, *tail, bench.catalog, {}, bench.clock, random, bench.log},
        {},
        {{.declaration = {.name = "probe." + name,
                          .plugin = "probe",
                          .plugin_version = "1.0.0",
                          .first_start = FirstStart::beginning},
          .consumer = &writer}},
        {}};
    workers.start();
    require_soon(
        "a backlog written through", [&] { return span.is_over(); }, 60s);
    workers.stop(5s);
    tail->stop();
    return span.rate();
}

}  // namespace

void compare_drain(Report& report) {
    constexpr int rows = 100'000;
    OutboxBench bench;
    append_backlog(bench, rows);
    Raw raw{bench.database.url()};
    raw.drain();
    std::vector<double> by_raw, by_consumer;
    for (int round = 0; round < rounds; ++round) {
        by_raw.push_back(timed_drain(raw));
        Span span{rows};
        const Running running{bench, alike("drain_" + std::to_string(round), 1, span.look())};
        while (!span.is_over()) let_pass(200us);
        by_consumer.push_back(span.rate());
    }
    report.ratio("drain of a backlog by one no-op consumer, rows/s", by_raw, by_consumer, ">= 0.8");
}

void measure_catch_up(Report& report) {
    constexpr int rows = 300'000;
    constexpr std::size_t at_head = 9;
    constexpr std::size_t live_max = 20'000;
    std::vector<double> by_raw, by_consumer, p50, p99;
    OutboxBench bench;
    append_backlog(bench, rows);
    Raw reader{bench.database.url()};
    reader.drain();
    for (int round = 0; round < rounds; ++round) {
        // What earlier rounds appended is as much a backlog; the far one ends where all began.
        by_raw.push_back(timed_drain(reader));
        const auto before = std::stoll(bench.database.value("SELECT max(id) FROM radd.events"));
        const std::string tag = std::to_string(round);
        Latencies latencies{at_head, live_max};
        Span span{rows};
        Raw writer{bench.database.url()};
        {
            std::vector<Reader> readers{{.name = "far_" + tag, .look = span.look()}};
            for (std::size_t i = 0; i < at_head; ++i) {
                readers.push_back({.name = "near_" + tag + "_" + std::to_string(i),
                                   .first_start = FirstStart::head,
                                   .look = latencies.look(i, before)});
            }
            const Running running{bench, readers};
            latencies.append(writer, 5ms, [&] { return !span.is_over(); });
            const auto near = static_cast<std::int64_t>(latencies.appended() * at_head);
            const auto far = before + static_cast<std::int64_t>(latencies.appended());
            require_soon(
                "all caught up", [&] { return running.seen() >= near + far; }, 60s);
        }
        by_consumer.push_back(span.rate());
        p50.push_back(quantile(latencies.ms(), 0.5));
        p99.push_back(quantile(latencies.ms(), 0.99));
    }
    report.ratio(
        "catch-up from far behind, nine others at the head, rows/s", by_raw, by_consumer, ">= 0.8");
    report.value("commit to handler of the nine meanwhile, 200 events/s, p50, ms", p50, "");
    report.value("commit to handler of the nine meanwhile, p99, ms", p99, "");
}

void compare_projection(Report& report) {
    constexpr int rows = 10'000;
    OutboxBench bench;
    append_backlog(bench, rows);
    std::vector<double> bare, guarded, ours;
    for (int round = 0; round < rounds; ++round) {
        bare.push_back(timed_projection(bench, rows, false));
        guarded.push_back(timed_projection(bench, rows, true));
        ours.push_back(timed_writer(bench, rows, "writer_" + std::to_string(round)));
    }
    report.ratio("projection, one INSERT for an event, events/s; to a savepoint each by hand",
                 guarded,
                 ours,
                 ">= 0.8");
    report.ratio("projection, the same to an INSERT alone by hand", bare, ours, "");
}

}  // namespace radd::bench
