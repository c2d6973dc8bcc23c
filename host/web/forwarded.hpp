#pragma once

/// What proxies say about the client, believed of those alone that the operator named.

#include <string>
#include <string_view>
#include <vector>

#include <host/config/address_range.hpp>
#include <radd/http.hpp>

namespace radd::web {

struct ClientAddress {
    std::string address;    ///< The first one, from our end, that no configured proxy has.
    bool is_https = false;  ///< X-Forwarded-Proto, from a configured proxy.
    std::string host{};     ///< X-Forwarded-Host, likewise; empty: nothing was said.
};

/// Walks X-Forwarded-For from its right end while what stands there is a configured proxy: what
/// lies further left anybody could have written.
[[nodiscard]] ClientAddress client_of(const std::string& peer_address,
                                      const std::vector<HttpField>& headers,
                                      const std::vector<config::AddressRange>& trusted);

}  // namespace radd::web
