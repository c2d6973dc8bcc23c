// Calendars as rows.

#include "policies.hpp"
#include "sql.hpp"
#include "text.hpp"

namespace sla {
namespace {

StoredCalendar calendar_of(const radd::Row& row) {
    return {.id = row.integer("id"),
            .draft = {.name = row.text("name"),
                      .rules = rules_of(row.text("zone"),
                                        radd::json::parse(row.text("hours")),
                                        radd::json::parse(row.text("holidays")))}};
}

/// A calendar on which nothing is ever due would be found out about when it is too late.
void check(const CalendarDraft& draft) {
    check_text("name", draft.name, {.min = 1, .max = name_length_max});
    const Calendar calendar{draft.rules};
    constexpr radd::Timestamp any_day{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};
    if (!calendar.after(any_day, std::chrono::minutes{1}))
        throw radd::InvalidInput{"holidays", "leave no working time; take some out"};
}

}  // namespace

radd::json to_json(const StoredCalendar& calendar) {
    auto json = to_json(calendar.draft.rules);
    json["id"] = calendar.id;
    json["name"] = calendar.draft.name;
    return json;
}

std::vector<StoredCalendar> list_calendars(radd::Transaction& tx) {
    std::vector<StoredCalendar> calendars;
    for (const auto row : tx.query(sql::list_calendars, nullptr))
        calendars.push_back(calendar_of(row));
    return calendars;
}

std::optional<StoredCalendar> find_calendar(radd::Transaction& tx, std::int64_t id) {
    const auto row = tx.query_one(sql::list_calendars, id);
    if (!row) return std::nullopt;
    return calendar_of(*row);
}

std::int64_t create_calendar(radd::Transaction& tx, const CalendarDraft& draft) {
    check(draft);
    if (tx.query_one(sql::count_calendars)->integer("total") >= calendars_max)
        throw radd::InvalidInput{
            "name",
            "there are " + std::to_string(calendars_max) + " calendars already; remove one"};
    const auto json = to_json(draft.rules);
    const auto row = tx.query_one(sql::insert_calendar,
                                  draft.name,
                                  draft.rules.zone,
                                  json.at("hours").dump(),
                                  json.at("holidays").dump());
    if (!row) throw radd::InvalidInput{"name", "another calendar has it; choose a second one"};
    return row->integer("id");
}

bool update_calendar(radd::Transaction& tx, std::int64_t id, const CalendarDraft& draft) {
    if (!tx.query_one(sql::lock_calendar, id)) return false;
    check(draft);
    if (tx.query_one(sql::select_other_of_name, id, draft.name))
        throw radd::InvalidInput{"name", "another calendar has it; choose a second one"};
    const auto json = to_json(draft.rules);
    tx.execute(sql::update_calendar,
               id,
               draft.name,
               draft.rules.zone,
               json.at("hours").dump(),
               json.at("holidays").dump());
    tx.execute(sql::refresh_projects_of_calendar, id);
    return true;
}

bool delete_calendar(radd::Transaction& tx, std::int64_t id) {
    if (!tx.query_one(sql::lock_calendar, id)) return false;
    if (const auto used = tx.query_one(sql::first_policy_of_calendar, id))
        throw radd::InvalidInput{
            "id", "the policy '" + used->text("name") + "' uses it; give that another calendar"};
    tx.execute(sql::delete_calendar, id);
    return true;
}

}  // namespace sla
