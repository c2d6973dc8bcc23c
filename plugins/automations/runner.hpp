#pragma once

/// What starts rules: events, and the clock.

#include <chrono>
#include <cstdint>
#include <string>

#include "engine.hpp"
#include "rules.hpp"
#include "sql.hpp"
#include <radd/consumer.hpp>
#include <radd/services.hpp>

namespace automations {

/// Every rule that listens, one after the other, in one transaction for each event with the cursor
/// in it: whatever dies, an event's rules have run once or not at all. Begins at the head, and
/// passes what is silent.
class Runner final : public radd::PerEventConsumer {
public:
    explicit Runner(radd::Services& host) : host_{host}, rules_{host}, engine_{host} {}

    void handle(radd::Transaction& tx, const radd::Event& event) override {
        const auto* spec = host_.catalog().event_type(event.type);
        if (spec == nullptr || !spec->trigger) return;
        for (const Rule& rule : rules_.started_by(tx, spec->type.name(), event.project_id))
            engine_.run(tx, rule, &event);
    }

private:
    radd::Services& host_;
    Rules rules_;
    Engine engine_;
};

/// One rule a tick, whose time is set anew in the transaction of its run, or in another one if that
/// is undone: no rule stands in the way of the next. What was missed while no host ran is made up
/// for once.
class Schedule final : public radd::PeriodicTask {
public:
    explicit Schedule(radd::Services& host)
        : database_{host.database()},
          interval_{host.settings().duration("schedule_poll")},
          rules_{host},
          engine_{host} {}

    [[nodiscard]] std::chrono::milliseconds interval() const override { return interval_; }
    bool tick() override;

private:
    void pass_over(const Rule& rule, const std::string& error);

    radd::Database& database_;
    std::chrono::milliseconds interval_;
    Rules rules_;
    Engine engine_;
};

/// Removes old lines of the run log, a bounded slice a tick.
class Retention final : public radd::PeriodicTask {
public:
    static constexpr std::int64_t rows_per_tick_max = 1000;

    explicit Retention(radd::Services& host)
        : database_{host.database()},
          kept_{host.settings().duration("runs_kept")},
          rows_max_{host.settings().integer("runs_max")} {}

    [[nodiscard]] std::chrono::milliseconds interval() const override {
        return std::chrono::minutes{10};
    }
    bool tick() override {
        return database_.transact([&](radd::Transaction& tx) {
            return tx.execute(sql::remove_runs, kept_.count(), rows_max_, rows_per_tick_max);
        }) >= rows_per_tick_max;
    }

private:
    radd::Database& database_;
    std::chrono::milliseconds kept_;
    std::int64_t rows_max_;
};

}  // namespace automations
