#pragma once

/// JSON Schemas of the bodies and answers of the routes. What they let through is checked again,
/// with the rules that a schema cannot say, where it is written.

#include <radd/json_text.hpp>

namespace sla {

[[nodiscard]] radd::json new_calendar_schema();
[[nodiscard]] radd::json calendar_change_schema();
[[nodiscard]] radd::json calendar_schema();
[[nodiscard]] radd::json calendars_schema();
[[nodiscard]] radd::json new_policy_schema();
[[nodiscard]] radd::json policy_change_schema();
[[nodiscard]] radd::json policy_schema();
[[nodiscard]] radd::json policies_schema();
[[nodiscard]] radd::json clocks_schema();       ///< A page of them.
[[nodiscard]] radd::json item_clocks_schema();  ///< Of one item.
/// Of what the events carry beside the item.
[[nodiscard]] radd::json event_schema();

}  // namespace sla
