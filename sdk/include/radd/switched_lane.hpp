#pragma once

/// Receivers that people switch off and on, each with its lane of a delivery queue: what was queued
/// before one came back is never sent to it. In slices, since hundreds of thousands may wait.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <radd/delivery.hpp>
#include <radd/error.hpp>

namespace radd {

/// By one DeliveryQueue::cancel_lane().
inline constexpr std::int64_t lane_cancelled_max = 10'000;

/// In the transaction that switches a receiver on again, which has cancelled so many of its lane.
/// @throws InvalidInput with field "enabled" if more may be left: it would be sent.
inline void require_lane_empty(std::int64_t cancelled) {
    if (cancelled < lane_cancelled_max) return;
    throw InvalidInput{"enabled",
                       "what waited when it was switched off is still being cancelled; try again "
                       "in ten minutes"};
}

/// For a periodic task: cancels what waits for receivers that are off, whose rows `tx` has locked
/// against being switched on. Whether more is left, for the next tick.
[[nodiscard]] inline bool cancel_lanes(DeliveryQueue& queue,
                                       Transaction& tx,
                                       const std::vector<std::int64_t>& receivers,
                                       std::string_view reason) {
    std::int64_t cancelled = 0;
    for (const auto id : receivers) {
        cancelled += queue.cancel_lane(tx, std::to_string(id), reason);
        if (cancelled >= lane_cancelled_max) return true;
    }
    return false;
}

}  // namespace radd
