// What the outbox costs: emit and drain, against raw libpq doing the same in the same run.
//
//     RADD_TEST_CLUSTER=<folder of tools/test-cluster> emit_drain [seconds per cell]
//
// Absolute figures depend on the machine and mean nothing; the ratios are what is promised. Each
// is the median of 5 rounds, and within a round both sides take turns, so that a slow phase of the
// machine hits both.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <libpq-fe.h>
#include <tests/pg/outbox_bench.hpp>

namespace {

using namespace radd;
using namespace radd::testing;

constexpr int rounds = 5;
constexpr int drained_rows = 100'000;
constexpr int batch_rows = 1000;
const std::string payload =
    R"({"score":5,"note":")" + std::string(220, 'x') + R"(","key":"OPS-12","n":12})";

/// The other side: libpq with prepared statements and nothing around it.
class Raw {
public:
    explicit Raw(const std::string& url) : connection_{PQconnectdb(url.c_str()), &PQfinish} {
        prepare("one", insert_of(1));
        prepare("many", insert_of(100));
        prepare("read",
                "SELECT id, event_type, entity_type, entity_id, actor_id, payload, changes, "
                "project_id, silent, automated_cause, traceparent, occurred_at, recorded_at "
                "FROM radd.events WHERE id > $1 ORDER BY id LIMIT $2");
    }

    void emit(int rows) {
        const std::string id = std::to_string(++emitted_);
        run("BEGIN");
        std::vector<const char*> params;
        for (int i = 0; i < rows; ++i)
            params.insert(params.end(), {"probe.happened", "note", id.c_str(), payload.c_str()});
        execute(rows == 1 ? "one" : "many", params);
        run("COMMIT");
    }

    /// Reads everything and looks at each row's id and payload.
    std::size_t drain() {
        run("SET enable_bitmapscan = off; SET enable_sort = off");
        std::string cursor = "0";
        std::size_t seen = 0;
        const std::string limit = std::to_string(batch_rows);
        while (true) {
            const Result rows = execute("read", {cursor.c_str(), limit.c_str()});
            const int count = PQntuples(rows.get());
            if (count == 0) return seen;
            for (int i = 0; i < count; ++i)
                bytes_ += std::string{PQgetvalue(rows.get(), i, 5)}.size();
            cursor = PQgetvalue(rows.get(), count - 1, 0);
            seen += static_cast<std::size_t>(count);
        }
    }

private:
    using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

    static std::string insert_of(int rows) {
        std::string sql =
            "INSERT INTO radd.events (event_type, entity_type, entity_id, payload) VALUES ";
        for (int i = 0; i < rows; ++i) {
            sql += i == 0 ? "(" : ", (";
            for (int column = 1; column <= 4; ++column)
                sql.append(column == 1 ? "$" : ", $").append(std::to_string(i * 4 + column));
            sql += ")";
        }
        return sql;
    }
    Result checked(PGresult* result) const {
        Result owned{result, &PQclear};
        const auto status = PQresultStatus(result);
        if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
            throw std::runtime_error{PQerrorMessage(connection_.get())};
        return owned;
    }
    void prepare(const char* name, const std::string& sql) {
        checked(PQprepare(connection_.get(), name, sql.c_str(), 0, nullptr));
    }
    void run(const char* sql) { checked(PQexec(connection_.get(), sql)); }
    Result execute(const char* name, const std::vector<const char*>& params) {
        return checked(PQexecPrepared(connection_.get(),
                                      name,
                                      static_cast<int>(params.size()),
                                      params.data(),
                                      nullptr,
                                      nullptr,
                                      0));
    }

    std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
    int emitted_ = 0;
    std::size_t bytes_ = 0;
};

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

/// Calls per second of `work`, made by `threads` at once for `time`. Each makes its own.
double rate(int threads,
            std::chrono::milliseconds time,
            const std::function<std::function<void()>()>& make) {
    std::atomic<std::int64_t> calls{0};
    std::atomic<bool> done{false};
    std::atomic<int> ready{0};
    std::vector<std::thread> workers;
    for (int i = 0; i < threads; ++i) {
        workers.emplace_back([&] {
            const auto work = make();
            for (int warm = 0; warm < 3; ++warm) work();
            ++ready;
            while (ready < threads) std::this_thread::yield();
            while (!done) {
                work();
                ++calls;
            }
        });
    }
    while (ready < threads) std::this_thread::yield();
    const auto start = std::chrono::steady_clock::now();
    (void)eventually([&] { return std::chrono::steady_clock::now() - start >= time; },
                     time + std::chrono::seconds{1});
    const auto counted = calls.load();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    done = true;
    for (auto& worker : workers) worker.join();
    return static_cast<double>(counted) / took.count();
}

void print(const std::string& what,
           std::vector<double> raw,
           std::vector<double> ours,
           double goal) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < raw.size(); ++i) ratios.push_back(ours[i] / raw[i]);
    std::printf("%-44s %12.0f %12.0f %8.2f %8.2f\n",
                what.c_str(),
                median(std::move(raw)),
                median(std::move(ours)),
                median(std::move(ratios)),
                goal);
    std::fflush(stdout);
}

void compare_emit(OutboxBench& bench, int threads, int rows, std::chrono::milliseconds time) {
    const auto raw_work = [&]() -> std::function<void()> {
        return [raw = std::make_shared<Raw>(bench.database.url()), rows] { raw->emit(rows); };
    };
    const auto sdk_work = [&]() -> std::function<void()> {
        auto event = bench.note(1);
        event.payload = payload;
        return
            [&bench, rows, events = std::vector<NewEvent>(static_cast<std::size_t>(rows), event)] {
                bench.db.transact([&](Transaction& tx) {
                    for (const NewEvent& each : events) tx.emit(each);
                });
            };
    };
    // The same with a row of one's own beside the event: nothing can be saved on BEGIN and COMMIT.
    const auto mixed_work = [&]() -> std::function<void()> {
        auto event = bench.note(1);
        event.payload = payload;
        return [&bench, rows, event] {
            outbox::OutboxTransaction tx{bench.pool, bench.catalog, {}, bench.log, "bench"};
            for (int i = 0; i < rows; ++i) tx.emit(event);
            tx.flush_events();
            tx.commit();
        };
    };
    std::vector<double> raw, sdk, mixed;
    for (int round = 0; round < rounds; ++round) {
        raw.push_back(rate(threads, time, raw_work) * rows);
        sdk.push_back(rate(threads, time, sdk_work) * rows);
        mixed.push_back(rate(threads, time, mixed_work) * rows);
    }
    const std::string cell =
        std::to_string(rows) + " per tx, " + std::to_string(threads) + " connections";
    print("emit, " + cell, raw, sdk, rows == 1 ? 0.9 : 0.8);
    print("emit inside BEGIN … COMMIT, " + cell, raw, mixed, rows == 1 ? 0.9 : 0.8);
}

double per_second(std::size_t rows, std::chrono::steady_clock::time_point start) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    return static_cast<double>(rows) / took.count();
}

void compare_drain(OutboxBench& bench) {
    bench.database.execute(
        "INSERT INTO radd.events (event_type, entity_type, entity_id, payload) "
        "SELECT 'probe.happened', 'note', i, '" +
        payload + "' FROM generate_series(1, " + std::to_string(drained_rows) +
        ") i; ANALYZE radd.events; SELECT radd.settle()");
    auto tail = bench.started_tail();
    Raw raw{bench.database.url()};
    raw.drain();
    std::vector<double> by_raw, by_tail;
    for (int round = 0; round < rounds; ++round) {
        auto start = std::chrono::steady_clock::now();
        by_raw.push_back(per_second(raw.drain(), start));

        start = std::chrono::steady_clock::now();
        std::size_t seen = 0;
        for (std::int64_t cursor = 0; cursor < tail->position();) {
            const auto events = tail->read(bench.database.session(), cursor, batch_rows).events;
            if (events.empty()) break;
            cursor = events.back()->id;
            seen += events.size();
        }
        by_tail.push_back(per_second(seen, start));
    }
    print("drain of a backlog, rows", by_raw, by_tail, 0.8);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const double seconds = argc > 1 ? std::atof(argv[1]) : 1.0;
        const auto time = std::chrono::milliseconds{static_cast<int>(seconds * 1000)};
        OutboxBench bench;
        std::printf("PostgreSQL %d, libpq %d, %u cores, medians of %d\n",
                    bench.database.session().server_version(),
                    PQlibVersion(),
                    std::thread::hardware_concurrency(),
                    rounds);
        std::printf(
            "%-44s %12s %12s %8s %8s\n", "events per second", "libpq", "radd", "ratio", "goal");
        for (const int threads : {1, 8}) {
            for (const int rows : {1, 100}) compare_emit(bench, threads, rows, time);
        }
        OutboxBench fresh;
        compare_drain(fresh);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "emit_drain: %s\n", error.what());
        return 1;
    }
}
