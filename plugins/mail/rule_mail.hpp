#pragma once

/// Mails that rules send: what an automation may do with mail, and the queue they go out by.

#include <string_view>
#include <vector>

#include <radd/action.hpp>
#include <radd/delivery.hpp>

namespace mail {

inline constexpr std::string_view queue_name = "mail.rules";

[[nodiscard]] radd::DeliveryQueueSpec rule_queue();
[[nodiscard]] std::vector<radd::ActionSpec> actions();

}  // namespace mail
