#pragma once

/// Workers and racing writers on a database to which something happens.

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <radd/error.hpp>
#include <tests/faults/racing_writers.hpp>
#include <tests/faults/worker_bench.hpp>
#include <tests/support/private_cluster.hpp>

namespace radd::testing {

/// Workers and racing writers on a database, until check() says that nothing was lost.
template <typename Bench>
struct Scene : Bench {
    template <typename... Arguments>
    explicit Scene(Arguments&&... arguments) : Bench{std::forward<Arguments>(arguments)...} {
        this->seed();
    }
    void start_workers(int count) {
        for (int i = 0; i < count; ++i) workers.push_back(this->start());
    }
    void start_writers(const std::string& url) { writers = std::make_unique<RacingWriters>(url); }
    /// So many more events are handled by the projection, which shows that all goes on.
    bool moves_on(std::int64_t events = 60) {
        std::int64_t from = -1;
        return eventually(
            [&] {
                try {
                    const auto handled = this->count("projected");
                    if (from < 0) from = handled;
                    return handled >= from + events;
                } catch (const Unavailable&) {
                    return false;
                }
            },
            std::chrono::seconds{60});
    }
    void check() {
        writers->stop();
        REQUIRE(eventually([&] { return this->all_at_head(); }, std::chrono::seconds{120}));
        for (auto& worker : workers) {
            CHECK_MESSAGE(worker->is_running(), worker->errors());
            this->end(*worker);
        }
        std::string said;
        for (auto& worker : workers) said += worker->errors() + "--\n";
        CAPTURE(said);
        CHECK(writers->committed() > 0);
        CHECK(writers->lost() == 0);
        this->check_guarantees();
    }

    std::vector<std::unique_ptr<Process>> workers;
    std::unique_ptr<RacingWriters> writers;
};

struct OwnCluster {
    PrivateCluster cluster;
};
struct ClusterBench : OwnCluster, WorkerBench {
    ClusterBench() : WorkerBench{cluster.url()} {}
};

}  // namespace radd::testing
