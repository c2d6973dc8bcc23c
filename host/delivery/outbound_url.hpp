#pragma once

/// URLs that go out, as libcurl reads them: it is libcurl that follows them.

#include <optional>
#include <string>
#include <string_view>

#include <host/config/address_range.hpp>

namespace radd::delivery {

struct OutboundUrl {
    std::string text;  ///< Put together from its parts again; means the same.
    std::string host;  ///< Numbers as a.b.c.d, in whatever spelling they came; IPv6 in brackets.
    std::string zone;  ///< Of an IPv6 address that is of one network interface.

    friend bool operator==(const OutboundUrl&, const OutboundUrl&) = default;
};

/// What people are shown as its host, between `//` and the next `/`, `?` or `#`, is where it leads.
/// @throws InvalidInput, field "url": no URL, not http or https, with credentials, with its host in
///         disguise, too long.
[[nodiscard]] OutboundUrl parse_url(std::string_view text);

/// The address that a host is without a name server being asked; empty: it is a name.
[[nodiscard]] std::optional<config::Address> number_in(std::string host);

}  // namespace radd::delivery
