#pragma once

/// Which addresses may be called from here.

#include <string>
#include <vector>

#include <host/config/address_range.hpp>

namespace radd::delivery {

/// Public unicast addresses, and what the operator has listed. Compared by number, after forms
/// that carry an IPv4 address (mapped, compatible, NAT64, 6to4) have been unwrapped, since the
/// way out may translate them back. The list is compared with the address as it is.
class AddressGuard {
public:
    /// @throws ConfigError naming the text that is no range.
    explicit AddressGuard(const std::vector<std::string>& allowed = {});

    [[nodiscard]] bool allows(const config::Address& address) const;

private:
    std::vector<config::AddressRange> allowed_;
};

}  // namespace radd::delivery
