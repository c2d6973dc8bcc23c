#pragma once

/// Clocks as rows: computed from what is known, told of once, listed.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <radd/event.hpp>
#include <radd/services.hpp>
#include <radd/transaction.hpp>

namespace sla {

inline constexpr std::int64_t refresh_items = 50;  ///< Of one transaction.
inline constexpr std::int64_t alarms_taken = 100;  ///< Of one transaction.
inline constexpr std::int64_t clocks_listed_max = 500;

/// What has made it necessary to compute an item's clocks.
enum class Cause : std::uint8_t {
    state,  ///< It was made, or its state changed: also a life that has ended is computed.
    other,  ///< What has ended stays as it was when it ended.
};

/// Computes the clocks of the item's last life anew, by the first policy that it fits. Whoever
/// calls has queried sql::computing in this transaction, which lets one in at a time. A zone that
/// this host does not know counts as UTC, and the log says so.
void compute(radd::Transaction& tx, radd::Log& log, std::int64_t item_id, Cause cause);

/// A project that fails is tried again so long after, and its alarms wait as long.
inline constexpr std::chrono::milliseconds refresh_again_after{std::chrono::minutes{1}};

/// Computes the next refresh_items open items of a project whose rules have changed, in a
/// transaction of its own. One that fails is logged and waits for refresh_again_after.
/// False: there is no such project. @throws radd::Unavailable; as Transaction::query() before it
/// knows which project.
bool refresh(radd::Database& database, radd::Log& log);

/// Where a round of alarms has got to: what it could not tell of does not stop what follows.
struct Place {
    std::int64_t alarm_us = 0;
    std::int64_t item_id = 0;
    std::int64_t policy_id = 0;
    std::string target{};
    std::int64_t life = 0;
};

struct Told {
    std::int64_t taken = 0;
    std::int64_t due_soon = 0;
    std::int64_t breached = 0;
    std::optional<Place> next{};  ///< Empty: the round is over.
};

/// Emits what is due after `place`, by the database's clock, with a mark on the clock in the same
/// transaction. Not now, but in a later round: an item that somebody is changing, and one of which
/// the stream holds more than its clocks know. Never `sla.due_soon` of what is overdue.
Told tell(radd::Transaction& tx, const Place& place);

/// As it is shown. Times are RFC 3339 in UTC.
struct ClockLine {
    std::int64_t item_id = 0;
    std::string item_key;
    std::string item_title;
    std::string project_key;
    std::int64_t policy_id = 0;
    std::string policy_name;
    std::string target;
    std::int64_t life = 0;
    std::string state;  ///< running, paused, due_soon, breached, met.
    std::optional<std::int64_t> remaining_ms{};
    std::string began_at;
    std::optional<std::string> due_soon_at{};
    std::optional<std::string> due_at{};
    std::optional<std::int64_t> due_us{};
    std::optional<std::string> met_at{};
    std::optional<std::string> due_soon_sent_at{};
    std::optional<std::string> breach_sent_at{};
};

/// {"item":{"id","key","title"},"project","policy":{"id","name"},"target","life","state",
///  "remaining_ms","began_at","due_soon_at","due_at","met_at","due_soon_sent_at","breach_sent_at"}
[[nodiscard]] radd::json to_json(const ClockLine& clock);

struct ClockQuery {
    std::optional<std::string> project{};  ///< By key.
    std::optional<std::string> state{};
    std::optional<std::string> after{};  ///< place_of() the last clock of the page before.
    std::int64_t limit = clocks_listed_max;
};

[[nodiscard]] std::string place_of(const ClockLine& clock);
/// What runs or is overdue and not met, the most urgent first.
/// @throws radd::InvalidInput naming "after".
[[nodiscard]] std::vector<ClockLine> list_open(radd::Transaction& tx, const ClockQuery& query);
/// Those of one item, also of what has ended; the latest life first.
[[nodiscard]] std::vector<ClockLine> list_of_item(radd::Transaction& tx, std::int64_t item_id);

}  // namespace sla
