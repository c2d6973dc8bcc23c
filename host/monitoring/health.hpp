#pragma once

/// Whether this process makes progress, and not merely lives (P07).

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include <host/consumers/supervisor.hpp>
#include <host/monitoring/database_probe.hpp>
#include <host/outbox/tail.hpp>
#include <radd/clock.hpp>

namespace radd::monitoring {

/// What strangers may read: a check's name and detail name no consumer, host or database.
struct Check {
    std::string name;  ///< started, database, stream, leases or workers.
    bool ok;
    std::string detail;
};

struct Readiness {
    bool ready;  ///< Every check is ok.
    std::vector<Check> checks;
};

struct HealthParts {
    const DatabaseProbe& probe;
    const outbox::Tail& tail;
    const consumers::Workers& workers;
    std::chrono::milliseconds lease;  ///< Within which leases must have been renewed.
    bool run_workers;                 ///< False: no leases are kept here, and none are missed.
    Clock& clock;
};

/// Asks nobody: it looks at what the parts have noted. [any-thread]
class Health {
public:
    /// The tail looks at the stream at least every 50 ms; behind a holder every 10 ms.
    static constexpr std::chrono::milliseconds tail_late_after{5000};

    explicit Health(HealthParts parts) : parts_{parts} {}

    void note_started() noexcept { is_started_ = true; }
    void note_stopping() noexcept { is_stopping_ = true; }

    [[nodiscard]] Readiness readiness() const;
    /// `{"ready", "checks": [{"name", "ok", "detail"}]}`
    [[nodiscard]] static std::string to_json(const Readiness& readiness);

private:
    [[nodiscard]] Check lifecycle() const;
    [[nodiscard]] Check database() const;
    [[nodiscard]] Check stream() const;
    [[nodiscard]] Check leases() const;
    [[nodiscard]] Check workers() const;

    HealthParts parts_;
    std::atomic<bool> is_started_{false};
    std::atomic<bool> is_stopping_{false};
};

}  // namespace radd::monitoring
