#include <host/config/utf8.hpp>
#include <host/monitoring/family.hpp>

namespace radd::monitoring {

std::string valid_utf8(std::string_view text) {
    constexpr std::string_view replacement = "\xEF\xBF\xBD";
    std::string valid;
    while (const auto bad = config::first_invalid_utf8(text)) {
        valid.append(text.substr(0, *bad)).append(replacement);
        text.remove_prefix(*bad + 1);
    }
    return valid.append(text);
}

prometheus::ClientMetric& Family::labelled(Labels labels) {
    prometheus::ClientMetric& metric = family_.metric.emplace_back();
    for (const auto& [name, value] : labels)
        metric.label.push_back({std::string{name}, valid_utf8(value)});
    return metric;
}

Family& Family::add(double value, Labels labels) {
    prometheus::ClientMetric& metric = labelled(labels);
    if (family_.type == prometheus::MetricType::Counter) {
        metric.counter.value = value;
    } else {
        metric.gauge.value = value;
    }
    return *this;
}

Family& Family::add(const consumers::Latency::Counts& counts, Labels labels) {
    using Seconds = std::chrono::duration<double>;
    constexpr auto& bounds = consumers::Latency::bounds;
    prometheus::ClientMetric::Histogram& histogram = labelled(labels).histogram;
    std::uint64_t below = 0;
    for (std::size_t bucket = 0; bucket < bounds.size(); ++bucket) {
        below += counts.buckets[bucket];
        histogram.bucket.push_back({below, Seconds{bounds[bucket]}.count()});
    }
    // TextSerializer writes the bucket of +Inf by itself, from sample_count.
    histogram.sample_count = below + counts.buckets.back();
    histogram.sample_sum = Seconds{counts.sum}.count();
    return *this;
}

}  // namespace radd::monitoring
