#include <host/web/cookies.hpp>
#include <host/web/text.hpp>

namespace radd::web {

std::string_view cookie_value(std::string_view cookie_header, std::string_view name) {
    std::string_view value;
    bool found = false;
    for (const auto pair : split(cookie_header, ';')) {
        const auto equals = pair.find('=');
        if (equals == std::string_view::npos || trimmed(pair.substr(0, equals)) != name) continue;
        // Somebody else's cookie beside ours: which is which nobody can tell.
        if (found) return {};
        found = true;
        value = trimmed(pair.substr(equals + 1));
    }
    return value;
}

std::string set_cookie(std::string_view name,
                       std::string_view value,
                       std::chrono::seconds max_age) {
    std::string cookie{name};
    cookie.append("=").append(value);
    cookie.append("; Path=/; HttpOnly; SameSite=Lax; Max-Age=");
    cookie.append(std::to_string(max_age.count()));
    if (name.starts_with("__Host-")) cookie.append("; Secure");
    return cookie;
}

}  // namespace radd::web
