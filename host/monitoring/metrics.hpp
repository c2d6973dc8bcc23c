#pragma once

/// Everything this process measures, as Prometheus reads it.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <host/consumers/supervisor.hpp>
#include <host/db/pool.hpp>
#include <host/delivery/queue_runner.hpp>
#include <host/monitoring/database_probe.hpp>
#include <host/monitoring/sampler.hpp>
#include <host/outbox/tail.hpp>
#include <radd/clock.hpp>

namespace radd::monitoring {

/// A pool and what its metrics call it: "plugins", "web".
struct NamedPool {
    std::string name;
    const db::Pool* pool;
};

struct MetricsParts {
    const DatabaseProbe& probe;
    Sampler& sampler;
    const outbox::Tail& tail;
    const consumers::Workers& workers;
    std::vector<NamedPool> pools;
    bool run_workers;
    std::string version;
    Clock& clock;
    std::chrono::steady_clock::time_point started_at;
};

/// Of the HTTP server's streams, since it started; `open` are open now.
struct StreamNumbers {
    std::size_t open;
    std::uint64_t opened;
    std::uint64_t stalled;   ///< Closed because their client did not read.
    std::uint64_t refused;   ///< Because too many were open.
    std::uint64_t messages;  ///< Written.
};

/// [any-thread]
class Metrics {
public:
    static constexpr std::string_view content_type = "text/plain; version=0.0.4; charset=utf-8";
    /// A scrape waits so long for an overview that is young enough, and goes without it then.
    static constexpr std::chrono::milliseconds overview_patience{500};
    /// What was so this long ago is no longer told: a frozen lag looks like a healthy one.
    static constexpr std::chrono::milliseconds overview_age_max{10000};

    explicit Metrics(MetricsParts parts);
    Metrics(const Metrics&) = delete;
    Metrics& operator=(const Metrics&) = delete;
    ~Metrics();

    /// The page, in the text format 0.0.4. Costs the database two statements a second at most,
    /// however many scrape; answers within overview_patience while it is away, with
    /// radd_database_up at 0 and without what only the database knows.
    [[nodiscard]] std::string text();

    /// `route` is the pattern and never the path, which anybody can make up: "/api/v1/items/{key}".
    /// Costs no allocation once a route, method and status have been seen together.
    void observe_http(std::string_view route,
                      std::string_view method,
                      int status,
                      std::chrono::nanoseconds took) noexcept;

    /// `numbers` is asked at each scrape from now on.
    void watch_streams(std::function<StreamNumbers()> numbers);
    /// So is `totals`, of the queues that this process knows.
    void watch_deliveries(std::function<std::vector<delivery::QueueTotals>()> totals);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace radd::monitoring
