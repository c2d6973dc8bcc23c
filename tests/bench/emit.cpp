// Emitting through the SDK, next to BEGIN, INSERT and COMMIT through libpq.

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <tests/bench/figures.hpp>
#include <tests/bench/raw.hpp>
#include <tests/bench/report.hpp>
#include <tests/pg/outbox_bench.hpp>

namespace radd::bench {
namespace {

using namespace radd::testing;

using Work = std::function<void()>;

/// Calls per second of each side, by `threads` at once. Every thread does one call of each side in
/// turn and times it: the machine's mood changes within milliseconds, and must hit all alike.
std::vector<double> rates(int threads,
                          std::chrono::milliseconds time,
                          const std::function<std::vector<Work>()>& make) {
    using Clock = std::chrono::steady_clock;
    std::mutex mutex;
    std::vector<double> sums;
    std::vector<std::thread> workers;
    for (int i = 0; i < threads; ++i) {
        workers.emplace_back([&] {
            const auto sides = make();
            for (int warm = 0; warm < 3; ++warm) {
                for (const Work& work : sides) work();
            }
            std::vector<Clock::duration> spent(sides.size());
            int calls = 0;
            for (const auto end = Clock::now() + time; Clock::now() < end; ++calls) {
                for (std::size_t side = 0; side < sides.size(); ++side) {
                    const auto start = Clock::now();
                    sides[side]();
                    spent[side] += Clock::now() - start;
                }
            }
            const std::scoped_lock lock{mutex};
            sums.resize(sides.size());
            for (std::size_t side = 0; side < sides.size(); ++side)
                sums[side] += calls / std::chrono::duration<double>{spent[side]}.count();
        });
    }
    for (auto& worker : workers) worker.join();
    return sums;
}

/// Not durable: without waiting for the disk, whose share hides ours.
void compare_cell(Report& report, int threads, int rows, bool is_durable) {
    constexpr std::chrono::milliseconds time{800};
    OutboxBench bench;
    if (!is_durable) {
        bench.database.execute("ALTER DATABASE " + bench.database.name() +
                               " SET synchronous_commit = off");
    }
    db::Pool pool{bench.database.options(), static_cast<std::size_t>(threads)};
    outbox::OutboxDatabase database{pool, bench.catalog, {}, bench.log, "bench", [] {}};
    const auto raw_work = [&]() -> Work {
        return [raw = std::make_shared<Raw>(bench.database.url()), rows] { raw->emit(rows); };
    };
    const auto sdk_work = [&]() -> Work {
        auto event = bench.note(1);
        event.payload = payload;
        return [&database, events = std::vector<NewEvent>(static_cast<std::size_t>(rows), event)] {
            database.transact([&](Transaction& tx) {
                for (const NewEvent& each : events) tx.emit(each);
            });
        };
    };
    // As beside other statements, where nothing can be saved on BEGIN and COMMIT.
    const auto mixed_work = [&]() -> Work {
        auto event = bench.note(1);
        event.payload = payload;
        return [&bench, &pool, rows, event] {
            outbox::OutboxTransaction tx{pool, bench.catalog, {}, bench.log, "bench"};
            for (int i = 0; i < rows; ++i) tx.emit(event);
            tx.flush_events();
            tx.commit();
        };
    };
    std::vector<double> raw, sdk, mixed;
    for (int round = 0; round < rounds; ++round) {
        const auto found = rates(threads, time, [&] {
            return std::vector{raw_work(), sdk_work(), mixed_work()};
        });
        raw.push_back(found[0] * rows);
        sdk.push_back(found[1] * rows);
        mixed.push_back(found[2] * rows);
    }
    const std::string cell = std::to_string(rows) + " per tx, " + std::to_string(threads) +
                             " connections" + (is_durable ? "" : ", no fsync");
    const std::string goal = rows == 1 ? ">= 0.9" : ">= 0.8";
    report.ratio("emit/s, " + cell, raw, sdk, goal);
    report.ratio("emit/s in BEGIN and COMMIT, " + cell, raw, mixed, "");
}

}  // namespace

void compare_emit(Report& report) {
    for (const int threads : {1, 8, 32}) {
        for (const int rows : {1, 100}) compare_cell(report, threads, rows, true);
    }
    compare_cell(report, 1, 1, false);
}

}  // namespace radd::bench
