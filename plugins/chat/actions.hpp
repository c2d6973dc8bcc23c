#pragma once

/// What an automation may do with chat.

#include <vector>

#include <radd/action.hpp>

namespace chat {

[[nodiscard]] std::vector<radd::ActionSpec> actions();

}  // namespace chat
