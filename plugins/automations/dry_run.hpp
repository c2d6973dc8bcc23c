#pragma once

/// What a rule would do, without doing it.

#include <cstdint>
#include <optional>

#include "rules.hpp"
#include <radd/services.hpp>

namespace automations {

/// `{would, reason, plan}`: would is pass, stop, idle, apply or fail, as a real run decides; the
/// plan is what that would apply. By the clock where no event is given.
/// @throws radd::InvalidInput if there is no such event.
[[nodiscard]] radd::json dry_run(radd::Services& host,
                                 const Rule& rule,
                                 std::optional<std::int64_t> event_id);

/// Of rule $1 or of all, before run $2; at most $3 up to runs_listed_max.
inline constexpr std::int64_t runs_listed_max = 200;
[[nodiscard]] radd::json runs(radd::Transaction& tx,
                              std::optional<std::int64_t> rule_id,
                              std::optional<std::int64_t> before,
                              std::int64_t limit);

}  // namespace automations
