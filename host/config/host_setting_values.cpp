#include <utility>

#include <host/config/address_range.hpp>
#include <host/config/host_setting_table.hpp>
#include <host/config/host_setting_values.hpp>
#include <host/config/utf8.hpp>
#include <radd/terminal_text.hpp>

namespace radd::config {
namespace {

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(' ');
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::optional<Complaint> check_proxy(std::string_view text) {
    if (AddressRange::parse(text)) return std::nullopt;
    return Complaint{
        "E46",
        "expected an address or a range, e.g. 127.0.0.1, 10.0.0.0/8 or fd00::/8, got " +
            shown(text)};
}

}  // namespace

Parsed<Endpoint> parse_endpoint(std::string_view text) {
    const auto refuse = [&] {
        return Complaint{
            "E46", "expected host:port, e.g. 127.0.0.1:8080 or [::1]:8080, got " + shown(text)};
    };
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) return refuse();
    auto host = text.substr(0, colon);
    const bool bracketed = host.starts_with('[') && host.ends_with(']');
    if (bracketed) host = host.substr(1, host.size() - 2);
    const bool stray = host.find_first_of("[]/@ ") != std::string_view::npos;
    const bool ambiguous = !bracketed && host.find(':') != std::string_view::npos;
    if (host.empty() || stray || ambiguous) return refuse();

    const auto port = parse_integer(text.substr(colon + 1), {0, 65535});
    if (const auto* complaint = std::get_if<Complaint>(&port)) {
        return Complaint{complaint->code, "port: " + complaint->message};
    }
    return Endpoint{std::string{host}, static_cast<std::uint16_t>(std::get<std::int64_t>(port))};
}

std::optional<Complaint> too_many_waits(std::size_t count) {
    if (count <= schedule_length_max) return std::nullopt;
    return Complaint{"E47",
                     std::to_string(count) + " waits are more than the " +
                         std::to_string(schedule_length_max) + " allowed"};
}

Parsed<std::vector<std::chrono::seconds>> parse_schedule(std::string_view text, Range range) {
    auto rest = trimmed(text);
    if (rest.starts_with('[') && rest.ends_with(']')) {
        rest = trimmed(rest.substr(1, rest.size() - 2));
    }
    std::vector<std::chrono::seconds> waits;
    for (bool more = !rest.empty(); more;) {
        const auto comma = rest.find(',');
        const auto wait = parse_integer(trimmed(rest.substr(0, comma)), range);
        if (const auto* complaint = std::get_if<Complaint>(&wait)) {
            return Complaint{complaint->code,
                             "item " + std::to_string(waits.size() + 1) + ": " + complaint->message,
                             "Write seconds with commas between them, or [] for no retries"};
        }
        waits.emplace_back(std::get<std::int64_t>(wait));
        more = comma != std::string_view::npos;
        if (more) rest.remove_prefix(comma + 1);
    }
    if (auto complaint = too_many_waits(waits.size())) return *std::move(complaint);
    return waits;
}

Parsed<std::vector<std::string>> parse_proxies(std::string_view text) {
    auto rest = trimmed(text);
    if (rest.starts_with('[') && rest.ends_with(']'))
        rest = trimmed(rest.substr(1, rest.size() - 2));
    std::vector<std::string> proxies;
    for (bool more = !rest.empty(); more;) {
        const auto comma = rest.find(',');
        const auto proxy = trimmed(rest.substr(0, comma));
        if (auto complaint = check_proxy(proxy)) return *std::move(complaint);
        if (proxies.size() == proxies_max)
            return Complaint{"E47", "more than " + std::to_string(proxies_max) + " proxies"};
        proxies.emplace_back(proxy);
        more = comma != std::string_view::npos;
        if (more) rest.remove_prefix(comma + 1);
    }
    return proxies;
}

// Neither check repeats the value: a password with a stray character is what breaks a URL.
std::optional<Complaint> check_database_url(std::string_view text) {
    const bool uri = text.starts_with("postgresql://") || text.starts_with("postgres://");
    if (uri || text.find('=') != std::string_view::npos) return std::nullopt;
    return Complaint{"E46", "expected postgresql://user@host:port/database or libpq keywords"};
}

std::optional<Complaint> check_metrics_access(std::string_view text) {
    if (text == "anyone" || text == "admin") return std::nullopt;
    return Complaint{"E48", "expected anyone or admin, got " + shown(text)};
}

std::optional<Complaint> check_public_url(std::string_view text) {
    if (text.starts_with("http://") || text.starts_with("https://")) return std::nullopt;
    return Complaint{"E46", "expected a URL that begins with http:// or https://"};
}

std::optional<Complaint> check_installation_name(std::string_view text) {
    constexpr std::size_t bytes_max = 200;
    if (text.size() > bytes_max)
        return Complaint{"E46", "is longer than " + std::to_string(bytes_max) + " bytes"};
    if (first_invalid_utf8(text)) return Complaint{"E46", "is not UTF-8"};
    if (terminal_text(text) == text) return std::nullopt;
    return Complaint{"E46", "contains a control character: " + shown(text)};
}

}  // namespace radd::config
