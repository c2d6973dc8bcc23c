#include <fstream>
#include <utility>

#include <host/monitoring/family.hpp>
#include <host/monitoring/process_families.hpp>
#include <sys/resource.h>
#include <unistd.h>

namespace radd::monitoring {
namespace {

double seconds(std::chrono::nanoseconds time) {
    return std::chrono::duration<double>{time}.count();
}

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

template <typename Number>
double as_double(Number number) {
    return static_cast<double>(number);
}

double resident_bytes() {
    std::ifstream statm{"/proc/self/statm"};
    double all = 0;
    double resident = 0;
    statm >> all >> resident;
    return resident * as_double(sysconf(_SC_PAGESIZE));
}

double cpu_seconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

class Families {
public:
    void keep(Family family) { all_.push_back(std::move(family).take()); }
    [[nodiscard]] std::vector<prometheus::MetricFamily> take() && { return std::move(all_); }

private:
    std::vector<prometheus::MetricFamily> all_;
};

void keep_pools(Families& families, const std::vector<NamedPool>& pools) {
    auto size = Family::gauge("radd_pool_size", "Sessions that the pool may open.");
    auto leased = Family::gauge("radd_pool_leased", "Sessions that are lent now.");
    auto leases = Family::counter("radd_pool_leases_total", "Sessions that were lent.");
    auto waits = Family::counter("radd_pool_waits_total", "Leases that had to wait for a session.");
    auto timeouts =
        Family::counter("radd_pool_timeouts_total", "Leases that waited in vain and failed.");
    for (const NamedPool& one : pools) {
        const auto counts = one.pool->counts();
        const Labels pool = {{"pool", one.name}};
        size.add(as_double(one.pool->size()), pool);
        leased.add(as_double(counts.leased), pool);
        leases.add(as_double(counts.leases), pool);
        waits.add(as_double(counts.waits), pool);
        timeouts.add(as_double(counts.timeouts), pool);
    }
    for (Family* one : {&size, &leased, &leases, &waits, &timeouts}) families.keep(std::move(*one));
}

void keep_tail(Families& families, const outbox::Tail& tail) {
    const auto counts = tail.counts();
    families.keep(Family::counter("radd_tail_polls_total", "Looks at the stream's end.")
                      .add(as_double(counts.polls)));
    families.keep(Family::counter("radd_tail_events_total", "Events that the tail has read.")
                      .add(as_double(counts.events)));
    families.keep(Family::gauge("radd_tail_buffer_bytes", "Payload bytes kept for consumers.")
                      .add(as_double(counts.buffer_bytes)));
    families.keep(Family::gauge("radd_tail_position", "Id of the last event that is safe to read.")
                      .add(as_double(tail.position())));
    const auto holder = tail.waiting_on();
    families.keep(Family::gauge("radd_stream_waiting_seconds",
                                "Age of the transaction that holds the stream back; 0: none does.")
                      .add(holder ? seconds(holder->age) : 0));
}

}  // namespace

std::vector<prometheus::MetricFamily> process_families(const MetricsParts& parts) {
    Families families;
    families.keep(
        Family::gauge("radd_build_info", "Always 1.").add(1, {{"version", parts.version}}));
    families.keep(Family::gauge("radd_workers_in_process", "1: consumers run in this process.")
                      .add(parts.run_workers ? 1 : 0));
    families.keep(Family::gauge("radd_uptime_seconds", "Since this process was started.")
                      .add(seconds(parts.clock.steady_now() - parts.started_at)));
    families.keep(Family::gauge("process_resident_memory_bytes", "Memory that is in use.")
                      .add(resident_bytes()));
    families.keep(
        Family::counter("process_cpu_seconds_total", "User and system time.").add(cpu_seconds()));
    return std::move(families).take();
}

std::vector<prometheus::MetricFamily> database_families(const MetricsParts& parts) {
    Families families;
    const auto away = parts.probe.away_for();
    families.keep(Family::gauge("radd_database_up", "1: the database answers.")
                      .add(away.count() == 0 ? 1 : 0));
    families.keep(
        Family::gauge("radd_database_away_seconds", "How long it has not answered; 0: it does.")
            .add(seconds(away)));
    keep_pools(families, parts.pools);
    keep_tail(families, parts.tail);
    const auto facts = parts.probe.facts();
    if (away.count() > 0 || !facts) return std::move(families).take();
    families.keep(Family::gauge("radd_stream_last_drawn", "The last id that an event was given.")
                      .add(as_double(facts->position.last_drawn)));
    families.keep(
        Family::gauge("radd_stream_settled", "Every id up to here is final, as last published.")
            .add(as_double(facts->position.settled)));
    families.keep(
        Family::gauge("radd_stream_ids_left", "Ids until inserts fail for want of a partition.")
            .add(as_double(facts->position.ids_left)));
    return std::move(families).take();
}

std::vector<prometheus::MetricFamily> worker_families(const MetricsParts& parts) {
    auto planned = Family::counter("radd_consumer_planned_total", "Events handed to a consumer.");
    auto batches = Family::counter("radd_consumer_batches_total", "Moves of a cursor.");
    auto deliveries = Family::counter("radd_consumer_deliveries_total", "Deliveries tried.");
    auto skipped = Family::counter("radd_consumer_skipped_total", "Failures put on record.");
    auto plan = Family::histogram("radd_consumer_plan_seconds", "Time in a consumer's plan.");
    auto deliver = Family::histogram("radd_consumer_deliver_seconds", "Time of one delivery.");
    Families families;
    const auto pulse = parts.workers.pulse();
    families.keep(Family::gauge("radd_leases_held", "Consumers and tasks this process owns.")
                      .add(as_double(pulse.leases_held)));
    if (!parts.run_workers) return std::move(families).take();
    families.keep(Family::counter("radd_keeper_statements_total", "What keeping leases has cost.")
                      .add(as_double(parts.workers.keeper_statements())));
    for (const auto& totals : parts.workers.totals()) {
        const Label consumer{"consumer", totals.name};
        planned.add(as_double(totals.planned), {consumer});
        batches.add(as_double(totals.batches), {consumer});
        deliveries.add(as_double(totals.delivered), {consumer, {"outcome", "delivered"}});
        deliveries.add(as_double(totals.deliveries_failed), {consumer, {"outcome", "failed"}});
        skipped.add(as_double(totals.skipped), {consumer});
        plan.add(totals.plan, {consumer});
        deliver.add(totals.deliver, {consumer});
    }
    for (Family* one : {&planned, &batches, &deliveries, &skipped, &plan, &deliver})
        families.keep(std::move(*one));
    return std::move(families).take();
}

}  // namespace radd::monitoring
