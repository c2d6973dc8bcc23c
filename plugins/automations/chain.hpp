#pragma once

/// The loop guard: which rules have led to an event, and who may go on from there.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <radd/event.hpp>

namespace automations {

/// Rules in a chain; the one after is stopped, whatever it has opted in to.
inline constexpr std::size_t depth_max = 5;

/// The rules behind an event, the first one first. Empty: a person did it, or nobody.
using Chain = std::vector<std::int64_t>;

/// As events carry it: "automations/7/9". 4000 bytes hold more than depth_max.
[[nodiscard]] std::string cause_of(const Chain& chain);

/// Empty: the cause is somebody else's, so nothing is known of how long its chain is.
[[nodiscard]] std::optional<Chain> chain_of(std::string_view cause);

/// Why the rule does not start from `event`; empty: it may. Silent events, what the system actor
/// does and what automations have caused start nothing. A rule that chains starts from the latter
/// too, but never from what it had a part in itself and not past depth_max. An event without any
/// actor is somebody's.
[[nodiscard]] std::string stopped_by(const radd::Event& event, std::int64_t rule_id, bool chains);

/// The chain that a run of `rule_id` from `event` makes.
[[nodiscard]] Chain chain_after(const radd::Event* event, std::int64_t rule_id);

}  // namespace automations
