#pragma once

/// When time counts: weekly hours in a zone, without holidays.

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "zone.hpp"
#include <radd/event.hpp>
#include <radd/json_text.hpp>

namespace sla {

inline constexpr std::size_t shifts_max = 100;
inline constexpr std::size_t holidays_max = 1000;
inline constexpr std::size_t holiday_name_length_max = 200;
/// How far ahead working time is looked for.
inline constexpr std::chrono::days horizon{3653};

/// Hours of one day of the week, on the clocks of the calendar's zone.
struct Shift {
    std::chrono::weekday day;
    std::chrono::minutes from{};  ///< After midnight.
    std::chrono::minutes to{};    ///< Later than `from`; past 24 h: on the next day.
};

struct Holiday {
    std::chrono::year_month_day date;
    std::string name{};
    bool yearly = false;  ///< In every year; the 29th of February in those that have one.
};

struct CalendarRules {
    std::string zone;
    std::vector<Shift> hours{};
    std::vector<Holiday> holidays{};
};

/// As it is stored: {"zone","hours":[{"day","from","to"}],"holidays":[{"date","name","yearly"}]}
[[nodiscard]] radd::json to_json(const CalendarRules& rules);
/// @throws radd::InvalidInput naming the field, its value and what it may be.
[[nodiscard]] CalendarRules rules_of(const std::string& zone,
                                     const radd::json& hours,
                                     const radd::json& holidays);

/// What the rules say about instants. A moment counts if a shift covers it, however many do; a
/// holiday takes out the shifts that begin on it, and ends at midnight one that began before it.
class Calendar {
public:
    /// @throws radd::InvalidInput naming "zone".
    explicit Calendar(CalendarRules rules);

    /// Working time between two instants; nothing if `to` is not after `from`.
    [[nodiscard]] std::chrono::microseconds worked(radd::Timestamp from, radd::Timestamp to) const;

    /// The first instant at which `work` has been worked since `from`: what is full at closing time
    /// is due then, and not when doors open again. Empty: not before the horizon.
    [[nodiscard]] std::optional<radd::Timestamp> after(radd::Timestamp from,
                                                       std::chrono::microseconds work) const;

private:
    struct Window {
        radd::Timestamp begin;
        radd::Timestamp end;
    };
    [[nodiscard]] bool is_holiday(std::chrono::local_days day) const;
    [[nodiscard]] std::vector<Window> windows_of(std::chrono::local_days day) const;
    /// In order and apart from each other, until `visit` returns false or the horizon is reached.
    void each_window(radd::Timestamp from, const std::function<bool(const Window&)>& visit) const;

    CalendarRules rules_;
    Zone zone_;
};

}  // namespace sla
