#pragma once

/// Removing lines that were posted or dropped long ago, and dropping what waits in rooms that are
/// off.

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "sql.hpp"
#include <radd/consumer.hpp>
#include <radd/services.hpp>

namespace chat {

/// A bounded slice a tick. A delivery whose line is gone posts the text that it carries.
class Retention final : public radd::PeriodicTask {
public:
    static constexpr std::int64_t rows_per_tick_max = 1000;
    static constexpr std::chrono::hours kept{24 * 30};

    explicit Retention(radd::Services& host) : database_{host.database()} {}

    [[nodiscard]] std::chrono::milliseconds interval() const override {
        return std::chrono::minutes{10};
    }
    bool tick() override {
        return database_.transact([&](radd::Transaction& tx) {
            const auto dropped = tx.execute(sql::drop_lines_of_disabled, rows_per_tick_max);
            return std::max(
                dropped,
                tx.execute(
                    sql::remove_lines, std::chrono::milliseconds{kept}.count(), rows_per_tick_max));
        }) == rows_per_tick_max;
    }

private:
    radd::Database& database_;
};

}  // namespace chat
