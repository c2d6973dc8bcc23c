#pragma once

/// A rule: what starts it, what it asks, what it does.
///
///     {"trigger": {"events": ["item.updated"]},
///      "when": {"field": "changes.state.to.category", "is": "done"},
///      "then": [{"action": "items.add_comment", "arguments": {"body": "Thanks,
///      {{entity.title}}"}}]}
///
/// or by the clock: {"trigger": {"every": "15m"}} (s, m, h, d; a minute at least), or
/// {"trigger": {"daily": "09:00", "zone": "Europe/Berlin"}}.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <radd/catalog.hpp>
#include <radd/json_text.hpp>

namespace automations {

inline constexpr std::size_t name_bytes_max = 200;
inline constexpr std::size_t rule_bytes_max = std::size_t{16} * 1024;
inline constexpr std::size_t rules_max = 1000;
inline constexpr std::size_t trigger_events_max = 20;
inline constexpr std::size_t actions_max = 10;
inline constexpr std::chrono::seconds every_min{60};
inline constexpr std::chrono::seconds every_max{std::chrono::hours{24 * 366}};

struct RuleAction {
    std::string action;                       ///< "items.set_field"
    radd::json arguments;                     ///< With `{{path}}`s in its texts, see facts.hpp.
    std::optional<std::string> subject_id{};  ///< Empty: what the event is about.
};

/// Either events or one of the two times.
struct Trigger {
    std::vector<std::string> events{};
    std::optional<std::chrono::seconds> every{};
    std::optional<std::string> daily{};  ///< "09:00"
    std::string zone = "UTC";            ///< IANA; the database knows it.
};

/// What people decide about a rule.
struct RuleDraft {
    std::string name{};
    Trigger trigger{};
    radd::json when = radd::json::object();
    std::vector<RuleAction> then{};
    std::optional<std::int64_t> project_id{};  ///< Only events of this project.
    bool chain = false;  ///< Events that other rules have caused start it as well.
    bool enabled = true;
};

/// Without name and enabled: what is kept as one document.
[[nodiscard]] radd::json definition_of(const RuleDraft& draft);

/// Takes over the fields that `definition` has; the others stay.
/// @throws radd::InvalidInput naming the place: a limit, a wrong type, an unknown key, a condition
///         or a path that is none.
void read_definition(const radd::json& definition, RuleDraft& draft);

/// That the time zone of a daily rule is one of this machine's.
/// @throws radd::InvalidInput naming the place, what is there, and an example.
void check_zone(const Trigger& trigger);
[[noreturn]] void refuse_zone(const Trigger& trigger);

/// Everything for which read_definition() or check_zone() would refuse a whole rule: one fault for
/// each unknown key, for its trigger, its conditions, and each of its actions.
[[nodiscard]] std::vector<radd::AutomationFault> faults_of(const radd::json& definition);

/// Why the rule cannot run with the plugins that are loaded, one line each: an event type that
/// nobody declares or that starts no automation, an action that is not there, that the event is not
/// about, or whose arguments do not fit. Each with the nearest name. Empty: it can.
[[nodiscard]] std::vector<std::string> problems_of(const RuleDraft& draft,
                                                   const radd::Catalog& catalog);

}  // namespace automations
