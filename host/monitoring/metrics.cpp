#include <iterator>
#include <mutex>
#include <sstream>
#include <utility>

#include <host/monitoring/consumer_families.hpp>
#include <host/monitoring/delivery_families.hpp>
#include <host/monitoring/family.hpp>
#include <host/monitoring/http_series.hpp>
#include <host/monitoring/metrics.hpp>
#include <host/monitoring/process_families.hpp>
#include <prometheus/text_serializer.h>
#include <radd/error.hpp>

namespace radd::monitoring {

struct Metrics::State {
    explicit State(MetricsParts with) : parts{std::move(with)} {}

    [[nodiscard]] std::shared_ptr<const Snapshot> overview();

    [[nodiscard]] std::vector<prometheus::MetricFamily> stream_families();
    [[nodiscard]] std::vector<delivery::QueueTotals> delivery_totals();

    MetricsParts parts;
    HttpSeries http{};
    std::mutex mutex{};  ///< Of what follows.
    std::function<StreamNumbers()> streams{};
    std::function<std::vector<delivery::QueueTotals>()> deliveries{};
};

/// Young enough to be told, or null.
std::shared_ptr<const Snapshot> Metrics::State::overview() {
    try {
        if (parts.probe.away_for().count() == 0)
            return parts.sampler.fresh(Sampler::scrape_age_max, overview_patience);
    } catch (const Unavailable&) {
        // The probe learns it a moment later; what was seen before may still do.
    }
    auto latest = parts.sampler.latest();
    if (latest && parts.clock.steady_now() - latest->asked_at > overview_age_max) latest.reset();
    return latest;
}

std::vector<prometheus::MetricFamily> Metrics::State::stream_families() {
    std::function<StreamNumbers()> ask;
    {
        const std::scoped_lock lock{mutex};
        ask = streams;
    }
    if (!ask) return {};
    const StreamNumbers numbers = ask();
    const auto counter = [](std::string_view name, std::string_view help, std::uint64_t value) {
        return std::move(Family::counter(name, help).add(static_cast<double>(value))).take();
    };
    return {std::move(Family::gauge("radd_http_streams_open", "Streams that are open now.")
                          .add(static_cast<double>(numbers.open)))
                .take(),
            counter("radd_http_streams_total", "Streams that were opened.", numbers.opened),
            counter("radd_http_streams_stalled_total",
                    "Streams that were closed because their client did not read.",
                    numbers.stalled),
            counter("radd_http_streams_refused_total",
                    "Streams that were refused because too many were open.",
                    numbers.refused),
            counter("radd_http_stream_messages_total",
                    "Messages that were written to streams.",
                    numbers.messages)};
}

std::vector<delivery::QueueTotals> Metrics::State::delivery_totals() {
    std::function<std::vector<delivery::QueueTotals>()> ask;
    {
        const std::scoped_lock lock{mutex};
        ask = deliveries;
    }
    return ask ? ask() : std::vector<delivery::QueueTotals>{};
}

Metrics::Metrics(MetricsParts parts) : state_{std::make_unique<State>(std::move(parts))} {}

Metrics::~Metrics() = default;

std::string Metrics::text() {
    std::vector<prometheus::MetricFamily> all = process_families(state_->parts);
    const auto append = [&all](std::vector<prometheus::MetricFamily> more) {
        std::ranges::move(more, std::back_inserter(all));
    };
    append(database_families(state_->parts));
    append(worker_families(state_->parts));
    const auto totals = state_->delivery_totals();
    append(attempt_families(totals));
    if (const auto snapshot = state_->overview()) {
        append(consumer_families(*snapshot));
        append(queue_families(snapshot->delivery_queues, totals));
    }
    append(state_->http.collect());
    append(state_->stream_families());
    // A family without samples would be a HELP about nothing.
    std::erase_if(all, [](const auto& family) { return family.metric.empty(); });
    std::ostringstream page;
    prometheus::TextSerializer{}.Serialize(page, all);
    return std::move(page).str();
}

void Metrics::observe_http(std::string_view route,
                           std::string_view method,
                           int status,
                           std::chrono::nanoseconds took) noexcept {
    try {
        state_->http.observe(route, method, status, took);
    } catch (const std::exception&) {
        // Out of memory: the request is answered all the same, and not counted.
        return;
    }
}

void Metrics::watch_streams(std::function<StreamNumbers()> numbers) {
    const std::scoped_lock lock{state_->mutex};
    state_->streams = std::move(numbers);
}

void Metrics::watch_deliveries(std::function<std::vector<delivery::QueueTotals>()> totals) {
    const std::scoped_lock lock{state_->mutex};
    state_->deliveries = std::move(totals);
}

}  // namespace radd::monitoring
