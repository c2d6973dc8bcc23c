#pragma once

/// JSON Schemas of what the routes take and give.

#include <radd/json_text.hpp>

namespace notify::schema {

[[nodiscard]] radd::JsonText inbox();
[[nodiscard]] radd::JsonText unread();
[[nodiscard]] radd::JsonText mark();
[[nodiscard]] radd::JsonText read_through();
[[nodiscard]] radd::JsonText marked();
[[nodiscard]] radd::JsonText preferences();
[[nodiscard]] radd::JsonText preferences_patch();
[[nodiscard]] radd::JsonText watching_item();
[[nodiscard]] radd::JsonText watched_projects();

}  // namespace notify::schema
