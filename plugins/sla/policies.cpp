#include "policies.hpp"

#include "sql.hpp"
#include "text.hpp"

namespace sla {
namespace {

std::vector<std::string> texts_of(const std::string& array) {
    return radd::json::parse(array).get<std::vector<std::string>>();
}

Policy policy_of(const radd::Row& row) {
    return {.id = row.integer("id"),
            .project_id = row.integer("project_id"),
            .calendar_name = row.text("calendar_name"),
            .draft = {.project = row.text("project_key"),
                      .name = row.text("name"),
                      .position = row.integer("position"),
                      .enabled = row.boolean("enabled"),
                      .types = texts_of(row.text("types")),
                      .priorities = texts_of(row.text("priorities")),
                      .labels = texts_of(row.text("labels")),
                      .calendar_id = row.integer("calendar_id"),
                      .pause_states = texts_of(row.text("pause_states")),
                      .targets = promises_of(radd::json::parse(row.text("targets"))),
                      .alarm_for_past = row.boolean("alarm_for_past")}};
}

void check_names(const char* field, const std::vector<std::string>& names) {
    if (names.size() > list_entries_max)
        throw radd::InvalidInput{field,
                                 "has " + std::to_string(names.size()) + " entries; allowed are " +
                                     std::to_string(list_entries_max)};
    for (const std::string& name : names)
        check_text(field, name, {.min = 1, .max = name_length_max});
}

std::chrono::minutes minutes_in(const radd::json& promise,
                                const char* key,
                                const std::string& field,
                                std::chrono::minutes limit) {
    const auto found = promise.find(key);
    const bool whole = found != promise.end() && found->is_number_integer();
    const auto minutes = whole ? found->get<std::int64_t>() : 0;
    if (minutes < 1 || minutes > limit.count())
        throw radd::InvalidInput{
            field, "must be a whole number of minutes from 1 to " + std::to_string(limit.count())};
    return std::chrono::minutes{minutes};
}

Promise promise_of(const radd::json& json, const std::string& target) {
    const std::string field = "targets." + target;
    if (!json.is_object()) throw radd::InvalidInput{field, "must be an object"};
    for (const auto& [key, value] : json.items()) {
        if (key != "within_minutes" && key != "due_soon_minutes")
            throw radd::InvalidInput{
                field + "." + key,
                "is no field of this; there are: within_minutes due_soon_minutes"};
    }
    Promise promise{.within =
                        minutes_in(json, "within_minutes", field + ".within_minutes", within_max)};
    const auto soon = json.find("due_soon_minutes");
    if (soon == json.end() || soon->is_null()) return promise;
    const auto name = field + ".due_soon_minutes";
    if (promise.within == std::chrono::minutes{1})
        throw radd::InvalidInput{name, "there is no time before the last minute; leave it out"};
    promise.due_soon =
        minutes_in(json, "due_soon_minutes", name, promise.within - std::chrono::minutes{1});
    return promise;
}

/// What the calendar does not reach from here would silently never be due.
void check_reach(const PolicyDraft& draft, const CalendarRules& rules) {
    const Calendar calendar{rules};
    constexpr radd::Timestamp any_day{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};
    for (const auto& [target, promise] : draft.targets) {
        if (!calendar.after(any_day, promise.within))
            throw radd::InvalidInput{
                "targets." + std::string{name_of(target)} + ".within_minutes",
                "the calendar does not get there within ten years; promise less"};
    }
}

void check(radd::Transaction& tx, const PolicyDraft& draft) {
    check_text("name", draft.name, {.min = 1, .max = name_length_max});
    if (draft.position < 0 || draft.position > position_max)
        throw radd::InvalidInput{"position", "must be from 0 to " + std::to_string(position_max)};
    check_names("types", draft.types);
    check_names("priorities", draft.priorities);
    check_names("labels", draft.labels);
    check_names("pause_states", draft.pause_states);
    if (draft.targets.empty())
        throw radd::InvalidInput{"targets", "is empty; promise a first_response or a resolution"};
    const auto calendar = find_calendar(tx, draft.calendar_id);
    if (!calendar)
        throw radd::InvalidInput{"calendar_id",
                                 std::to_string(draft.calendar_id) + " does not exist"};
    check_reach(draft, calendar->draft.rules);
}

}  // namespace

radd::json to_json(const Promises& promises) {
    auto json = radd::json::object();
    for (const auto& [target, promise] : promises) {
        auto& entry = json[std::string{name_of(target)}];
        entry["within_minutes"] = promise.within.count();
        if (promise.due_soon) entry["due_soon_minutes"] = promise.due_soon->count();
    }
    return json;
}

Promises promises_of(const radd::json& targets) {
    if (!targets.is_object()) throw radd::InvalidInput{"targets", "must be an object"};
    Promises promises;
    for (const auto& [name, promise] : targets.items()) {
        bool known = false;
        for (const Target target : targets_all) {
            if (name_of(target) != name) continue;
            promises.emplace(target, promise_of(promise, name));
            known = true;
        }
        if (!known)
            throw radd::InvalidInput{"targets." + name,
                                     "is no target; there are: first_response resolution"};
    }
    return promises;
}

radd::json to_json(const Policy& policy) {
    const PolicyDraft& draft = policy.draft;
    return {{"id", policy.id},
            {"project", draft.project},
            {"name", draft.name},
            {"position", draft.position},
            {"enabled", draft.enabled},
            {"types", draft.types},
            {"priorities", draft.priorities},
            {"labels", draft.labels},
            {"calendar", {{"id", draft.calendar_id}, {"name", policy.calendar_name}}},
            {"pause_states", draft.pause_states},
            {"targets", to_json(draft.targets)},
            {"alarm_for_past", draft.alarm_for_past}};
}

std::vector<Policy> list_policies(radd::Transaction& tx,
                                  const std::optional<std::string>& project_key) {
    std::vector<Policy> policies;
    for (const auto row : tx.query(sql::list_policies, nullptr, project_key))
        policies.push_back(policy_of(row));
    return policies;
}

std::optional<Policy> find_policy(radd::Transaction& tx, std::int64_t id) {
    const auto row = tx.query_one(sql::list_policies, id, nullptr);
    if (!row) return std::nullopt;
    return policy_of(*row);
}

std::int64_t create_policy(radd::Transaction& tx, const PolicyDraft& draft) {
    const auto project = tx.query_one(sql::lock_project, draft.project);
    if (!project)
        throw radd::InvalidInput{"project", "no project has the key '" + draft.project + "'"};
    const auto project_id = project->integer("id");
    check(tx, draft);
    if (tx.query_one(sql::count_policies, project_id)->integer("total") >= policies_max)
        throw radd::InvalidInput{
            "project", "has " + std::to_string(policies_max) + " policies already; remove one"};
    const auto id = tx.query_one(sql::insert_policy,
                                 project_id,
                                 draft.name,
                                 draft.position,
                                 draft.enabled,
                                 radd::text_array(draft.types),
                                 radd::text_array(draft.priorities),
                                 radd::text_array(draft.labels),
                                 draft.calendar_id,
                                 radd::text_array(draft.pause_states),
                                 to_json(draft.targets).dump(),
                                 draft.alarm_for_past)
                        ->integer("id");
    tx.execute(sql::refresh_project, project_id);
    return id;
}

bool update_policy(radd::Transaction& tx, std::int64_t id, const PolicyDraft& draft) {
    tx.query(sql::hold_project_of, id);
    if (!tx.query_one(sql::lock_policy, id)) return false;
    const auto project_id = find_policy(tx, id)->project_id;
    check(tx, draft);
    tx.execute(sql::update_policy,
               id,
               draft.name,
               draft.position,
               draft.enabled,
               radd::text_array(draft.types),
               radd::text_array(draft.priorities),
               radd::text_array(draft.labels),
               draft.calendar_id,
               radd::text_array(draft.pause_states),
               to_json(draft.targets).dump(),
               draft.alarm_for_past);
    tx.execute(sql::refresh_project, project_id);
    return true;
}

bool delete_policy(radd::Transaction& tx, std::int64_t id) {
    // Whoever computes clocks meanwhile would write them for a policy that is then gone.
    tx.execute(sql::computing);
    tx.query(sql::hold_project_of, id);
    const auto row = tx.query_one(sql::delete_policy, id);
    if (!row) return false;
    tx.execute(sql::refresh_project, row->integer("project_id"));
    return true;
}

}  // namespace sla
