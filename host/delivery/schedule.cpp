#include <algorithm>

#include <host/delivery/schedule.hpp>

namespace radd::delivery {
namespace {

std::chrono::milliseconds wait_after(std::chrono::seconds rung,
                                     std::optional<std::chrono::seconds> wish,
                                     double jitter,
                                     Random& random) {
    std::chrono::milliseconds wait = rung;
    if (jitter > 0) {
        const auto stretch = static_cast<double>(wait.count()) * jitter * random.unit();
        wait += std::chrono::milliseconds{static_cast<std::int64_t>(stretch)};
    }
    if (!wish) return wait;
    return std::max<std::chrono::milliseconds>(wait, std::min(*wish, rung + retry_after_extra_max));
}

}  // namespace

Decision decide(const AttemptResult& result,
                std::int32_t attempt,
                std::span<const std::chrono::seconds> schedule,
                double jitter,
                Random& random) {
    using Outcome = AttemptResult::Outcome;
    switch (result.outcome) {
        case Outcome::delivered:
            return {.state = "delivered"};
        case Outcome::cancelled:
            return {.state = "cancelled"};
        case Outcome::dead:
            return {.state = "dead"};
        case Outcome::failed:
        case Outcome::unreachable:
            break;
    }
    const auto failed = static_cast<std::size_t>(std::max(attempt, 1));
    if (failed > schedule.size()) return {.state = "dead"};
    return {.state = "pending",
            .wait = wait_after(schedule[failed - 1], result.retry_after, jitter, random)};
}

}  // namespace radd::delivery
