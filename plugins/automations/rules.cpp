#include "rules.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "sql.hpp"
#include <automations/events.hpp>
#include <radd/catalog.hpp>
#include <radd/percent.hpp>

namespace automations {
namespace {

using radd::json;

constexpr const char* switched_off = "switched off";
constexpr const char* orphaned = "no loaded plugin brings it any more";

json or_null(const std::optional<std::string>& text) {
    return text ? json(*text) : json();
}

/// The names of the rules that plugins loaded here declare: another host may load others.
std::vector<std::string> brought_to(const radd::Catalog& catalog) {
    std::vector<std::string> names;
    for (const auto& [spec, plugin] : catalog.automations())
        names.push_back(plugin + "." + spec->name);
    return names;
}

/// Those that declare anything that has an owner in the catalogue.
std::vector<std::string> plugins_in(const radd::Catalog& catalog) {
    std::set<std::string> plugins;
    const auto add = [&](const auto& entries) {
        for (const auto& entry : entries) plugins.insert(entry.plugin);
    };
    add(catalog.event_types());
    add(catalog.entities());
    add(catalog.actions());
    add(catalog.automations());
    return {plugins.begin(), plugins.end()};
}

/// A definition that another version has written and this one cannot read is a problem of that
/// rule, and of no other.
Rule rule_of(const radd::Row& row) {
    Rule rule{.id = row.integer("id"),
              .plugin = row.optional_text("plugin"),
              .disabled_reason = row.optional_text("disabled_reason"),
              .next_run_at = row.optional_text("next_run_at"),
              .created_at = row.text("created_at"),
              .updated_at = row.text("updated_at")};
    try {
        read_definition(json::parse(row.text("definition")), rule.draft);
    } catch (const std::exception& wrong) {
        rule.draft = {};
        rule.problems.push_back(std::string{"its definition cannot be read: "} + wrong.what());
    }
    rule.draft.name = row.text("name");
    rule.draft.enabled = row.boolean("enabled");
    return rule;
}

void tell(radd::Transaction& tx,
          radd::EventType type,
          std::int64_t id,
          const std::optional<std::string>& actor,
          json payload = json::object()) {
    tx.emit({.type = type,
             .entity = AutomationEntity::rule,
             .entity_id = id,
             .actor_id = actor,
             .payload = std::move(payload)});
}

/// The database tells the next time, so it has to know the zone; check_zone() knows this machine's.
void check_zone_in(radd::Transaction& tx, const Trigger& trigger) {
    if (!trigger.daily) return;
    check_zone(trigger);
    if (!tx.query_one(sql::find_zone, trigger.zone)) refuse_zone(trigger);
}

std::string state_of(const Rule& rule) {
    if (!rule.draft.enabled) return "off";
    return rule.problems.empty() ? "on" : "unavailable";
}

}  // namespace

json to_json(const Rule& rule) {
    json made = definition_of(rule.draft);
    made["id"] = rule.id;
    made["name"] = rule.draft.name;
    made["enabled"] = rule.draft.enabled;
    made["state"] = state_of(rule);
    made["plugin"] = or_null(rule.plugin);
    made["disabled_reason"] = or_null(rule.disabled_reason);
    made["next_run_at"] = or_null(rule.next_run_at);
    made["problems"] = rule.problems;
    made["created_at"] = rule.created_at;
    made["updated_at"] = rule.updated_at;
    return made;
}

std::vector<Rule> Rules::list(radd::Transaction& tx) const {
    std::vector<Rule> rules;
    for (const auto row : tx.query(sql::list_rules, nullptr, nullptr))
        rules.push_back(with_problems(rule_of(row)));
    return rules;
}

std::optional<Rule> Rules::find_to_change(radd::Transaction& tx, std::int64_t id) const {
    if (!tx.query_one(sql::lock_rule, id)) return std::nullopt;
    return find(tx, id);
}

std::optional<Rule> Rules::find(radd::Transaction& tx, std::int64_t id) const {
    const auto row = tx.query_one(sql::list_rules, id, nullptr);
    if (!row) return std::nullopt;
    return with_problems(rule_of(*row));
}

std::optional<Rule> Rules::find(radd::Transaction& tx, std::string_view id_or_name) const {
    if (const auto row = tx.query_one(sql::list_rules, nullptr, id_or_name))
        return with_problems(rule_of(*row));
    std::int64_t id = 0;
    const auto* end = id_or_name.data() + id_or_name.size();
    const auto result = std::from_chars(id_or_name.data(), end, id);
    if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
    return find(tx, id);
}

std::vector<Rule> Rules::started_by(radd::Transaction& tx,
                                    std::string_view event_type,
                                    std::optional<std::int64_t> project_id) const {
    std::vector<Rule> rules;
    const auto brought = radd::text_array(brought_to(host_.catalog()));
    for (const auto row : tx.query(sql::started_by, event_type, project_id, brought)) {
        if (auto rule = readable(tx, row)) rules.push_back(*std::move(rule));
    }
    return rules;
}

std::optional<Rule> Rules::due(radd::Transaction& tx) const {
    const auto brought = radd::text_array(brought_to(host_.catalog()));
    while (const auto row = tx.query_one(sql::lock_due, brought)) {
        if (auto rule = readable(tx, *row)) return rule;
    }
    return std::nullopt;
}

Rule Rules::with_problems(Rule rule) const {
    if (!rule.problems.empty()) return rule;
    rule.problems = problems_of(rule.draft, host_.catalog());
    const auto brought = brought_to(host_.catalog());
    if (rule.plugin && std::ranges::find(brought, rule.draft.name) == brought.end())
        rule.problems.push_back("plugin '" + *rule.plugin +
                                "' does not bring it to this host, which does not run it");
    return rule;
}

std::optional<Rule> Rules::readable(radd::Transaction& tx, const radd::Row& row) const {
    auto rule = rule_of(row);
    if (rule.problems.empty()) return rule;
    host_.log().error("rule " + std::to_string(rule.id) + " (" + rule.draft.name +
                      "): " + rule.problems.front() + "; it is disabled");
    disable(tx, rule.id, rule.problems.front());
    return std::nullopt;
}

void Rules::check(radd::Transaction& tx, const RuleDraft& draft) const {
    const bool named = draft.name.find_first_not_of(' ') != std::string::npos;
    if (!named || draft.name.size() > name_bytes_max || radd::first_invalid_utf8(draft.name) ||
        draft.name.find('\0') != std::string::npos)
        throw radd::InvalidInput{"name",
                                 "is a text of 1 to " + std::to_string(name_bytes_max) +
                                     " bytes in UTF-8, without a NUL"};
    if (draft.trigger.events.empty() && !draft.trigger.every && !draft.trigger.daily)
        throw radd::InvalidInput{"trigger", "is missing"};
    if (draft.then.empty()) throw radd::InvalidInput{"then", "is missing"};
    check_zone_in(tx, draft.trigger);
    const auto problems = problems_of(draft, host_.catalog());
    if (!problems.empty()) throw radd::InvalidInput{"rule", problems.front()};
}

std::string Rules::events_of(const RuleDraft& draft) const {
    std::vector<std::string> names;
    for (const auto& event : draft.trigger.events) {
        const auto* spec = host_.catalog().event_type(event);  // Aliases are of the past.
        names.push_back(spec == nullptr ? event : std::string{spec->type.name()});
    }
    return radd::text_array(names);
}

std::string Rules::subjects_of(const RuleDraft& draft) const {
    std::vector<std::string> subjects;
    for (const auto& action : draft.then) {
        const auto* spec = host_.catalog().action(action.action);
        if (action.subject_id && spec != nullptr && spec->subject)
            subjects.push_back(std::string{spec->subject->name()} + "/" + *action.subject_id);
    }
    return radd::text_array(subjects);
}

std::int64_t Rules::create(radd::Transaction& tx,
                           const RuleDraft& draft,
                           const std::optional<std::string>& actor) {
    check(tx, draft);
    if (tx.query_one(sql::count_rules)->integer("rules") >= static_cast<std::int64_t>(rules_max))
        throw radd::InvalidInput{"rule", "is one too many; " + std::to_string(rules_max) + " fit"};
    const auto row = tx.query_one(sql::insert_rule,
                                  draft.name,
                                  nullptr,
                                  definition_of(draft).dump(),
                                  events_of(draft),
                                  draft.project_id,
                                  draft.enabled,
                                  switched_off,
                                  subjects_of(draft));
    if (!row) throw radd::InvalidInput{"name", "'" + draft.name + "' is another rule's"};
    const auto id = row->integer("id");
    schedule(tx, id, draft.trigger);
    tell(tx, AutomationEvent::rule_created, id, actor);
    return id;
}

bool Rules::update(radd::Transaction& tx,
                   std::int64_t id,
                   const RuleDraft& draft,
                   const std::optional<std::string>& actor) {
    const auto before = find(tx, id);
    if (!before) return false;
    const bool same = definition_of(before->draft) == definition_of(draft);
    if (before->plugin && (!same || before->draft.name != draft.name))
        throw radd::InvalidInput{"rule", "is of plugin '" + *before->plugin + "'; change it there"};
    // What is only switched off need not be able to run.
    if (!same || draft.enabled || before->draft.name != draft.name) check(tx, draft);
    const auto other = tx.query_one(sql::list_rules, nullptr, draft.name);
    if (other && other->integer("id") != id)
        throw radd::InvalidInput{"name", "'" + draft.name + "' is another rule's"};
    tx.execute(sql::update_rule,
               id,
               draft.name,
               definition_of(draft).dump(),
               events_of(draft),
               draft.project_id,
               draft.enabled,
               switched_off,
               subjects_of(draft));
    schedule(tx, id, draft.trigger);
    tell(tx, AutomationEvent::rule_updated, id, actor);
    return true;
}

bool Rules::remove(radd::Transaction& tx,
                   std::int64_t id,
                   const std::optional<std::string>& actor) {
    const auto rule = find(tx, id);
    if (!rule) return false;
    if (rule->plugin)
        throw radd::InvalidInput{"rule", "is of plugin '" + *rule->plugin + "'; switch it off"};
    tell(tx, AutomationEvent::rule_deleted, id, actor);  // While its ref is there.
    tx.execute(sql::delete_rule, id);
    return true;
}

void Rules::disable(radd::Transaction& tx, std::int64_t id, const std::string& reason) {
    if (tx.execute(sql::disable_rule, id, reason) == 0) return;
    tell(tx,
         AutomationEvent::rule_disabled,
         id,
         std::string{radd::system_actor},
         {{"reason", reason}});
}

void Rules::schedule(radd::Transaction& tx, std::int64_t id, const Trigger& trigger) {
    const auto every = trigger.every ? std::optional{trigger.every->count()} : std::nullopt;
    tx.execute(sql::schedule_next, id, every, trigger.daily, trigger.zone);
}

void Rules::bring_in(radd::Transaction& tx) {
    std::vector<std::string> names;
    for (const auto& [spec, plugin] : host_.catalog().automations()) {
        const std::string name = plugin + "." + spec->name;
        names.push_back(name);  // Also if it is refused here: it is still its plugin's.
        try {
            tx.in_savepoint([&, &owner = plugin, &declared = *spec] {
                bring_in_one(tx, name, owner, json::parse(declared.rule.text(), nullptr, false));
            });
        } catch (const radd::InvalidInput& wrong) {
            host_.log().error("rule " + name +
                              (spec->place.empty() ? "" : " (" + spec->place + ")") + ": " +
                              wrong.what() + "; it does not run");
        }
    }
    disable_orphans(tx, names);
}

/// What a plugin has that is not loaded here, a host that loads it judges.
void Rules::disable_orphans(radd::Transaction& tx, const std::vector<std::string>& brought) {
    for (const auto row : tx.query(sql::rules_not_brought,
                                   radd::text_array(brought),
                                   radd::text_array(plugins_in(host_.catalog())))) {
        if (row.boolean("loaded")) {
            disable(tx, row.integer("id"), orphaned);
        } else {
            host_.log().warn("rule " + row.text("name") + ": plugin '" + row.text("plugin") +
                             "' is not loaded here; this host leaves the rule as it is and does "
                             "not run it");
        }
    }
}

void Rules::bring_in_one(radd::Transaction& tx,
                         const std::string& name,
                         const std::string& plugin,
                         const json& definition) {
    RuleDraft draft{.name = name};
    read_definition(definition, draft);
    check_zone_in(tx, draft.trigger);
    const auto document = definition_of(draft).dump();
    const auto row = tx.query_one(sql::list_rules, nullptr, name);
    if (!row) {
        const auto made = tx.query_one(sql::insert_rule,
                                       name,
                                       plugin,
                                       document,
                                       events_of(draft),
                                       draft.project_id,
                                       true,
                                       switched_off,
                                       subjects_of(draft));
        if (!made) return;  // Another host was faster.
        schedule(tx, made->integer("id"), draft.trigger);
        tell(tx, AutomationEvent::rule_created, made->integer("id"), std::nullopt);
        return;
    }
    const Rule known = rule_of(*row);
    if (known.plugin != plugin) throw radd::InvalidInput{"name", "is another rule's"};
    const bool returns = known.disabled_reason == orphaned;
    if (!returns && definition_of(known.draft).dump() == document) return;
    tx.execute(sql::update_rule,
               known.id,
               name,
               document,
               events_of(draft),
               draft.project_id,
               returns ? std::optional{true} : std::nullopt,
               switched_off,
               subjects_of(draft));
    schedule(tx, known.id, draft.trigger);
    tell(tx, AutomationEvent::rule_updated, known.id, std::nullopt);
}

}  // namespace automations
