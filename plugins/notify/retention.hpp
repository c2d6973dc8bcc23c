#pragma once

/// Removing old notices and digests.

#include <chrono>
#include <cstdint>

#include "notices.hpp"
#include "sql.hpp"
#include <radd/consumer.hpp>
#include <radd/services.hpp>

namespace notify {

/// A bounded slice of each a tick.
class Retention final : public radd::PeriodicTask {
public:
    static constexpr std::int64_t rows_per_tick_max = 1000;

    explicit Retention(radd::Services& host)
        : database_{host.database()}, kept_{host.settings().duration("notices_kept")} {}

    [[nodiscard]] std::chrono::milliseconds interval() const override {
        return std::chrono::minutes{10};
    }
    bool tick() override {
        const auto remove = [this](radd::Sql statement) {
            return database_.transact([&](radd::Transaction& tx) {
                return tx.execute(statement, kept_.count(), rows_per_tick_max, queue_name);
            }) == rows_per_tick_max;
        };
        const bool more_notices = remove(sql::remove_notices);
        return remove(sql::remove_digests) || more_notices;
    }

private:
    radd::Database& database_;
    std::chrono::milliseconds kept_;
};

}  // namespace notify
