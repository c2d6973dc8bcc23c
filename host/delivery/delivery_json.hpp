#pragma once

/// Deliveries as JSON, for `--json` of the commands and for the API alike.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include <host/delivery/operations.hpp>

namespace radd::delivery {

/// Members as the fields are called; what is absent is null.
[[nodiscard]] nlohmann::ordered_json to_json(const QueueStatus& status);
[[nodiscard]] nlohmann::ordered_json to_json(const LaneStatus& status);
[[nodiscard]] nlohmann::ordered_json to_json(const StoredDelivery& delivery);
[[nodiscard]] nlohmann::ordered_json to_json(const DeadLetters& letters);

/// With its payload as `payload`; as text, because that stands in it as it is stored, so that
/// numbers stay exact.
[[nodiscard]] std::string json_text(const StoredDelivery& delivery,
                                    const std::string& payload_text);

}  // namespace radd::delivery
