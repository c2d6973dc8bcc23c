#pragma once

/// Learns from the stream what happens to items.

#include <radd/consumer.hpp>
#include <radd/services.hpp>

namespace sla {

/// The stream is the one place that has every change of state with its time, also those between two
/// looks and those while no host ran; an imported history comes by it as well. It tells nobody:
/// that is Alarm's, by the clock.
class Follower final : public radd::ProjectionConsumer {
public:
    explicit Follower(radd::Services& host) : log_{host.log()} {}

    void project(radd::Transaction& tx, const radd::Event& event) override;

private:
    radd::Log& log_;
};

}  // namespace sla
