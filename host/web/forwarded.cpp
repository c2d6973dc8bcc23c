#include <algorithm>
#include <ranges>

#include <host/web/forwarded.hpp>
#include <host/web/message.hpp>
#include <host/web/text.hpp>

namespace radd::web {
namespace {

bool is_trusted(const config::Address& address, const std::vector<config::AddressRange>& trusted) {
    return std::ranges::any_of(trusted, [&](const auto& range) { return range.contains(address); });
}

/// Every field of that name as one list: a proxy may append a field of its own.
std::vector<std::string_view> listed(const std::vector<HttpField>& headers, std::string_view name) {
    std::vector<std::string_view> items;
    for (const auto& [key, value] : headers) {
        if (key != name) continue;
        for (const auto item : split(value, ',')) items.push_back(trimmed(item));
    }
    return items;
}

}  // namespace

ClientAddress client_of(const std::string& peer_address,
                        const std::vector<HttpField>& headers,
                        const std::vector<config::AddressRange>& trusted) {
    const auto peer = config::parse_address(peer_address);
    if (!peer) return {.address = peer_address};
    ClientAddress client{.address = config::to_text(*peer)};
    if (!is_trusted(*peer, trusted)) return client;

    for (const auto hop : listed(headers, "x-forwarded-for") | std::views::reverse) {
        const auto address = config::parse_address(hop);
        if (!address) break;  // The last proxy we could follow answers for it.
        client.address = config::to_text(*address);
        if (!is_trusted(*address, trusted)) break;
    }
    const auto protocols = listed(headers, "x-forwarded-proto");
    client.is_https = !protocols.empty() && is_same_name(protocols.back(), "https");
    const auto hosts = listed(headers, "x-forwarded-host");
    if (!hosts.empty()) client.host = hosts.back();
    return client;
}

}  // namespace radd::web
