#pragma once

/// Events become lines, one for each room whose filter they pass.

#include <string>

#include "rooms.hpp"
#include <radd/consumer.hpp>
#include <radd/services.hpp>

namespace chat {

/// Writes rows and nothing else, so each event is planned exactly once; begins at the head, and
/// passes what is silent: a bulk import tells no room.
class Planner final : public radd::WritingConsumer {
public:
    explicit Planner(radd::Services& host);

private:
    [[nodiscard]] radd::ConsumerTraits traits() const noexcept override {
        return {.sees_silent = true};
    }
    void offer(radd::Transaction& tx, const radd::Event& event) override;
    void plan(radd::Transaction& tx, const radd::Event& event);

    Rooms rooms_;
    const std::string public_url_;
};

}  // namespace chat
