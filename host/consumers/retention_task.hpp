#pragma once

/// Dropping old partitions while the host runs, where the operator has asked for it.

#include <chrono>
#include <cstdint>
#include <string>

#include <host/db/pool.hpp>
#include <radd/consumer.hpp>
#include <radd/services.hpp>

namespace radd::consumers {

/// One host of a database at a time: it runs under the lease of its row in radd.consumers.
class RetentionTask final : public PeriodicTask {
public:
    static constexpr std::string_view name = "radd.retention";
    static constexpr std::chrono::minutes every{10};

    RetentionTask(db::Pool& pool, std::int64_t keep_days, Log& log)
        : pool_{pool}, keep_days_{keep_days}, log_{log} {}

    [[nodiscard]] std::chrono::milliseconds interval() const override { return every; }
    [[nodiscard]] bool enabled() const override { return keep_days_ > 0; }
    bool tick() override;

private:
    void say_once(std::string message);

    db::Pool& pool_;
    std::int64_t keep_days_;
    Log& log_;
    std::string said_;  ///< The same holders every ten minutes are no news.
};

}  // namespace radd::consumers
