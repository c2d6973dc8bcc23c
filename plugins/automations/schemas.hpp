#pragma once

/// JSON Schemas of what the routes take and give. What a rule may hold is said by rule.hpp; here it
/// is described for people.

#include <radd/json_text.hpp>

namespace automations {

[[nodiscard]] radd::JsonText rule_schema();
[[nodiscard]] radd::JsonText rules_schema();
[[nodiscard]] radd::JsonText new_rule_schema();
[[nodiscard]] radd::JsonText rule_change_schema();
[[nodiscard]] radd::JsonText dry_run_request_schema();
[[nodiscard]] radd::JsonText dry_run_schema();
[[nodiscard]] radd::JsonText runs_schema();

}  // namespace automations
