#pragma once

/// The one way out: HTTP by libcurl.

#include <string>
#include <vector>

#include <host/delivery/address_guard.hpp>
#include <radd/http_client.hpp>

namespace radd::delivery {

class OutboundClient final : public HttpClient {
public:
    static constexpr std::chrono::milliseconds connect_timeout_max{10'000};

    /// `allowed`: `outbound.allow`. @throws ConfigError naming a text that is no range.
    explicit OutboundClient(const std::vector<std::string>& allowed, std::string user_agent);

    void vet_url(std::string_view url) const override;
    [[nodiscard]] HttpAnswer call(const HttpCall& call) override;

private:
    AddressGuard guard_;
    std::string user_agent_;
};

}  // namespace radd::delivery
