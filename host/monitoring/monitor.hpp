#pragma once

/// Everything that watches this process, in one piece.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <host/monitoring/database_probe.hpp>
#include <host/monitoring/health.hpp>
#include <host/monitoring/metrics.hpp>
#include <host/monitoring/sampler.hpp>

namespace radd::monitoring {

/// What does not change while the process lives.
struct ProcessFacts {
    std::string host_name;
    std::string version;
    std::string started_at;         ///< UTC.
    bool run_workers = true;        ///< False: consumers run in other processes.
    bool private_database = false;  ///< The host runs its PostgreSQL itself.
};

/// All of it outlives the monitor.
struct MonitorParts {
    db::ConnectOptions connect;
    outbox::Tail& tail;
    const consumers::Workers& workers;
    std::vector<NamedPool> pools;
    std::vector<std::string> loaded;  ///< Names of all consumers and tasks of loaded plugins.
    std::vector<std::string> queues;  ///< Names of their delivery queues.
    std::chrono::milliseconds lease;
    ProcessFacts process;
    Clock& clock;
    Log& log;
};

/// Two threads with a session each: the probe, four statements in three seconds, and the sampler,
/// one a second. [any-thread] but for start() and stop().
class Monitor {
public:
    explicit Monitor(MonitorParts parts);

    void start();  ///< Returns at once. The schema must be up to date.
    bool stop();   ///< As SessionThread::stop(), of both.

    [[nodiscard]] DatabaseProbe& probe() noexcept { return probe_; }
    [[nodiscard]] const DatabaseProbe& probe() const noexcept { return probe_; }
    [[nodiscard]] Sampler& sampler() noexcept { return sampler_; }
    [[nodiscard]] Health& health() noexcept { return health_; }
    [[nodiscard]] Metrics& metrics() noexcept { return metrics_; }
    [[nodiscard]] const ProcessFacts& process() const noexcept { return process_; }
    [[nodiscard]] std::chrono::seconds uptime() const;

private:
    Clock& clock_;
    std::chrono::steady_clock::time_point started_at_;
    ProcessFacts process_;
    DatabaseProbe probe_;
    Sampler sampler_;
    Health health_;
    Metrics metrics_;
};

}  // namespace radd::monitoring
