#pragma once

/// Delivery queues, played by the test.

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <radd/delivery.hpp>

namespace radd::testing {

/// Keeps what was queued, whatever becomes of the transaction; a taken key is passed.
class FakeDeliveryQueue final : public DeliveryQueue {
public:
    [[nodiscard]] const std::vector<NewDelivery>& queued() const noexcept { return queued_; }
    [[nodiscard]] const std::vector<std::string>& cancelled_lanes() const noexcept {
        return cancelled_lanes_;
    }
    [[nodiscard]] const std::vector<std::int64_t>& replayed() const noexcept { return replayed_; }

    std::optional<std::int64_t> replay_one(Transaction&, std::int64_t id) override {
        replayed_.push_back(id);
        return id + 1;
    }
    std::int64_t replay_dead(Transaction&, const ReplayFilter&) override { return 0; }
    std::int64_t cancel_lane(Transaction&, std::string_view lane, std::string_view) override {
        cancelled_lanes_.emplace_back(lane);
        return std::ranges::count(queued_, lane, &NewDelivery::lane);
    }

private:
    std::int64_t do_enqueue(Transaction&, std::span<const NewDelivery> deliveries) override {
        std::int64_t count = 0;
        for (const NewDelivery& one : deliveries) {
            const bool taken =
                one.key && std::ranges::find(queued_, one.key, &NewDelivery::key) != queued_.end();
            if (taken) continue;
            queued_.push_back(one);
            ++count;
        }
        return count;
    }

    std::vector<NewDelivery> queued_;
    std::vector<std::string> cancelled_lanes_;
    std::vector<std::int64_t> replayed_;
};

/// Any queue that is asked for.
class FakeDeliveries {
public:
    [[nodiscard]] FakeDeliveryQueue& find(std::string_view name) {
        auto& queue = queues_[std::string{name}];
        if (!queue) queue = std::make_unique<FakeDeliveryQueue>();
        return *queue;
    }

private:
    std::map<std::string, std::unique_ptr<FakeDeliveryQueue>> queues_;
};

}  // namespace radd::testing
