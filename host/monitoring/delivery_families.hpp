#pragma once

/// Deliveries that must arrive: what this process attempts, and what waits in the database.

#include <vector>

#include <host/delivery/operations.hpp>
#include <host/delivery/queue_runner.hpp>
#include <prometheus/metric_family.h>

namespace radd::monitoring {

[[nodiscard]] std::vector<prometheus::MetricFamily> attempt_families(
    const std::vector<delivery::QueueTotals>& all);
/// Of `stored`, and zeros for those of `run` that have no rows: no series ends because retention
/// has removed the last row of its queue.
[[nodiscard]] std::vector<prometheus::MetricFamily> queue_families(
    std::vector<delivery::QueueStatus> stored, const std::vector<delivery::QueueTotals>& run);

}  // namespace radd::monitoring
