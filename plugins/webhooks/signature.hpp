#pragma once

/// Standard Webhooks, symmetric signatures: https://www.standardwebhooks.com

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <radd/clock.hpp>

namespace webhooks {

inline constexpr std::size_t secret_bytes_min = 24;
inline constexpr std::size_t secret_bytes_max = 64;
inline constexpr std::string_view secret_prefix = "whsec_";

/// 32 bytes of chance: "whsec_" and Base64.
[[nodiscard]] std::string new_secret(radd::Random& random);

/// @throws radd::InvalidInput, field "secret", unless it is "whsec_" and Base64 of 24 to 64 bytes.
void check_secret(std::string_view secret);

/// "v1," and Base64 of HMAC-SHA256 over `id.timestamp.body`.
[[nodiscard]] std::string signature(std::string_view secret,
                                    std::string_view id,
                                    std::int64_t timestamp,
                                    std::string_view body);

}  // namespace webhooks
