#pragma once

/// Addresses and ranges of addresses, as proxies are named.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace radd::config {

/// One IPv6 address, or an IPv4 one in its mapped form (::ffff:a.b.c.d), so that a client that
/// came in through a dual-stack socket is the same one.
using Address = std::array<std::uint8_t, 16>;

[[nodiscard]] std::optional<Address> parse_address(std::string_view text);

/// "10.1.2.3", "2001:db8::1"; a mapped address in its IPv4 form.
[[nodiscard]] std::string to_text(const Address& address);

/// What stands for a client that is counted: its IPv4 address, also where that is written as IPv6,
/// or the first 64 bits of its IPv6 address, of which one machine has as many as it likes. Other
/// text as it is.
[[nodiscard]] std::string address_block(std::string_view address);

class AddressRange {
public:
    /// "127.0.0.1", "10.0.0.0/8", "fd00::/8"; empty if it is none, or if bits behind the prefix
    /// are set, which means that somebody meant something else.
    [[nodiscard]] static std::optional<AddressRange> parse(std::string_view text);

    [[nodiscard]] bool contains(const Address& address) const noexcept;

private:
    Address first_{};
    int prefix_bits_ = 0;
};

}  // namespace radd::config
