#include "engine.hpp"

#include <algorithm>
#include <exception>
#include <optional>

#include "chain.hpp"
#include "condition.hpp"
#include "facts.hpp"
#include "sql.hpp"
#include <automations/events.hpp>
#include <radd/scopes.hpp>

namespace automations {
namespace {

using radd::json;
using Verdict = Outline::Verdict;

constexpr std::size_t detail_bytes_max = 2000;

/// A line of the run log.
struct Line {
    std::string outcome;
    std::string detail{};
    json plan = json::array();
    std::chrono::milliseconds took{0};
};

void record(radd::Transaction& tx, const Rule& rule, const radd::Event* event, const Line& line) {
    tx.execute(sql::insert_run,
               rule.id,
               event == nullptr ? std::nullopt : std::optional{event->id},
               line.outcome,
               line.detail,
               line.plan.dump(-1, ' ', false, json::error_handler_t::replace),
               chain_after(event, rule.id).size(),
               line.took.count());
}

/// What a plugin threw, as text that a database takes.
std::string shown(const std::string& error) {
    std::string text = error.substr(0, detail_bytes_max);
    std::erase(text, '\0');
    const auto valid = json(text).dump(-1, ' ', false, json::error_handler_t::ignore);
    return json::parse(valid).get<std::string>();
}

std::string about_nothing(const Rule& rule, const radd::Event* event, const std::string& subject) {
    if (event == nullptr) return "the clock is about no " + subject;
    return "event " + std::to_string(event->id) + " (" + event->type + ") is about no " + subject +
           " for rule " + std::to_string(rule.id);
}

/// The id of what the action is done to: named by the rule, the event's own entity, or the subject
/// whose ref is in its payload.
std::string subject_id_of(const RuleAction& action,
                          const radd::ActionSpec& spec,
                          const Rule& rule,
                          const radd::Event* event) {
    if (action.subject_id) return *action.subject_id;
    if (!spec.subject) return {};
    if (event != nullptr && event->about(*spec.subject)) return event->entity_id;
    const std::string subject{spec.subject->name()};
    const json* ref = nullptr;
    if (event != nullptr && event->payload().contains(subject)) ref = &event->payload().at(subject);
    if (ref == nullptr || !ref->is_object() || !ref->contains("id"))
        throw radd::InvalidInput{action.action, about_nothing(rule, event, subject)};
    const json& id = ref->at("id");
    return id.is_string() ? id.get<std::string>() : id.dump();
}

}  // namespace

std::string_view name_of(Outline::Verdict verdict) noexcept {
    switch (verdict) {
        case Verdict::pass:
            return "pass";
        case Verdict::stop:
            return "stop";
        case Verdict::idle:
            return "idle";
        case Verdict::apply:
            return "apply";
    }
    return {};
}

json to_json(const std::vector<PlannedAction>& actions) {
    json list = json::array();
    for (const auto& [action, plan] : actions)
        list.push_back({{"action", action},
                        {"summary", plan.summary},
                        {"details", json::parse(plan.details.text())},
                        {"has_effect", plan.has_effect}});
    return list;
}

Engine::Engine(radd::Services& host)
    : host_{host},
      runs_per_hour_max_{host.settings().integer("runs_per_hour_max")},
      run_time_max_{host.settings().duration("run_time_max")} {}

Outline Engine::plan(radd::Transaction& tx, const Rule& rule, const radd::Event* event) const {
    const RuleDraft& draft = rule.draft;
    if (event != nullptr) {
        const auto* spec = host_.catalog().event_type(event->type);
        const auto& events = draft.trigger.events;
        const std::string type = spec == nullptr ? event->type : std::string{spec->type.name()};
        const auto listens = [&](const std::string& name) {
            const auto* own = host_.catalog().event_type(name);
            return name == type || (own != nullptr && own->type.name() == type);
        };
        if (std::ranges::none_of(events, listens))
            return {.reason = "it does not listen to " + event->type};
        if (draft.project_id && draft.project_id != event->project_id)
            return {.reason = "the event is of another project"};
    } else if (!draft.trigger.events.empty()) {
        return {.reason = "the clock does not start it"};
    }
    Facts facts{tx, host_.catalog(), event};
    if (!holds(draft.when, [&](const std::string& path) { return facts.at(path); }))
        return {.reason = "its conditions do not hold"};
    if (event != nullptr) {
        auto stopped = stopped_by(*event, rule.id, draft.chain);
        if (!stopped.empty()) return {.verdict = Verdict::stop, .reason = std::move(stopped)};
    }
    return planned(tx, rule, event);
}

Outline Engine::planned(radd::Transaction& tx, const Rule& rule, const radd::Event* event) const {
    const auto problems = problems_of(rule.draft, host_.catalog());
    if (!problems.empty()) throw radd::InvalidInput{"rule", problems.front()};
    Facts facts{tx, host_.catalog(), event};
    Outline outline{.verdict = Verdict::idle};
    for (const RuleAction& action : rule.draft.then) {
        const auto& spec = *host_.catalog().action(action.action);
        auto plan = host_.catalog().plan(tx,
                                         action.action,
                                         {.event = event,
                                          .subject_id = subject_id_of(action, spec, rule, event),
                                          .arguments = filled(action.arguments, facts)});
        if (plan.has_effect) outline.verdict = Verdict::apply;
        outline.actions.push_back({.action = action.action, .plan = std::move(plan)});
    }
    return outline;
}

void Engine::apply(radd::Transaction& tx,
                   const Rule& rule,
                   const radd::Event* event,
                   const Outline& outline) const {
    const radd::Automated automated{cause_of(chain_after(event, rule.id))};
    for (const auto& [action, plan] : outline.actions) host_.catalog().apply(tx, action, plan);
    tx.flush_events();  // One that cannot be written is this rule's failure and nobody else's.
}

bool Engine::within_budget(radd::Transaction& tx,
                           const Rule& rule,
                           const radd::Event* event) const {
    const auto row = tx.query_one(sql::budget_of, rule.id, runs_per_hour_max_);
    if (!row || !row->boolean("enabled")) return false;  // Since it was read.
    if (row->integer("runs") < runs_per_hour_max_) return true;
    const auto reason = "it ran " + std::to_string(runs_per_hour_max_) +
                        " times within an hour; more are not allowed";
    record(tx, rule, event, {.outcome = "stopped", .detail = reason});
    Rules::disable(tx, rule.id, reason);
    return false;
}

std::optional<Outline> Engine::run_alone(radd::Transaction& tx,
                                         const Rule& rule,
                                         const radd::Event* event) const {
    std::optional<Outline> outline;
    tx.in_savepoint([&] {
        outline = plan(tx, rule, event);
        if (outline->verdict == Verdict::stop || outline->verdict == Verdict::pass) return;
        if (!within_budget(tx, rule, event))
            outline.reset();
        else if (outline->verdict == Verdict::apply)
            apply(tx, rule, event, *outline);
    });
    return outline;
}

void Engine::run(radd::Transaction& tx, const Rule& rule, const radd::Event* event) const {
    const auto began = host_.clock().steady_now();
    std::optional<Outline> outline;
    std::optional<std::string> failure;
    try {
        // Its savepoint gives back what it has locked. Whom that does not help waits for a rule
        // before it, and then all of them have to begin again.
        try {
            outline = run_alone(tx, rule, event);
        } catch (const radd::Contention&) {
            outline = run_alone(tx, rule, event);
        }
    } catch (const radd::Unavailable&) {
        throw;
    } catch (const radd::Contention&) {
        throw;
    } catch (const std::exception& error) {
        failure = error.what();
    } catch (...) {
        failure = "threw what is no std::exception";
    }
    const auto took =
        std::chrono::floor<std::chrono::milliseconds>(host_.clock().steady_now() - began);
    if (failure) {
        fail(tx, rule, event, *failure, took);
    } else if (!outline || outline->verdict == Verdict::pass) {
        return;
    } else if (outline->verdict == Verdict::stop) {
        return record(
            tx, rule, event, {.outcome = "stopped", .detail = outline->reason, .took = took});
    } else {
        record(tx,
               rule,
               event,
               {.outcome = outline->verdict == Verdict::apply ? "applied" : "idle",
                .plan = to_json(outline->actions),
                .took = took});
    }
    if (took > run_time_max_)
        Rules::disable(tx,
                       rule.id,
                       "a run took " + std::to_string(took.count()) + " ms; allowed are " +
                           std::to_string(run_time_max_.count()) + " ms");
}

void Engine::fail(radd::Transaction& tx,
                  const Rule& rule,
                  const radd::Event* event,
                  const std::string& error,
                  std::chrono::milliseconds took) const {
    if (!within_budget(tx, rule, event)) return;  // Failing without end is not free either.
    const std::string detail = shown(error);
    host_.log().warn("rule " + std::to_string(rule.id) + " (" + rule.draft.name + "): " + detail);
    record(tx, rule, event, {.outcome = "failed", .detail = detail, .took = took});
    json payload{{"error", detail}};
    if (event != nullptr) payload["event_id"] = event->id;
    tx.emit({.type = AutomationEvent::run_failed,
             .entity = AutomationEntity::rule,
             .entity_id = rule.id,
             .actor_id = std::string{radd::system_actor},
             .payload = std::move(payload)});
}

}  // namespace automations
