#include <algorithm>
#include <utility>

#include <host/monitoring/delivery_families.hpp>
#include <host/monitoring/family.hpp>

namespace radd::monitoring {
namespace {

template <typename Number>
double as_double(Number number) {
    return static_cast<double>(number);
}

}  // namespace

std::vector<prometheus::MetricFamily> attempt_families(
    const std::vector<delivery::QueueTotals>& all) {
    auto begun = Family::counter("radd_delivery_attempts_total", "Attempts that were begun.");
    auto results = Family::counter(
        "radd_delivery_results_total",
        "Attempts by what came of them; failed: tried again, late: another result had counted.");
    auto in_flight = Family::gauge("radd_deliveries_in_flight", "Attempts under way here.");
    auto overdue = Family::gauge("radd_deliveries_overdue",
                                 "Of these, those that have outlived the timeout of the queue.");
    auto resting =
        Family::gauge("radd_delivery_lanes_resting", "Receivers left alone for not answering.");
    for (const auto& totals : all) {
        const Label queue{"queue", totals.name};
        begun.add(as_double(totals.attempts), {queue});
        results.add(as_double(totals.delivered), {queue, {"outcome", "delivered"}});
        results.add(as_double(totals.failed), {queue, {"outcome", "failed"}});
        results.add(as_double(totals.dead), {queue, {"outcome", "dead"}});
        results.add(as_double(totals.cancelled), {queue, {"outcome", "cancelled"}});
        results.add(as_double(totals.late), {queue, {"outcome", "late"}});
        in_flight.add(as_double(totals.in_flight), {queue});
        overdue.add(as_double(totals.overdue), {queue});
        resting.add(as_double(totals.lanes_resting), {queue});
    }
    return {std::move(begun).take(),
            std::move(results).take(),
            std::move(in_flight).take(),
            std::move(overdue).take(),
            std::move(resting).take()};
}

std::vector<prometheus::MetricFamily> queue_families(
    std::vector<delivery::QueueStatus> stored, const std::vector<delivery::QueueTotals>& run) {
    for (const auto& totals : run) {
        if (std::ranges::find(stored, totals.name, &delivery::QueueStatus::name) == stored.end())
            stored.push_back({.name = totals.name});
    }
    auto pending = Family::gauge("radd_deliveries_pending",
                                 "Deliveries that are not finished, counted up to 10000.");
    auto due = Family::gauge("radd_deliveries_due", "Of these, to be attempted now.");
    auto oldest = Family::gauge("radd_deliveries_oldest_due_seconds",
                                "How long the oldest of these has been due; 0: none is.");
    auto dead = Family::gauge("radd_deliveries_dead",
                              "Dead letters that were not replayed, counted up to 10000.");
    for (const auto& status : stored) {
        const Labels queue = {{"queue", status.name}};
        pending.add(as_double(status.pending), queue);
        due.add(as_double(status.due), queue);
        oldest.add(as_double(status.oldest_due_s.value_or(0)), queue);
        dead.add(as_double(status.dead), queue);
    }
    return {std::move(pending).take(),
            std::move(due).take(),
            std::move(oldest).take(),
            std::move(dead).take()};
}

}  // namespace radd::monitoring
