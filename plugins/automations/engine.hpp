#pragma once

/// One rule and one event: what would happen, and making it happen.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rules.hpp"
#include <radd/catalog.hpp>
#include <radd/services.hpp>

namespace automations {

struct PlannedAction {
    std::string action;
    radd::ActionPlan plan;
};

/// What a rule makes of an event.
struct Outline {
    enum class Verdict : std::uint8_t {
        pass,   ///< It does not listen to it, or its conditions do not hold.
        stop,   ///< The loop guard holds it.
        idle,   ///< All is as its actions wish already.
        apply,  ///< Its actions have something to do.
    };

    Verdict verdict = Verdict::pass;
    std::string reason{};  ///< Of pass and stop.
    std::vector<PlannedAction> actions{};
};

[[nodiscard]] std::string_view name_of(Outline::Verdict verdict) noexcept;

/// `[{action, summary, details, has_effect}]`, as a dry run shows it and the run log keeps it.
[[nodiscard]] radd::json to_json(const std::vector<PlannedAction>& actions);

/// Keeps nothing between two calls. [any-thread]
class Engine {
public:
    explicit Engine(radd::Services& host);

    /// What `rule` would do on `event`, or by the clock if that is null. Writes nothing. A real run
    /// is this and then apply(), so that what it shows is what would happen.
    /// @throws radd::InvalidInput if an action cannot be planned; as Transaction::query().
    [[nodiscard]] Outline plan(radd::Transaction& tx,
                               const Rule& rule,
                               const radd::Event* event) const;

    /// Plans and applies in a savepoint of its own, and writes a line in the run log unless it
    /// passes. What throws undoes this rule's work alone, and is a line and an event as well. A
    /// race that is lost is run again by itself, as the rules before it have lost nothing.
    /// @throws radd::Unavailable, radd::Contention (a second time): the whole event is for another
    ///         time.
    void run(radd::Transaction& tx, const Rule& rule, const radd::Event* event) const;

    /// The line and the event of a run whose work is undone.
    void fail(radd::Transaction& tx,
              const Rule& rule,
              const radd::Event* event,
              const std::string& error,
              std::chrono::milliseconds took) const;

private:
    /// Empty: it was not to run any more.
    [[nodiscard]] std::optional<Outline> run_alone(radd::Transaction& tx,
                                                   const Rule& rule,
                                                   const radd::Event* event) const;
    [[nodiscard]] Outline planned(radd::Transaction& tx,
                                  const Rule& rule,
                                  const radd::Event* event) const;
    [[nodiscard]] bool within_budget(radd::Transaction& tx,
                                     const Rule& rule,
                                     const radd::Event* event) const;
    void apply(radd::Transaction& tx,
               const Rule& rule,
               const radd::Event* event,
               const Outline& outline) const;

    radd::Services& host_;
    std::int64_t runs_per_hour_max_;
    std::chrono::milliseconds run_time_max_;
};

}  // namespace automations
