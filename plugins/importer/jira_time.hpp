#pragma once

/// Times as Jira writes them, in its REST interface and in its exports.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include <radd/event.hpp>

namespace importer {

/// What a clock on the wall shows, somewhere.
using WallTime = std::chrono::local_time<std::chrono::microseconds>;

struct JiraTime {
    WallTime wall;
    std::optional<std::chrono::minutes> offset{};  ///< East of UTC. Empty: the text named none.
};

/// Years outside are a mistake of some system on the way: year 1 is how some write "never".
inline constexpr int year_min = 1900;
inline constexpr int year_max = 2199;

/// In which order a date of numbers alone names its parts. `12/03/24` is two days, so without an
/// order it is none.
enum class DateOrder : std::uint8_t { none, day_month_year, month_day_year, year_month_day };

/// "dmy", "mdy" or "ymd"; empty for anything else.
[[nodiscard]] std::optional<DateOrder> date_order_of(std::string_view name);

/// Reads `2024-03-31T02:30:00.000+0200` with any number of fraction digits (cut to microseconds),
/// the offset as `Z`, `+02`, `+0200`, `+02:00` or absent; and `31/Mar/24 2:30 AM` or
/// `31/Mar/2024 14:30`; and with an order, `31.03.24 2:30 PM` and its kin, the date's parts split
/// by one of `/`, `.` and `-`. A leap second, which only a time with an offset can name, is the
/// second after it. Empty if it is anything else: a time is never guessed.
[[nodiscard]] std::optional<JiraTime> parse_jira_time(std::string_view text,
                                                      DateOrder order = DateOrder::none);

/// What a wall time is in a zone, and whether the clocks there made it doubtful.
enum class WallNote : std::uint8_t {
    exact,
    skipped,   ///< The clocks jumped over it; moved on by the jump.
    repeated,  ///< They showed it twice; the later one is taken.
};
struct Instant {
    radd::Timestamp at;
    WallNote note = WallNote::exact;
};

/// Resolves wall times without an offset in a zone chosen by whoever made it.
using Zone = std::function<Instant(WallTime)>;

[[nodiscard]] Instant instant_of(const JiraTime& time, const Zone& zone);

}  // namespace importer
