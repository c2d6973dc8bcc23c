#pragma once

/// Removing old notices.

#include <chrono>
#include <cstdint>

#include "sql.hpp"
#include <radd/consumer.hpp>
#include <radd/services.hpp>

namespace notify {

/// A bounded slice a tick.
class Retention final : public radd::PeriodicTask {
public:
    static constexpr std::int64_t rows_per_tick_max = 1000;

    explicit Retention(radd::Services& host)
        : database_{host.database()}, kept_{host.settings().duration("notices_kept")} {}

    [[nodiscard]] std::chrono::milliseconds interval() const override {
        return std::chrono::minutes{10};
    }
    bool tick() override {
        return database_.transact([&](radd::Transaction& tx) {
            return tx.execute(sql::remove_notices, kept_.count(), rows_per_tick_max);
        }) == rows_per_tick_max;
    }

private:
    radd::Database& database_;
    std::chrono::milliseconds kept_;
};

}  // namespace notify
