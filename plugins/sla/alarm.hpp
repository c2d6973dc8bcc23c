#pragma once

/// The clock itself: looks every few seconds what has become due.

#include "clocks.hpp"
#include <radd/consumer.hpp>
#include <radd/services.hpp>

namespace sla {

/// A look is one transaction of what rules have changed for and one of what is due; neither stops
/// the other. Any number may run at once, also beside `radd sla check`: a clock is told of by
/// whoever holds its row.
class Alarm final : public radd::PeriodicTask {
public:
    explicit Alarm(radd::Services& host)
        : database_{host.database()},
          log_{host.log()},
          interval_{host.settings().duration("check_interval")} {}

    [[nodiscard]] std::chrono::milliseconds interval() const override { return interval_; }
    bool tick() override;

private:
    bool refresh_one();

    radd::Database& database_;
    radd::Log& log_;
    const std::chrono::milliseconds interval_;
    Place place_{};
};

}  // namespace sla
