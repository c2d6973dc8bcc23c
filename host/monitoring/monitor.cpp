#include <utility>

#include <host/monitoring/monitor.hpp>

namespace radd::monitoring {

Monitor::Monitor(MonitorParts parts)
    : clock_{parts.clock},
      started_at_{parts.clock.steady_now()},
      process_{std::move(parts.process)},
      probe_{parts.connect, parts.clock, parts.log},
      sampler_{{.connect = parts.connect,
                .tail = parts.tail,
                .probe = probe_,
                .loaded = std::move(parts.loaded),
                .queues = std::move(parts.queues),
                .clock = parts.clock,
                .log = parts.log}},
      health_{{.probe = probe_,
               .tail = parts.tail,
               .workers = parts.workers,
               .lease = parts.lease,
               .run_workers = process_.run_workers,
               .clock = parts.clock}},
      metrics_{{.probe = probe_,
                .sampler = sampler_,
                .tail = parts.tail,
                .workers = parts.workers,
                .pools = std::move(parts.pools),
                .run_workers = process_.run_workers,
                .version = process_.version,
                .clock = parts.clock,
                .started_at = started_at_}} {}

void Monitor::start() {
    probe_.start();
    sampler_.start();
}

bool Monitor::stop() {
    const bool sampler_ended = sampler_.stop();
    return probe_.stop() && sampler_ended;
}

std::chrono::seconds Monitor::uptime() const {
    return std::chrono::duration_cast<std::chrono::seconds>(clock_.steady_now() - started_at_);
}

}  // namespace radd::monitoring
