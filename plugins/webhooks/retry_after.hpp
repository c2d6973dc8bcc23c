#pragma once

/// When a receiver wants to be tried again (RFC 9110 §10.2.3).

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include <radd/event.hpp>

namespace webhooks {

/// "Sun, 06 Nov 1994 08:49:37 GMT", the one form that may be sent today; empty: it is none.
[[nodiscard]] std::optional<radd::Timestamp> parse_http_date(std::string_view text);

/// Of several values the longest wait; a date that is past is no wait. What is neither a number of
/// seconds nor a date is passed. Empty: nothing usable was said. `now`: the receiver's own, if its
/// answer had a Date, so that two clocks are not compared.
[[nodiscard]] std::optional<std::chrono::seconds> retry_after(
    const std::vector<std::string_view>& values, radd::Timestamp now);

}  // namespace webhooks
