#pragma once

/// Any bytes as a URL that somebody wants to be called: what is taken reads as the same again,
/// leads where people are shown that it leads, and is no number inside.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <host/delivery/address_guard.hpp>
#include <host/delivery/outbound.hpp>
#include <host/delivery/outbound_url.hpp>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <tests/fuzz/invariant.hpp>

namespace fuzz {

/// As the registries of special addresses have them, and written another way than the guard's.
inline bool is_inside(std::uint32_t ipv4) {
    const auto first = ipv4 >> 24U;
    const auto second = ipv4 >> 16U & 0xFFU;
    return first == 0 || first == 10 || first == 127 || first >= 224 ||
           (first == 100 && second >= 64 && second < 128) || (first == 169 && second == 254) ||
           (first == 172 && second >= 16 && second < 32) || (first == 192 && second == 168) ||
           (first == 198 && (second == 18 || second == 19));
}

inline bool is_inside(const radd::config::Address& address) {
    const auto ipv4_at = [&](std::size_t at) {
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < 4; ++i) value = value << 8U | address.at(at + i);
        return value;
    };
    const auto zeros = static_cast<std::size_t>(
        std::ranges::find_if(address, [](std::uint8_t byte) { return byte != 0; }) -
        address.begin());
    if (zeros >= 12 || (zeros == 10 && address[10] == 0xFF && address[11] == 0xFF))
        return is_inside(ipv4_at(12));
    if (ipv4_at(0) == 0x0064FF9B)
        return ipv4_at(4) != 0 || ipv4_at(8) != 0 || is_inside(ipv4_at(12));
    if (address[0] == 0x20 && address[1] == 0x02) return is_inside(ipv4_at(2));
    return (address[0] & 0xFEU) == 0xFC || address[0] >= 0xFE || address[0] < 0x20;
}

/// Any bytes as an address.
inline void check_guard(std::string_view bytes) {
    static const radd::delivery::AddressGuard guard;
    radd::config::Address address{};
    const auto tail = bytes.substr(bytes.size() - std::min(bytes.size(), address.size()));
    std::ranges::copy(tail, address.begin());
    require(!guard.allows(address) || !is_inside(address), "a guarded address is public");
    for (const std::size_t at : {10U, 11U}) address.at(at) = 0xFF;
    std::fill_n(address.begin(), 10, std::uint8_t{0});
    require(!guard.allows(address) || !is_inside(address), "a guarded IPv4 address is public");
}

/// As a resolver reads it that is asked for numbers alone; fails for names.
inline void check_number(std::string host) {
    if (host.starts_with('[')) host = host.substr(1, host.find(']') - 1);
    if (host.ends_with('.')) host.pop_back();
    addrinfo wanted{};
    wanted.ai_flags = AI_NUMERICHOST;
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(host.c_str(), nullptr, &wanted, &found) != 0) return;
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned{found, &freeaddrinfo};
    radd::config::Address address{};
    if (found->ai_family == AF_INET) {
        address[10] = address[11] = 0xFF;
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(
            &reinterpret_cast<const sockaddr_in*>(found->ai_addr)->sin_addr);
        std::copy_n(bytes, 4, address.begin() + 12);
    } else {
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(
            &reinterpret_cast<const sockaddr_in6*>(found->ai_addr)->sin6_addr);
        std::copy_n(bytes, address.size(), address.begin());
    }
    require(!is_inside(address), "a number that is taken is public");
}

/// What stands between the slashes and the path, as pages show it, without a port.
inline std::string shown_host(std::string_view url) {
    const auto begin = url.find("//") + 2;
    auto host = url.substr(begin, url.find_first_of("/?#", begin) - begin);
    const auto bracket = host.find(']');
    host = host.substr(0, host.find(':', bracket == std::string_view::npos ? 0 : bracket));
    return std::string{host};
}

/// "": it would be called; "address": it is inside; "url": it is no URL for us.
inline std::string url_refusal(std::string_view text) {
    static const radd::delivery::OutboundClient client{{}, "fuzz"};
    try {
        client.vet_url(text);
    } catch (const radd::AddressNotAllowed& refused) {
        require(refused.field() == "url", "a refusal names the field");
        return "address";
    } catch (const radd::InvalidInput& refused) {
        require(refused.field() == "url", "a refusal names the field");
        return "url";
    }
    return "";
}

inline void check_url(std::string_view text) {
    check_guard(text);
    if (!url_refusal(text).empty()) return;
    const auto url = radd::delivery::parse_url(text);
    require(text.size() <= radd::outbound_url_bytes_max, "a URL is within its limit");
    require(!url.host.empty(), "a URL has a host");
    check_number(url.host);
    const bool is_number = radd::delivery::number_in(url.host).has_value();
    require(is_number || shown_host(text) == url.host, "the host that is shown is called");

    const auto again = radd::delivery::parse_url(url.text);
    require(again == url, "a URL that is written is read as the same");
    require(url_refusal(url.text).empty(), "and taken as well");
}

}  // namespace fuzz
