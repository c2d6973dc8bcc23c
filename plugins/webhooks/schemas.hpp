#pragma once

/// JSON Schemas of what the routes take and give.

#include <radd/json_text.hpp>

namespace webhooks {

[[nodiscard]] radd::JsonText endpoint_schema();
[[nodiscard]] radd::JsonText endpoints_schema();
[[nodiscard]] radd::JsonText made_schema();
[[nodiscard]] radd::JsonText new_endpoint_schema();
[[nodiscard]] radd::JsonText endpoint_change_schema();
[[nodiscard]] radd::JsonText secret_schema();
[[nodiscard]] radd::JsonText rotate_schema();
[[nodiscard]] radd::JsonText attempts_schema();
[[nodiscard]] radd::JsonText replay_schema();
[[nodiscard]] radd::JsonText replayed_schema();

}  // namespace webhooks
