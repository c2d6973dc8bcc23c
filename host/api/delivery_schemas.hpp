#pragma once

/// JSON Schemas of what the routes of deliveries take and give.

#include <vector>

#include <radd/http.hpp>

namespace radd::api::schema {

[[nodiscard]] json delivery_queue();
[[nodiscard]] json delivery_lane();
[[nodiscard]] json delivery();
[[nodiscard]] json delivery_with_payload();
[[nodiscard]] json replayed_delivery();
[[nodiscard]] json replayed_letters();
[[nodiscard]] json cancelled_lane();

[[nodiscard]] json replay_letters_request();
[[nodiscard]] json cancel_lane_request();
[[nodiscard]] std::vector<QueryParameter> delivery_query();

}  // namespace radd::api::schema
