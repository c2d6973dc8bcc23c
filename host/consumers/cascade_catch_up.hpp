#pragma once

/// Sweeping for a plugin what was deleted while it was off.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <host/consumers/cascade.hpp>
#include <radd/consumer.hpp>
#include <radd/services.hpp>

namespace radd::consumers {

inline constexpr std::string_view cascade_catch_up_task = "events.cascade_catch_up";

/// Compares the position of each plugin's cascades with the cursor of events.cascade, and sweeps
/// for it every event in between that one of them follows. A sweep that fails is recorded as one
/// of events.cascade. Some of what is swept here may have been swept before, or at the same time
/// by events.cascade, which CascadeSpec allows for.
///
/// One bounded slice of one plugin a tick, in one transaction; ticks follow each other until no
/// plugin is behind.
class CascadeCatchUp final : public PeriodicTask {
public:
    static constexpr std::chrono::minutes every{5};
    static constexpr std::int64_t events_per_tick_max = 100;

    CascadeCatchUp(const std::vector<Cascade>& cascades, Database& database, Log& log);

    [[nodiscard]] std::chrono::milliseconds interval() const override { return every; }
    [[nodiscard]] bool enabled() const override { return !plugins_.empty(); }
    bool tick() override;

private:
    /// What one tick came to.
    struct Pass {
        std::int64_t from = 0;  ///< Exclusive.
        std::int64_t to = 0;
        bool is_last = true;
        std::vector<Swept> swept{};
    };

    Pass sweep_slice(Transaction& tx, const std::vector<Cascade>& cascades);

    std::vector<std::vector<Cascade>> plugins_;  ///< By plugin; none is empty.
    Database& database_;
    Log& log_;
    std::size_t next_ = 0;
};

}  // namespace radd::consumers
