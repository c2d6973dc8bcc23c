#pragma once

/// Events become deliveries, one for each endpoint whose filter they pass.

#include <string>

#include <radd/consumer.hpp>
#include <radd/services.hpp>

namespace webhooks {

/// Writes rows and nothing else, so each event is fanned out exactly once; begins at the head, and
/// passes what is silent: a bulk import tells nobody outside.
class FanOut final : public radd::WritingConsumer {
public:
    explicit FanOut(radd::Services& host);

private:
    [[nodiscard]] radd::ConsumerTraits traits() const noexcept override { return {}; }
    void offer(radd::Transaction& tx, const radd::Event& event) override;

    radd::DeliveryQueue& queue_;
    const std::string source_;
};

}  // namespace webhooks
