#include "rule.hpp"

#include <algorithm>
#include <initializer_list>
#include <stdexcept>
#include <string_view>

#include "condition.hpp"
#include "facts.hpp"
#include <date/tz.h>

namespace automations {
namespace {

using radd::json;

const std::initializer_list<std::string_view> rule_keys{
    "trigger", "when", "then", "project_id", "chain"};

[[noreturn]] void refuse(const std::string& place, const std::string& problem) {
    throw radd::InvalidInput{place, problem};
}

void check_keys(const json& object,
                const std::string& place,
                std::initializer_list<std::string_view> known) {
    if (!object.is_object()) refuse(place, "is no object");
    for (const auto& [key, value] : object.items()) {
        if (std::ranges::find(known, key) != known.end()) continue;
        std::string names;
        for (const auto name : known) names += (names.empty() ? "" : ", ") + std::string{name};
        refuse(place.empty() ? key : place + "." + key, "is no such key; there are " + names);
    }
}

std::string text_at(const json& object, const char* key, const std::string& place) {
    const auto found = object.find(key);
    if (found == object.end()) refuse(place + "." + key, "is missing");
    if (!found->is_string()) refuse(place + "." + key, "is no text");
    return found->get<std::string>();
}

/// "15m" and the like.
std::chrono::seconds duration_of(const std::string& text, const std::string& place) {
    constexpr std::size_t digits_max = 8;
    const auto digits = text.find_first_not_of("0123456789");
    std::chrono::seconds unit{0};
    if (digits != std::string::npos && digits > 0 && digits <= digits_max) {
        const auto word = text.substr(digits);
        if (word == "s") unit = std::chrono::seconds{1};
        if (word == "m") unit = std::chrono::minutes{1};
        if (word == "h") unit = std::chrono::hours{1};
        if (word == "d") unit = std::chrono::hours{24};
    }
    if (unit.count() == 0) refuse(place, "is no duration; write 90s, 15m, 2h or 1d");
    const auto duration = std::stoll(text.substr(0, digits)) * unit;
    if (duration < every_min || duration > every_max) refuse(place, "is outside 60s to 366d");
    return duration;
}

std::string text_of(std::chrono::seconds duration) {
    return std::to_string(duration.count()) + "s";
}

void check_time_of_day(const std::string& text, const std::string& place) {
    const auto digit = [&](std::size_t at) { return text[at] >= '0' && text[at] <= '9'; };
    const bool shaped =
        text.size() == 5 && text[2] == ':' && digit(0) && digit(1) && digit(3) && digit(4);
    if (!shaped || text.substr(0, 2) > "23" || text.substr(3) > "59")
        refuse(place, "is no time of day; write 09:00");
}

std::vector<std::string> events_of(const json& list, const std::string& place) {
    if (!list.is_array() || list.empty()) refuse(place, "is no list of event types");
    if (list.size() > trigger_events_max)
        refuse(place, "has more than " + std::to_string(trigger_events_max) + " event types");
    std::vector<std::string> events;
    for (const json& event : list) {
        if (!event.is_string()) refuse(place, "is no list of event types");
        events.push_back(event.get<std::string>());
    }
    return events;
}

Trigger trigger_of(const json& value) {
    const std::string place = "trigger";
    check_keys(value, place, {"events", "every", "daily", "zone"});
    const auto given = value.count("events") + value.count("every") + value.count("daily");
    if (given != 1) refuse(place, "has one of events, every and daily");
    Trigger trigger;
    if (value.contains("events")) trigger.events = events_of(value.at("events"), place + ".events");
    if (value.contains("every"))
        trigger.every = duration_of(text_at(value, "every", place), place + ".every");
    if (value.contains("daily")) {
        trigger.daily = text_at(value, "daily", place);
        check_time_of_day(*trigger.daily, place + ".daily");
    }
    if (value.contains("zone")) {
        if (!trigger.daily) refuse(place + ".zone", "goes with daily alone");
        trigger.zone = text_at(value, "zone", place);
    }
    return trigger;
}

RuleAction action_of(const json& value, const std::string& place) {
    check_keys(value, place, {"action", "arguments", "subject_id"});
    RuleAction action{.action = text_at(value, "action", place), .arguments = json::object()};
    if (value.contains("arguments")) action.arguments = value.at("arguments");
    if (!action.arguments.is_object()) refuse(place + ".arguments", "is no object");
    (void)check_places(action.arguments, place + ".arguments");
    if (value.contains("subject_id")) action.subject_id = text_at(value, "subject_id", place);
    return action;
}

void check_actions(const json& list) {
    if (!list.is_array() || list.empty()) refuse("then", "is no list of actions");
    if (list.size() > actions_max)
        refuse("then", "has more than " + std::to_string(actions_max) + " actions");
}

std::vector<RuleAction> actions_of(const json& list) {
    check_actions(list);
    std::vector<RuleAction> actions;
    for (std::size_t i = 0; i < list.size(); ++i)
        actions.push_back(action_of(list[i], "then." + std::to_string(i)));
    return actions;
}

std::optional<std::int64_t> project_of(const json& definition) {
    const json& id = definition.at("project_id");
    if (!id.is_null() && !id.is_number_integer()) refuse("project_id", "is no number");
    return id.is_null() ? std::nullopt : std::optional{id.get<std::int64_t>()};
}

bool is_chained(const json& definition) {
    if (!definition.at("chain").is_boolean()) refuse("chain", "is true or false");
    return definition.at("chain").get<bool>();
}

void check_size(const json& definition) {
    if (definition.dump().size() > rule_bytes_max)
        refuse("rule", "has more than " + std::to_string(rule_bytes_max) + " bytes");
}

/// How many letters must change to make one of the other.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] =
                std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
            diagonal = above;
        }
    }
    return row[b.size()];
}

/// "; did you mean 'item.updated'?", where one is near.
std::string nearest(std::string_view wrong, const std::vector<std::string>& names) {
    constexpr std::size_t length_max = 200;
    if (wrong.size() > length_max) return {};
    std::size_t best = wrong.size() / 3 + 2;
    std::string found;
    for (const auto& name : names) {
        const auto far = distance(wrong, name);
        if (far >= best) continue;
        best = far;
        found = name;
    }
    return found.empty() ? "" : "; did you mean '" + found + "'?";
}

void check_event(const std::string& name,
                 const radd::Catalog& catalog,
                 std::vector<std::string>& problems) {
    const auto* spec = catalog.event_type(name);
    if (spec != nullptr && spec->trigger) return;
    std::vector<std::string> names;
    for (const auto& [known, plugin] : catalog.event_types()) {
        if (known->trigger) names.emplace_back(known->type.name());
    }
    const std::string why =
        spec == nullptr ? "is declared by no loaded plugin" : "starts no automation";
    problems.push_back("event '" + name + "' " + why + nearest(name, names));
}

bool is_about(const radd::EventTypeSpec& spec, radd::EntityType subject) {
    return (spec.entity_type && *spec.entity_type == subject) ||
           std::ranges::find(spec.subjects, subject) != spec.subjects.end();
}

void check_action(const RuleAction& action,
                  const RuleDraft& draft,
                  const radd::Catalog& catalog,
                  std::vector<std::string>& problems) {
    const auto* spec = catalog.action(action.action);
    if (spec == nullptr) {
        std::vector<std::string> names;
        for (const auto& [known, plugin] : catalog.actions()) names.push_back(known->name);
        problems.push_back("action '" + action.action + "' is declared by no loaded plugin" +
                           nearest(action.action, names));
        return;
    }
    if (spec->subject && !action.subject_id) {
        const std::string subject{spec->subject->name()};
        if (draft.trigger.events.empty())
            problems.push_back("action '" + action.action +
                               "' needs a subject_id: the clock is about no " + subject);
        for (const auto& name : draft.trigger.events) {
            const auto* event = catalog.event_type(name);
            if (event != nullptr && !is_about(*event, *spec->subject))
                problems.push_back("action '" + action.action + "' needs a subject_id: event '" +
                                   name + "' is about no " + subject);
        }
    }
    // What has places to fill in has its final form when it is planned, and is checked there.
    if (check_places(action.arguments, "arguments")) return;
    const auto fault = catalog.arguments_fault(action.action, action.arguments);
    if (!fault.empty()) problems.push_back("arguments of '" + action.action + "': " + fault);
}

}  // namespace

json definition_of(const RuleDraft& draft) {
    json trigger = json::object();
    if (!draft.trigger.events.empty()) trigger["events"] = draft.trigger.events;
    if (draft.trigger.every) trigger["every"] = text_of(*draft.trigger.every);
    if (draft.trigger.daily) {
        trigger["daily"] = *draft.trigger.daily;
        trigger["zone"] = draft.trigger.zone;
    }
    json then = json::array();
    for (const auto& action : draft.then) {
        json entry{{"action", action.action}, {"arguments", action.arguments}};
        if (action.subject_id) entry["subject_id"] = *action.subject_id;
        then.push_back(std::move(entry));
    }
    return {{"trigger", trigger},
            {"when", draft.when},
            {"then", then},
            {"project_id", draft.project_id ? json(*draft.project_id) : json()},
            {"chain", draft.chain}};
}

void read_definition(const json& definition, RuleDraft& draft) {
    check_keys(definition, "rule", rule_keys);
    check_size(definition);
    if (definition.contains("trigger")) draft.trigger = trigger_of(definition.at("trigger"));
    if (definition.contains("when")) {
        check_condition(definition.at("when"), "when");
        draft.when = definition.at("when");
    }
    if (definition.contains("then")) draft.then = actions_of(definition.at("then"));
    if (definition.contains("project_id")) draft.project_id = project_of(definition);
    if (definition.contains("chain")) draft.chain = is_chained(definition);
}

void refuse_zone(const Trigger& trigger) {
    refuse("trigger.zone", "there is no '" + trigger.zone + "'; write it like Europe/Berlin");
}

void check_zone(const Trigger& trigger) {
    if (!trigger.daily) return;
    try {
        (void)date::locate_zone(trigger.zone);
    } catch (const std::runtime_error&) {
        refuse_zone(trigger);
    }
}

std::vector<radd::AutomationFault> faults_of(const json& definition) {
    if (!definition.is_object()) return {{.problem = "is no object"}};
    std::vector<radd::AutomationFault> faults;
    const auto look = [&faults](const auto& work) {
        try {
            work();
        } catch (const radd::InvalidInput& wrong) {
            // Its text begins with its field.
            faults.push_back(
                {.path = wrong.field(),
                 .problem = std::string{wrong.what()}.substr(wrong.field().size() + 2)});
        }
    };
    const auto look_at = [&](const char* key, bool required, const auto& work) {
        if (definition.contains(key))
            look([&] { work(definition.at(key)); });
        else if (required)
            faults.push_back({.path = key, .problem = "is missing"});
    };
    for (const auto& [key, value] : definition.items())
        look([&] { check_keys({{key, nullptr}}, "", rule_keys); });
    look([&] { check_size(definition); });
    look_at("trigger", true, [](const json& trigger) { check_zone(trigger_of(trigger)); });
    look_at("when", false, [](const json& when) { check_condition(when, "when"); });
    look_at("then", true, [&](const json& list) {
        check_actions(list);
        for (std::size_t i = 0; i < list.size(); ++i)
            look([&] { (void)action_of(list[i], "then." + std::to_string(i)); });
    });
    look_at("project_id", false, [&](const json&) { (void)project_of(definition); });
    look_at("chain", false, [&](const json&) { (void)is_chained(definition); });
    for (auto& fault : faults) {
        if (fault.path == "rule") fault.path.clear();
    }
    return faults;
}

std::vector<std::string> problems_of(const RuleDraft& draft, const radd::Catalog& catalog) {
    std::vector<std::string> problems;
    for (const auto& name : draft.trigger.events) check_event(name, catalog, problems);
    for (const auto& action : draft.then) check_action(action, draft, catalog, problems);
    return problems;
}

}  // namespace automations
