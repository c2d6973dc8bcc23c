#include "calendar.hpp"

#include <algorithm>
#include <utility>

namespace sla {

namespace chrono = std::chrono;

Calendar::Calendar(CalendarRules rules) : rules_{std::move(rules)}, zone_{rules_.zone} {
    std::ranges::sort(rules_.hours, {}, &Shift::from);
}

bool Calendar::is_holiday(chrono::local_days day) const {
    const chrono::year_month_day date{day};
    return std::ranges::any_of(rules_.holidays, [&date](const Holiday& holiday) {
        if (!holiday.yearly) return holiday.date == date;
        return holiday.date.month() == date.month() && holiday.date.day() == date.day();
    });
}

std::vector<Calendar::Window> Calendar::windows_of(chrono::local_days day) const {
    std::vector<Window> windows;
    if (is_holiday(day)) return windows;
    const chrono::weekday weekday{day};
    for (const Shift& shift : rules_.hours) {
        if (shift.day != weekday) continue;
        const bool cut = shift.to > chrono::days{1} && is_holiday(day + chrono::days{1});
        const auto to = cut ? chrono::minutes{chrono::days{1}} : shift.to;
        const Window window{.begin = zone_.instant_of(day + shift.from),
                            .end = zone_.instant_of(day + to)};
        if (window.begin < window.end) windows.push_back(window);
    }
    return windows;
}

void Calendar::each_window(radd::Timestamp from,
                           const std::function<bool(const Window&)>& visit) const {
    // The night shift of the day before may still run.
    const auto first = zone_.day_of(from) - chrono::days{1};
    auto reached = from;
    for (auto day = first; day < first + horizon; day += chrono::days{1}) {
        for (Window window : windows_of(day)) {
            window.begin = std::max(window.begin, reached);
            if (window.begin >= window.end) continue;
            reached = window.end;
            if (!visit(window)) return;
        }
    }
}

chrono::microseconds Calendar::worked(radd::Timestamp from, radd::Timestamp to) const {
    chrono::microseconds total{};
    each_window(from, [&](const Window& window) {
        if (window.begin >= to) return false;
        total += std::min(window.end, to) - window.begin;
        return window.end < to;
    });
    return total;
}

std::optional<radd::Timestamp> Calendar::after(radd::Timestamp from,
                                               chrono::microseconds work) const {
    if (work <= chrono::microseconds{}) return from;
    std::optional<radd::Timestamp> reached;
    each_window(from, [&](const Window& window) {
        const auto length = window.end - window.begin;
        if (length >= work) {
            reached = window.begin + work;
            return false;
        }
        work -= length;
        return true;
    });
    return reached;
}

}  // namespace sla
