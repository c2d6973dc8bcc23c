#pragma once

/// Removing the rows of deliveries that ended long ago.

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <radd/consumer.hpp>
#include <radd/services.hpp>

namespace radd::delivery {

/// One bounded slice of one queue a tick, so that no transaction is long and a stop waits for
/// none; ticks follow each other until nothing is left to remove.
class RetentionTask final : public PeriodicTask {
public:
    static constexpr std::chrono::minutes every{10};
    static constexpr std::int64_t rows_per_tick_max = 1000;

    struct Kept {
        std::string queue;
        std::chrono::hours keep_finished;
    };
    RetentionTask(Database& database, std::vector<Kept> queues)
        : database_{database}, queues_{std::move(queues)} {}

    [[nodiscard]] std::chrono::milliseconds interval() const override { return every; }
    [[nodiscard]] bool enabled() const override { return !queues_.empty(); }
    bool tick() override;

private:
    Database& database_;
    std::vector<Kept> queues_;
    std::size_t next_ = 0;
};

}  // namespace radd::delivery
