#pragma once

/// Events become deliveries, one for each endpoint whose filter they pass.

#include <string>

#include "endpoints.hpp"
#include <radd/consumer.hpp>
#include <radd/services.hpp>

namespace webhooks {

/// Writes rows and nothing else, so each event is fanned out exactly once; begins at the head, and
/// passes what is silent: a bulk import tells nobody outside.
///
/// A deleted project leaves the filters here, silently or not, and not by a cascade, which would
/// take it out before its last events have passed them.
class FanOut final : public radd::WritingConsumer {
public:
    explicit FanOut(radd::Services& host);

private:
    [[nodiscard]] radd::ConsumerTraits traits() const noexcept override {
        return {.sees_silent = true};
    }
    void offer(radd::Transaction& tx, const radd::Event& event) override;
    void tell(radd::Transaction& tx, const radd::Event& event);

    Endpoints endpoints_;
    radd::DeliveryQueue& queue_;
    const std::string source_;
};

}  // namespace webhooks
