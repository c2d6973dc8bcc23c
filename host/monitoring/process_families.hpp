#pragma once

/// What this process, its connections and its workers count.

#include <vector>

#include <host/monitoring/metrics.hpp>
#include <prometheus/metric_family.h>

namespace radd::monitoring {

[[nodiscard]] std::vector<prometheus::MetricFamily> process_families(const MetricsParts& parts);
[[nodiscard]] std::vector<prometheus::MetricFamily> database_families(const MetricsParts& parts);
[[nodiscard]] std::vector<prometheus::MetricFamily> worker_families(const MetricsParts& parts);

}  // namespace radd::monitoring
