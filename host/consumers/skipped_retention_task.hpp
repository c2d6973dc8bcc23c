#pragma once

/// Removing records of skipped events that were settled long ago.

#include <chrono>
#include <cstdint>
#include <string_view>

#include <radd/consumer.hpp>
#include <radd/services.hpp>

namespace radd::consumers {

/// A bounded slice a tick; ticks follow each other until nothing is left to remove. What is open
/// stays however old it is, and so does what a receipt leaves out: without it `radd verify` could
/// not tell that the others were handled once.
class SkippedRetentionTask final : public PeriodicTask {
public:
    static constexpr std::string_view name = "radd.skipped_events";
    static constexpr std::chrono::hours every{1};
    static constexpr std::int64_t rows_per_tick_max = 1000;

    SkippedRetentionTask(Database& database, std::int64_t keep_days)
        : database_{database}, keep_days_{keep_days} {}

    [[nodiscard]] std::chrono::milliseconds interval() const override { return every; }
    [[nodiscard]] bool enabled() const override { return keep_days_ > 0; }
    bool tick() override;

private:
    Database& database_;
    std::int64_t keep_days_;
};

}  // namespace radd::consumers
