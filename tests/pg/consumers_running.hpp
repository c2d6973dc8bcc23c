#pragma once

/// Workers with threads of their own.

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tests/pg/consumers_bench.hpp>
#include <tests/support/gate.hpp>

namespace radd::testing {

inline consumers::ConsumerSetup setup(Consumer& consumer, const std::string& name) {
    return {.declaration = {.name = name,
                            .plugin = "probe",
                            .plugin_version = "1.0.0",
                            .first_start = consumer.traits().first_start},
            .batch = 10,
            .consumer = &consumer};
}

/// A host with a consumer of each shape, each of which leaves one row per event.
struct Host {
    explicit Host(const std::string& url,
                  std::chrono::milliseconds lease = std::chrono::seconds{10})
        : Host{db::ConnectOptions{.url = url}, lease} {}
    Host(db::ConnectOptions connect, std::chrono::milliseconds lease)
        : stream{std::move(connect)},
          workers{stream.workers(),
                  {.lease = lease},
                  {setup(outward, "probe.outward"),
                   setup(projection, "probe.projection"),
                   setup(per_event, "probe.per_event")},
                  {}} {
        outward.work = Bench::leaves_a_row("outward");
        projection.work = Bench::leaves_a_row("projection");
        per_event.work = Bench::leaves_a_row("per_event");
    }
    [[nodiscard]] bool owns_all() const { return workers.owned_count() == 3; }

    Stream stream;
    Outward outward;
    Projection projection;
    PerEvent per_event;
    consumers::Workers workers;
};

/// Stops the workers before the consumers they use are destroyed, when a test declares them after.
class [[nodiscard]] StopAtEnd {
public:
    explicit StopAtEnd(std::unique_ptr<consumers::Workers>& workers) : workers_{workers} {}
    StopAtEnd(const StopAtEnd&) = delete;
    StopAtEnd& operator=(const StopAtEnd&) = delete;
    ~StopAtEnd() {
        if (workers_) workers_->stop(std::chrono::seconds{20});
    }

private:
    std::unique_ptr<consumers::Workers>& workers_;
};

struct Running : Bench {
    StopAtEnd start(std::vector<consumers::ConsumerSetup> setups,
                    std::vector<consumers::TaskSetup> tasks = {},
                    consumers::WorkersOptions options = {}) {
        workers = std::make_unique<consumers::Workers>(
            stream.workers(), options, std::move(setups), std::move(tasks));
        workers->start();
        return StopAtEnd{workers};
    }
    [[nodiscard]] bool owned(std::size_t count) const {
        return eventually([&] { return workers->owned_count() == count; });
    }
    std::unique_ptr<consumers::Workers> workers;
};

}  // namespace radd::testing
