#pragma once

/// The queues of all plugins, as plugins write to them.

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <radd/delivery.hpp>
#include <radd/switched_lane.hpp>

namespace radd::delivery {

/// Rows of radd.deliveries with one queue's name.
class StoredQueue final : public DeliveryQueue {
public:
    static constexpr std::size_t rows_per_statement_max = 500;
    static constexpr std::size_t bytes_per_statement_max = std::size_t{8} * 1024 * 1024;
    /// By one cancel_lane(): hundreds of thousands would outlast statement_timeout, and with it
    /// whatever else their transaction does.
    static constexpr std::int64_t cancelled_max = lane_cancelled_max;

    explicit StoredQueue(std::string name) : name_{std::move(name)} {}

    [[nodiscard]] const std::string& name() const noexcept { return name_; }

    /// `heard` is called whenever rows may soon be due, on whatever thread queued them.
    void when_queued(std::function<void()> heard);

    std::optional<std::int64_t> replay_one(Transaction& tx, std::int64_t id) override;
    std::int64_t replay_dead(Transaction& tx, const ReplayFilter& filter) override;
    std::int64_t cancel_lane(Transaction& tx,
                             std::string_view lane,
                             std::string_view reason) override;

private:
    std::int64_t do_enqueue(Transaction& tx, std::span<const NewDelivery> deliveries) override;
    void tell() const;

    std::string name_;
    mutable std::mutex mutex_;
    std::function<void()> heard_;
};

/// All queues of the process by name. Filled on the boot thread, then [any-thread].
class Queues {
public:
    StoredQueue& add(const std::string& name);
    /// @throws ConfigError if no loaded plugin declares it.
    [[nodiscard]] StoredQueue& find(std::string_view name);
    [[nodiscard]] std::vector<std::string> names() const;

private:
    std::map<std::string, std::unique_ptr<StoredQueue>, std::less<>> queues_;
};

}  // namespace radd::delivery
