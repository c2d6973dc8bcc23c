#pragma once

/// Metrics of prometheus-cpp put together by hand, from what was counted elsewhere.

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <host/consumers/latency.hpp>
#include <prometheus/metric_family.h>

namespace radd::monitoring {

using Label = std::pair<std::string_view, std::string_view>;
using Labels = std::initializer_list<Label>;

/// One metric and its samples. Names and units follow prometheus.io/docs/practices/naming.
class Family {
public:
    [[nodiscard]] static Family gauge(std::string_view name, std::string_view help) {
        return {name, help, prometheus::MetricType::Gauge};
    }
    /// `name` ends in _total.
    [[nodiscard]] static Family counter(std::string_view name, std::string_view help) {
        return {name, help, prometheus::MetricType::Counter};
    }
    [[nodiscard]] static Family histogram(std::string_view name, std::string_view help) {
        return {name, help, prometheus::MetricType::Histogram};
    }

    Family& add(double value, Labels labels = {});
    Family& add(const consumers::Latency::Counts& counts, Labels labels);

    [[nodiscard]] prometheus::MetricFamily take() && { return std::move(family_); }

private:
    Family(std::string_view name, std::string_view help, prometheus::MetricType type) {
        family_.name = name;
        family_.help = help;
        family_.type = type;
    }
    prometheus::ClientMetric& labelled(Labels labels);

    prometheus::MetricFamily family_;
};

/// With U+FFFD for each byte that is not UTF-8: one such byte makes a strict parser refuse the
/// whole page.
[[nodiscard]] std::string valid_utf8(std::string_view text);

}  // namespace radd::monitoring
