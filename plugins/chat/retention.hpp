#pragma once

/// Removing lines that were posted or dropped long ago, and dropping what waits in rooms that are
/// off, with its deliveries: an attempt cancels its own, but may be hours away.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "rooms.hpp"
#include "sql.hpp"
#include <radd/consumer.hpp>
#include <radd/services.hpp>

namespace chat {

/// A bounded slice a tick. A delivery whose line is gone posts the text that it carries.
class Retention final : public radd::PeriodicTask {
public:
    static constexpr std::int64_t rows_per_tick_max = 1000;
    static constexpr std::chrono::hours kept{24 * 30};

    explicit Retention(radd::Services& host)
        : database_{host.database()}, posts_{host.deliveries(queue_name)} {}

    [[nodiscard]] std::chrono::milliseconds interval() const override {
        return std::chrono::minutes{10};
    }
    bool tick() override {
        return database_.transact([&](radd::Transaction& tx) {
            const bool more = cancel_disabled(tx);
            const auto dropped = tx.execute(sql::drop_lines_of_disabled, rows_per_tick_max);
            const auto removed = tx.execute(
                sql::remove_lines, std::chrono::milliseconds{kept}.count(), rows_per_tick_max);
            return more || std::max(dropped, removed) == rows_per_tick_max;
        });
    }

private:
    bool cancel_disabled(radd::Transaction& tx) {
        std::vector<std::int64_t> off;
        for (const auto row : tx.query(sql::hold_disabled_rooms)) off.push_back(row.integer("id"));
        return radd::cancel_lanes(posts_, tx, off, "room switched off");
    }

    radd::Database& database_;
    radd::DeliveryQueue& posts_;
};

}  // namespace chat
