#pragma once

/// Secrets that the host makes up, and what is kept of them.

#include <cstddef>
#include <string>
#include <string_view>

#include <radd/clock.hpp>

namespace radd::accounts {

/// Of chance in each secret: too many to guess, so a plain hash of it can be kept and looked up.
inline constexpr std::size_t secret_bytes = 32;

/// What tokens begin with, so that people and scanners of repositories know one when they see it.
inline constexpr std::string_view token_prefix = "radd_";

struct Secret {
    std::string text;  ///< Shown once: letters, digits, `-` and `_`, with the prefix in front.
    std::string hash;  ///< Kept: see hash_of().
};

[[nodiscard]] Secret new_secret(Random& random, std::string_view prefix = {});

/// SHA-256 as 64 hexadecimal digits. What it is looked up by tells nothing of the secret, so the
/// time that the lookup takes does not either.
[[nodiscard]] std::string hash_of(std::string_view secret);

/// Takes a time that depends on the lengths alone.
[[nodiscard]] bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept;

/// What an unsafe request of a session must repeat. It follows from the cookie, which does not
/// follow from it, so it is stored nowhere and scripts of the page may know it.
[[nodiscard]] std::string csrf_token_of(std::string_view session_cookie);

/// Bytes as URL-safe Base64 without padding (RFC 4648 §5).
[[nodiscard]] std::string base64url(std::string_view bytes);

}  // namespace radd::accounts
