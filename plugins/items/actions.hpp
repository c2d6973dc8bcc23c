#pragma once

/// What automations may do to items.

#include <vector>

#include <radd/action.hpp>

namespace items {

/// Set a field, add a label, comment, create an item: by the services that people use, as the
/// system actor, whose comments are by the person "Automation".
[[nodiscard]] std::vector<radd::ActionSpec> actions();

}  // namespace items
