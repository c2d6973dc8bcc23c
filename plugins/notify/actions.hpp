#pragma once

/// What automations may do here: tell somebody of an item.

#include <vector>

#include <radd/manifest.hpp>

namespace notify {

inline constexpr std::size_t rule_text_length_max = 1000;  ///< In characters.

/// `notify.person`. Whom it reaches is decided by the plan, whom it may reach when it is applied:
/// who has no account in force, or wants to hear of no rule, is left out.
[[nodiscard]] std::vector<radd::ActionSpec> actions();

}  // namespace notify
