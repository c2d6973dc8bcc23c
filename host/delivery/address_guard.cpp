#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <host/delivery/address_guard.hpp>
#include <radd/error.hpp>

namespace radd::delivery {
namespace {

using config::Address;
using config::AddressRange;

// https://www.iana.org/assignments/iana-ipv4-special-registry: all that is not globally reachable,
// and multicast. https://www.iana.org/assignments/iana-ipv6-special-registry likewise, inside the
// one block that is given out for unicast.
constexpr std::array<std::string_view, 23> not_public{
    "0.0.0.0/8",      "10.0.0.0/8",        "100.64.0.0/10",   "127.0.0.0/8",     "169.254.0.0/16",
    "172.16.0.0/12",  "192.0.0.0/24",      "192.0.2.0/24",    "192.31.196.0/24", "192.52.193.0/24",
    "192.88.99.0/24", "192.168.0.0/16",    "192.175.48.0/24", "198.18.0.0/15",   "198.51.100.0/24",
    "203.0.113.0/24", "224.0.0.0/4",       "240.0.0.0/4",     "2001::/23",       "2001:db8::/32",
    "2002::/16",      "2620:4f:8000::/48", "3fff::/20"};
constexpr std::string_view unicast_ipv6 = "2000::/3";

struct Wrapping {
    std::string_view range;
    std::size_t ipv4_at;  ///< Where in the address the IPv4 one begins.
};
constexpr std::array<Wrapping, 4> wrappings{{{"::ffff:0:0/96", 12},  // mapped, RFC 4291
                                             {"::/96", 12},          // compatible, RFC 4291
                                             {"64:ff9b::/96", 12},   // NAT64, RFC 6052
                                             {"2002::/16", 2}}};     // 6to4, RFC 3056

std::vector<AddressRange> ranges_of(std::span<const std::string_view> texts) {
    std::vector<AddressRange> ranges;
    for (const auto text : texts) ranges.push_back(AddressRange::parse(text).value());
    return ranges;
}

Address mapped(const Address& from, std::size_t at) {
    constexpr std::size_t tail = 12;
    Address address{};
    address[tail - 2] = address[tail - 1] = 0xFF;
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(at), 4, address.begin() + tail);
    return address;
}

/// The IPv4 address in `address`, mapped; empty: there is none.
std::optional<Address> unwrapped(const Address& address) {
    static const auto parsed = [] {
        std::vector<std::pair<AddressRange, std::size_t>> list;
        for (const auto& one : wrappings)
            list.emplace_back(AddressRange::parse(one.range).value(), one.ipv4_at);
        return list;
    }();
    for (const auto& [range, at] : parsed) {
        if (range.contains(address)) return mapped(address, at);
    }
    return std::nullopt;
}

bool is_in(const Address& address, const std::vector<AddressRange>& ranges) {
    return std::ranges::any_of(ranges,
                               [&](const AddressRange& range) { return range.contains(address); });
}

}  // namespace

AddressGuard::AddressGuard(const std::vector<std::string>& allowed) {
    for (const std::string& text : allowed) {
        const auto range = AddressRange::parse(text);
        if (!range) throw ConfigError{"outbound.allow: '" + text + "' is no address range"};
        allowed_.push_back(*range);
    }
}

bool AddressGuard::allows(const Address& address) const {
    static const auto refused = ranges_of(not_public);
    static const AddressRange unicast = AddressRange::parse(unicast_ipv6).value();
    if (is_in(address, allowed_)) return true;
    if (const auto ipv4 = unwrapped(address)) return !is_in(*ipv4, refused);
    return unicast.contains(address) && !is_in(address, refused);
}

}  // namespace radd::delivery
