#pragma once

/// Policies and calendars as rows: what is promised, and when time counts.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "calendar.hpp"
#include "clock.hpp"
#include <radd/transaction.hpp>

namespace sla {

inline constexpr std::size_t name_length_max = 200;
inline constexpr std::size_t list_entries_max = 100;  ///< Of one condition, or of pause states.
inline constexpr std::int64_t policies_max = 200;     ///< Of one project.
inline constexpr std::int64_t calendars_max = 500;
inline constexpr std::int64_t position_max = 1'000'000;
inline constexpr std::chrono::minutes within_max{60 * 24 * 366};  ///< A leap year around the clock.

struct CalendarDraft {
    std::string name;
    CalendarRules rules;
};

struct StoredCalendar {
    std::int64_t id = 0;
    CalendarDraft draft;
};

/// {"id","name","zone","hours","holidays"}
[[nodiscard]] radd::json to_json(const StoredCalendar& calendar);

[[nodiscard]] std::vector<StoredCalendar> list_calendars(radd::Transaction& tx);
[[nodiscard]] std::optional<StoredCalendar> find_calendar(radd::Transaction& tx, std::int64_t id);
/// Each of these three, and of those below, checks all of its input before it writes.
/// @throws radd::InvalidInput naming the field.
std::int64_t create_calendar(radd::Transaction& tx, const CalendarDraft& draft);
/// False: there is none. Open items of its policies are computed anew, soon.
bool update_calendar(radd::Transaction& tx, std::int64_t id, const CalendarDraft& draft);
/// False: there is none. @throws radd::InvalidInput naming "id" while a policy uses it.
bool delete_calendar(radd::Transaction& tx, std::int64_t id);

using Promises = std::map<Target, Promise>;

/// {"first_response":{"within_minutes","due_soon_minutes"},"resolution":{…}}
[[nodiscard]] radd::json to_json(const Promises& promises);
/// @throws radd::InvalidInput naming the field.
[[nodiscard]] Promises promises_of(const radd::json& targets);

/// An empty condition is fitted by everything.
struct PolicyDraft {
    std::string project;  ///< Its key. A policy stays in its project.
    std::string name;
    std::int64_t position = 100;  ///< The first that an item fits is its policy; ties by id.
    bool enabled = true;
    std::vector<std::string> types{};
    std::vector<std::string> priorities{};
    std::vector<std::string> labels{};  ///< One of them is enough.
    std::int64_t calendar_id = 0;
    std::vector<std::string> pause_states{};  ///< By name.
    Promises targets{};
    bool alarm_for_past = false;
};

struct Policy {
    std::int64_t id = 0;
    std::int64_t project_id = 0;
    std::string calendar_name;
    PolicyDraft draft;
};

/// {"id","project","name","position","enabled","types","priorities","labels",
///  "calendar":{"id","name"},"pause_states","targets","alarm_for_past"}
[[nodiscard]] radd::json to_json(const Policy& policy);

/// In their order; of all projects where `project_key` is empty.
[[nodiscard]] std::vector<Policy> list_policies(radd::Transaction& tx,
                                                const std::optional<std::string>& project_key = {});
[[nodiscard]] std::optional<Policy> find_policy(radd::Transaction& tx, std::int64_t id);
/// Open items of the project are computed anew, soon: by these three.
std::int64_t create_policy(radd::Transaction& tx, const PolicyDraft& draft);
/// False: there is none.
bool update_policy(radd::Transaction& tx, std::int64_t id, const PolicyDraft& draft);
/// False: there is none. Its clocks go with it.
bool delete_policy(radd::Transaction& tx, std::int64_t id);

}  // namespace sla
