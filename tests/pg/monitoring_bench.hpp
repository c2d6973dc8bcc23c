#pragma once

/// A host with consumers, watched.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <host/monitoring/monitor.hpp>
#include <tests/pg/consumers_running.hpp>

namespace radd::testing {

/// Its consumers run once start() was called.
struct Watched : Host {
    explicit Watched(const std::string& url,
                     std::chrono::milliseconds lease = std::chrono::seconds{10},
                     bool run_workers = true,
                     std::vector<std::string> queues = {})
        : Host{url, lease},
          monitor{{.connect = stream.options(),
                   .tail = *stream.tail,
                   .workers = workers,
                   .pools = {{"plugins", stream.pool.get()}},
                   .loaded = {"probe.outward", "probe.projection", "probe.per_event"},
                   .queues = std::move(queues),
                   .lease = lease,
                   .process = {.host_name = "here",
                               .version = "1.2.3",
                               .started_at = "2026-11-30T12:00:00.000000Z",
                               .run_workers = run_workers},
                   .clock = stream.clock,
                   .log = stream.log}} {}
    ~Watched() {
        monitor.stop();
        workers.stop(std::chrono::seconds{20});
    }

    void start() {
        workers.start();
        monitor.start();
        monitor.health().note_started();
    }
    /// The same, and waits until all is well and nobody remembers how it was before.
    [[nodiscard]] bool starts_well() {
        start();
        const bool well = eventually([&] { return is_ready(); });
        monitor.sampler().expire();
        return well;
    }
    [[nodiscard]] bool is_ready() { return monitor.health().readiness().ready; }
    /// Empty if the check is not made.
    [[nodiscard]] std::optional<bool> check(const std::string& name) {
        for (const auto& one : monitor.health().readiness().checks) {
            if (one.name == name) return one.ok;
        }
        return std::nullopt;
    }
    [[nodiscard]] bool is_reachable() { return monitor.probe().away_for().count() == 0; }

    monitoring::Monitor monitor;
};

}  // namespace radd::testing
