#pragma once

/// One attempt to tell an endpoint, and what follows from how it went.

#include <chrono>

#include "endpoints.hpp"
#include <radd/delivery.hpp>
#include <radd/services.hpp>

namespace webhooks {

class Sender final : public radd::DeliveryHandler {
public:
    static constexpr std::chrono::seconds timeout{15};  ///< Of a call.

    explicit Sender(radd::Services& host);

    radd::AttemptResult attempt(const radd::Delivery& delivery) override;
    void settled(radd::Transaction& tx,
                 const radd::Delivery& delivery,
                 const radd::Settled& settled) override;

private:
    radd::Services& host_;
    Endpoints endpoints_;
    std::chrono::milliseconds disable_after_;
};

}  // namespace webhooks
