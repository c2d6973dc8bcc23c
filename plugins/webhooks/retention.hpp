#pragma once

/// Removing old lines of the attempt log, and cancelling what waits for endpoints that are off: an
/// attempt cancels its own, but may be hours away.

#include <chrono>
#include <cstdint>
#include <vector>

#include "endpoints.hpp"
#include "sql.hpp"
#include <radd/consumer.hpp>
#include <radd/services.hpp>
#include <radd/switched_lane.hpp>

namespace webhooks {

/// A bounded slice a tick.
class Retention final : public radd::PeriodicTask {
public:
    static constexpr std::int64_t rows_per_tick_max = 1000;

    explicit Retention(radd::Services& host)
        : database_{host.database()},
          hooks_{host.deliveries(queue_name)},
          kept_{host.settings().duration("attempts_kept")} {}

    [[nodiscard]] std::chrono::milliseconds interval() const override {
        return std::chrono::minutes{10};
    }
    bool tick() override {
        return database_.transact([&](radd::Transaction& tx) {
            const bool more = cancel_disabled(tx);
            return tx.execute(sql::remove_attempts, kept_.count(), rows_per_tick_max) ==
                       rows_per_tick_max ||
                   more;
        });
    }

private:
    bool cancel_disabled(radd::Transaction& tx) {
        std::vector<std::int64_t> off;
        for (const auto row : tx.query(sql::hold_disabled_endpoints))
            off.push_back(row.integer("id"));
        return radd::cancel_lanes(hooks_, tx, off, "endpoint switched off");
    }

    radd::Database& database_;
    radd::DeliveryQueue& hooks_;
    std::chrono::milliseconds kept_;
};

}  // namespace webhooks
