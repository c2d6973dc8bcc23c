#pragma once

/// The overview of all consumers and delivery queues, taken once for everybody who asks.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <host/consumers/overview.hpp>
#include <host/delivery/operations.hpp>
#include <host/monitoring/database_probe.hpp>
#include <host/monitoring/history.hpp>
#include <host/monitoring/session_thread.hpp>
#include <host/outbox/tail.hpp>
#include <radd/clock.hpp>
#include <radd/services.hpp>

namespace radd::monitoring {

/// What one look has found.
struct Snapshot {
    std::chrono::steady_clock::time_point asked_at;  ///< It tells at least what was so then.
    std::int64_t stream_head = 0;
    std::int64_t events_bytes = 0;  ///< Of radd.events, as of Sampler::measure_every ago at most.
    std::optional<outbox::StreamHolder> waiting_on{};
    std::vector<consumers::ConsumerStatus> consumers{};
    std::vector<delivery::QueueStatus> delivery_queues{};
};

struct SamplerParts {
    db::ConnectOptions connect;
    outbox::Tail& tail;
    const DatabaseProbe& probe;       ///< Whose time samples carry.
    std::vector<std::string> loaded;  ///< Names that the plugins loaded here declare.
    std::vector<std::string> queues;  ///< Theirs, shown also while nothing was ever in them.
    Clock& clock;
    Log& log;
};

/// Two statements every two seconds, always, so that the plots of somebody who opens the page are
/// not empty; and two more whenever somebody wants to know it younger than that; and one a minute
/// for how much room the stream takes. Any number of
/// callers share a look, none of them waits on the database itself, and it has a session of its
/// own, which no exhausted pool takes away. [any-thread] but for start() and stop().
class Sampler {
public:
    static constexpr std::chrono::milliseconds sample_every{2000};
    /// How much room the stream takes: it grows slowly, and is a look at each of its files.
    static constexpr std::chrono::milliseconds measure_every{60'000};
    /// What was asked so long ago is young enough for the API.
    static constexpr std::chrono::milliseconds overview_age_max{500};
    /// And for a scrape.
    static constexpr std::chrono::milliseconds scrape_age_max{1000};
    /// How long a caller waits for a look.
    static constexpr std::chrono::milliseconds patience{1000};

    explicit Sampler(SamplerParts parts);

    void start();
    bool stop();  ///< As SessionThread::stop().

    /// The last one, however old; null before the first.
    [[nodiscard]] std::shared_ptr<const Snapshot> latest() const;

    /// One that was asked at most `age_max` ago, and after the last expire(). Takes it if need be.
    /// @throws Unavailable if none comes within `timeout`.
    [[nodiscard]] std::shared_ptr<const Snapshot> fresh(
        std::chrono::milliseconds age_max = overview_age_max,
        std::chrono::milliseconds timeout = patience);

    /// Something has been changed just now: what was seen before is too old for anybody.
    void expire();

    /// Of the last half hour. Samples after `after`, in seconds of the epoch, if given.
    [[nodiscard]] std::string history_json(std::optional<std::int64_t> after) const;

private:
    struct State;
    Clock& clock_;
    std::shared_ptr<State> state_;
    SessionThread thread_;
};

}  // namespace radd::monitoring
