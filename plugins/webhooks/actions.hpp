#pragma once

/// What an automation may do with webhooks.

#include <vector>

#include <radd/action.hpp>

namespace webhooks {

[[nodiscard]] std::vector<radd::ActionSpec> actions();

}  // namespace webhooks
