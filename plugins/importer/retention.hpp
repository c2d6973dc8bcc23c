#pragma once

/// Forgetting imports that nobody will take back any more.

#include <chrono>
#include <cstdint>

#include "journal_sql.hpp"
#include <radd/consumer.hpp>
#include <radd/services.hpp>

namespace importer {

/// A bounded slice a tick. What an import has made stays, and a later one still knows it.
class Retention final : public radd::PeriodicTask {
public:
    static constexpr std::int64_t imports_per_tick_max = 10;
    static constexpr std::int64_t rows_per_tick_max = 1000;

    explicit Retention(radd::Services& host)
        : database_{host.database()}, kept_{host.settings().duration("imports_kept")} {}

    [[nodiscard]] std::chrono::milliseconds interval() const override {
        return std::chrono::minutes{10};
    }
    bool tick() override {
        return database_.transact([&](radd::Transaction& tx) {
            const auto marked =
                tx.execute(sql::forget_imports, kept_.count(), imports_per_tick_max);
            const auto removed = tx.execute(sql::delete_forgotten_writes, rows_per_tick_max);
            tx.execute(sql::delete_forgotten_imports);
            return marked == imports_per_tick_max || removed == rows_per_tick_max;
        });
    }

private:
    radd::Database& database_;
    std::chrono::milliseconds kept_;
};

}  // namespace importer
