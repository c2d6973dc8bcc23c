#pragma once

/// What the overview knows, of every consumer of the installation.

#include <vector>

#include <host/monitoring/sampler.hpp>
#include <prometheus/metric_family.h>

namespace radd::monitoring {

[[nodiscard]] std::vector<prometheus::MetricFamily> consumer_families(const Snapshot& snapshot);

}  // namespace radd::monitoring
