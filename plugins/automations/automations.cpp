/// Rules: what happens by itself when something happens, or at a time.
///
/// Read in this order: rule.hpp says what a rule is, condition.hpp and facts.hpp what it may ask,
/// chain.hpp who stops it, engine.cpp how it runs.

#include <chrono>
#include <map>
#include <memory>

#include "commands.hpp"
#include "routes.hpp"
#include "runner.hpp"
#include "sql.hpp"
#include <automations/events.hpp>
#include <items/events.hpp>
#include <radd/plugin.hpp>

namespace automations {
namespace {

using namespace std::chrono_literals;

std::vector<std::optional<radd::JsonText>> describe(radd::Transaction& tx,
                                                    std::span<const std::string> ids) {
    std::map<std::string, radd::JsonText> known;
    for (const auto row : tx.query(sql::describe_rules, radd::text_array(ids))) {
        known.emplace(row.text("id"),
                      radd::json{{"id", row.integer("id")},
                                 {"name", row.text("name")},
                                 {"enabled", row.boolean("enabled")}});
    }
    std::vector<std::optional<radd::JsonText>> refs;
    for (const std::string& id : ids) {
        const auto found = known.find(id);
        refs.push_back(found == known.end() ? std::nullopt : std::optional{found->second});
    }
    return refs;
}

/// None starts a rule: what automations tell of themselves would else feed them.
radd::EventTypeSpec event(radd::EventType type, std::string label) {
    return {.type = type,
            .label = std::move(label),
            .group = "Automations",
            .trigger = false,
            .readable_by = radd::Role::admin,  // As the list of rules.
            .entity_type = radd::EntityType{AutomationEntity::rule}};
}

std::string subject_of(radd::EntityType type, std::string_view id) {
    return std::string{type.name()} + "/" + std::string{id};
}

/// Rules that name an item which is gone would fail for ever.
void sweep_item(radd::Transaction& tx, std::string_view item_id) {
    const auto subject = subject_of(items::ItemEntity::item, item_id);
    for (const auto row : tx.query(sql::rules_on_subject, subject))
        Rules::disable(tx, row.integer("id"), "item " + std::string{item_id} + " is deleted");
}

/// Rules that name a project which is gone would wait or fail for ever.
void sweep_project(radd::Transaction& tx, std::string_view project_id) {
    const auto subject = subject_of(items::ItemEntity::project, project_id);
    const radd::EventType deleted = items::ProjectEvent::deleted;
    for (const auto row : tx.query(sql::rules_on_project, project_id, subject, deleted.name())) {
        const auto key = row.optional_text("key");
        Rules::disable(
            tx,
            row.integer("id"),
            "project " +
                (key ? *key + " (id " + std::string{project_id} + ")" : std::string{project_id}) +
                " is deleted");
    }
}

std::vector<radd::SettingSpec> settings() {
    return {
        radd::integer("runs_per_hour_max",
                      1000,
                      {1, 1'000'000},
                      "A rule that runs more often is disabled and says so."),
        radd::duration("run_time_max",
                       10s,
                       {10ms, 10min},
                       "A rule with a run that takes longer is disabled and says so."),
        radd::duration("schedule_poll",
                       5s,
                       {100ms, 1h},
                       "How often the clock looks for rules whose time has come."),
        radd::duration("runs_kept", 24h * 30, {1h, 24h * 3650}, "How long the run log goes back."),
        radd::integer("runs_max", 100'000, {1000, 100'000'000}, "How many lines the run log has.")};
}

radd::Manifest manifest() {
    return {
        .id = RADD_PLUGIN_ID,
        .version = RADD_PLUGIN_VERSION,
        .description = "Rules: what happens by itself when something happens, or at a time",
        .depends_on = {"items"},
        .event_types = {event(AutomationEvent::rule_created, "Automation created"),
                        event(AutomationEvent::rule_updated, "Automation changed"),
                        event(AutomationEvent::rule_deleted, "Automation deleted"),
                        event(AutomationEvent::rule_disabled, "Automation disabled"),
                        event(AutomationEvent::run_failed, "Automation failed")},
        .entity_refs = {{.entity_type = AutomationEntity::rule,
                         .label = "Automation",
                         .ref = describe,
                         .url = "/automations/{id}"}},
        .settings = settings(),
        .consumers = {{.name = "automations.runner",
                       .resume = radd::Resume::head,
                       .make =
                           [](radd::Services& host) { return std::make_unique<Runner>(host); }}},
        .periodic_tasks =
            {{.name = "automations.schedule",
              .make = [](radd::Services& host) { return std::make_unique<Schedule>(host); }},
             {.name = "automations.retention",
              .make = [](radd::Services& host) { return std::make_unique<Retention>(host); }}},
        .cascades = {{.name = "automations.items",
                      .parent_event = items::ItemEvent::deleted,
                      .sweep = sweep_item},
                     {.name = "automations.projects",
                      .parent_event = items::ProjectEvent::deleted,
                      .sweep = sweep_project}},
        .judge_automation =
            [](const radd::AutomationSpec& spec) {
                return faults_of(radd::json::parse(spec.rule.text(), nullptr, false));
            },
        .commands = commands(),
        .routes = routes(),
        .migrations = radd::plugin_migrations(),
        .on_startup =
            [](radd::Services& host) {
                host.database().transact([&](radd::Transaction& tx) { Rules{host}.bring_in(tx); });
            },
    };
}

}  // namespace
}  // namespace automations

RADD_PLUGIN(automations::manifest)
