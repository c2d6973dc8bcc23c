#include <algorithm>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include <host/monitoring/health.hpp>

namespace radd::monitoring {
namespace {

using std::chrono::milliseconds;

std::string seconds_text(std::chrono::steady_clock::duration time) {
    const auto tenths = std::chrono::duration_cast<milliseconds>(time).count() / 100;
    return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10) + " s";
}

std::string counted(std::size_t count, const std::string& what) {
    return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

}  // namespace

Readiness Health::readiness() const {
    Readiness found{.ready = true, .checks = {lifecycle(), database(), stream()}};
    if (parts_.run_workers) {
        found.checks.push_back(leases());
        found.checks.push_back(workers());
    }
    found.ready = std::ranges::all_of(found.checks, &Check::ok);
    return found;
}

Check Health::lifecycle() const {
    if (is_stopping_) return {"started", false, "stopping"};
    if (!is_started_) return {"started", false, "starting"};
    return {"started", true, "running"};
}

Check Health::database() const {
    const auto away = parts_.probe.away_for();
    if (away.count() == 0) return {"database", true, "answers"};
    return {"database", false, "no answer for " + seconds_text(away)};
}

Check Health::stream() const {
    const auto last = parts_.tail.counts().polled_at;
    if (!last) return {"stream", false, "not read yet"};
    const auto ago = parts_.clock.steady_now() - *last;
    const auto detail = "read " + seconds_text(ago) + " ago";
    return {"stream", ago <= tail_late_after && !parts_.tail.outage(), detail};
}

Check Health::leases() const {
    const auto renewed = parts_.workers.pulse().renewed_at;
    if (!renewed) return {"leases", false, "not renewed yet"};
    const auto ago = parts_.clock.steady_now() - *renewed;
    return {"leases", ago <= parts_.lease, "renewed " + seconds_text(ago) + " ago"};
}

Check Health::workers() const {
    const auto pulse = parts_.workers.pulse();
    const auto lost = pulse.threads_ended + pulse.threads_stuck;
    if (lost == 0) return {"workers", true, counted(pulse.threads, "thread") + " at work"};
    return {"workers",
            false,
            counted(pulse.threads_ended, "thread") + " ended, " +
                std::to_string(pulse.threads_stuck) + " without progress"};
}

std::string Health::to_json(const Readiness& readiness) {
    nlohmann::ordered_json checks = nlohmann::ordered_json::array();
    for (const Check& check : readiness.checks)
        checks.push_back({{"name", check.name}, {"ok", check.ok}, {"detail", check.detail}});
    return nlohmann::ordered_json{{"ready", readiness.ready}, {"checks", std::move(checks)}}.dump();
}

}  // namespace radd::monitoring
