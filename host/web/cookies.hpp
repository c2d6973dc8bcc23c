#pragma once

/// Cookies, as they are read and as they are set.

#include <chrono>
#include <string>
#include <string_view>

namespace radd::web {

/// `__Host-radd_session` where people come by https: a browser then refuses one that a neighbour
/// domain or plain http has set. `radd_session` elsewhere, where browsers would refuse the prefix.
[[nodiscard]] constexpr std::string_view session_cookie_name(bool public_https) noexcept {
    return public_https ? "__Host-radd_session" : "radd_session";
}

/// Likewise for what says that a browser has signed in before.
[[nodiscard]] constexpr std::string_view device_cookie_name(bool public_https) noexcept {
    return public_https ? "__Host-radd_device" : "radd_device";
}

/// The value of the cookie in a Cookie header; empty if it is not there, or there twice.
[[nodiscard]] std::string_view cookie_value(std::string_view cookie_header, std::string_view name);

/// A Set-Cookie value: HttpOnly, SameSite=Lax, Path=/, and Secure where the name asks for it.
/// `max_age` 0 makes a browser forget it.
[[nodiscard]] std::string set_cookie(std::string_view name,
                                     std::string_view value,
                                     std::chrono::seconds max_age);

}  // namespace radd::web
