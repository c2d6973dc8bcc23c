#include <condition_variable>
#include <mutex>
#include <utility>

#include <host/monitoring/sampler.hpp>
#include <host/monitoring/sql.hpp>
#include <radd/error.hpp>

namespace radd::monitoring {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr std::chrono::milliseconds statement_timeout{5000};

db::ConnectOptions impatient(db::ConnectOptions connect) {
    connect.statement_timeout = statement_timeout;
    return connect;
}

}  // namespace

struct Sampler::State final : Lookout {
    explicit State(SamplerParts with) : parts{std::move(with)} {}

    void look(db::Session& session) override {
        auto found = std::make_shared<Snapshot>();
        found->asked_at = parts.clock.steady_now();
        found->stream_head = parts.tail.position();
        found->waiting_on = parts.tail.waiting_on();
        found->consumers = consumers::consumer_overview(
            session,
            {.head = found->stream_head, .waiting_on = found->waiting_on, .loaded = parts.loaded});
        found->delivery_queues = delivery::DeliveryOperations{session, parts.queues}.queues();
        found->events_bytes = measured(session);
        {
            const std::scoped_lock lock{mutex};
            if (const auto at = sample_due())
                history.add(*at, found->stream_head, found->consumers);
            snapshot = std::move(found);
            failure.clear();
        }
        changed.notify_all();
    }

    void failed(const std::string& reason) noexcept override {
        {
            const std::scoped_lock lock{mutex};
            if (failure.empty()) parts.log.warn("monitoring: no overview: " + reason);
            failure = reason;
            ++failures;
            if (const auto at = sample_due()) history.add_unknown(*at);
        }
        changed.notify_all();
    }

    /// Of the looking thread alone.
    std::int64_t measured(db::Session& session) {
        const auto now = parts.clock.steady_now();
        if (now < next_measure) return events_bytes;
        events_bytes = session.query(sql::events_bytes)[0].integer("events_bytes");
        next_measure = now + measure_every;
        return events_bytes;
    }

    /// The time of a sample, if one is due: looks that somebody has asked for come between.
    std::optional<std::int64_t> sample_due() {
        const auto now = parts.clock.steady_now();
        const auto at = parts.probe.unix_s();
        if (now < next_sample || !at) return std::nullopt;
        // A little early is on time, or every other sample would be missed.
        constexpr std::chrono::milliseconds early{100};
        next_sample = now + sample_every - early;
        return at;
    }

    const SamplerParts parts;
    mutable std::mutex mutex;
    std::condition_variable changed;
    std::shared_ptr<const Snapshot> snapshot{};
    SteadyTime expired_at{};
    std::string failure{};  ///< Why the last look failed; empty: it did not.
    std::uint64_t failures = 0;
    History history{};
    SteadyTime next_sample{};
    std::int64_t events_bytes = 0;
    SteadyTime next_measure{};
};

Sampler::Sampler(SamplerParts parts)
    : clock_{parts.clock},
      state_{std::make_shared<State>(parts)},
      thread_{{.connect = impatient(parts.connect),
               .clock = parts.clock,
               .log = parts.log,
               .name = "monitoring",
               .every = sample_every},
              state_} {}

void Sampler::start() {
    thread_.start();
}

bool Sampler::stop() {
    return thread_.stop();
}

std::shared_ptr<const Snapshot> Sampler::latest() const {
    const std::scoped_lock lock{state_->mutex};
    return state_->snapshot;
}

std::shared_ptr<const Snapshot> Sampler::fresh(std::chrono::milliseconds age_max,
                                               std::chrono::milliseconds timeout) {
    const auto from = clock_.steady_now() - age_max;
    std::unique_lock lock{state_->mutex};
    const auto is_fresh = [&] {
        return state_->snapshot && state_->snapshot->asked_at >= from &&
               state_->snapshot->asked_at > state_->expired_at;
    };
    if (is_fresh()) return state_->snapshot;
    const auto failures = state_->failures;
    thread_.wake();
    state_->changed.wait_for(
        lock, timeout, [&] { return is_fresh() || state_->failures != failures; });
    if (is_fresh()) return state_->snapshot;
    throw Unavailable{"no overview of the consumers: " +
                      (state_->failure.empty()
                           ? "no answer within " + std::to_string(timeout.count()) + " ms"
                           : state_->failure)};
}

void Sampler::expire() {
    const std::scoped_lock lock{state_->mutex};
    state_->expired_at = clock_.steady_now();
}

std::string Sampler::history_json(std::optional<std::int64_t> after) const {
    const std::scoped_lock lock{state_->mutex};
    return state_->history.json(after);
}

}  // namespace radd::monitoring
