#pragma once

/// What a receiver has said.

#include <radd/delivery.hpp>
#include <radd/http_client.hpp>

namespace webhooks {

inline constexpr int gone = 410;  ///< The status of who wants no more.

/// What an answer means; also for redirects, which are not followed. A
/// Retry-After that is a date counts only where the answer has a Date of its own.
[[nodiscard]] radd::AttemptResult judge(const radd::HttpAnswer& answer);

}  // namespace webhooks
