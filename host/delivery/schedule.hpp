#pragma once

/// What becomes of a delivery after an attempt. Pure but for chance.

#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>

#include <radd/clock.hpp>
#include <radd/delivery.hpp>

namespace radd::delivery {

/// A row's state as it is stored, and the wait before the next attempt if it is still pending.
struct Decision {
    std::string_view state;
    std::chrono::milliseconds wait{0};

    [[nodiscard]] bool is_final() const noexcept { return state != "pending"; }
    [[nodiscard]] bool is_dead() const noexcept { return state == "dead"; }
};

/// After attempt number `attempt` (1 for the first). A schedule that has become shorter than the
/// attempts made is used up.
[[nodiscard]] Decision decide(const AttemptResult& result,
                              std::int32_t attempt,
                              std::span<const std::chrono::seconds> schedule,
                              double jitter,
                              Random& random);

}  // namespace radd::delivery
