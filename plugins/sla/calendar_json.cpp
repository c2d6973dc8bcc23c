// Calendars as people write them, checked.

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "calendar.hpp"
#include "text.hpp"

namespace sla {
namespace {

namespace chrono = std::chrono;

constexpr std::array<std::string_view, 7> day_names{
    "sun", "mon", "tue", "wed", "thu", "fri", "sat"};

[[noreturn]] void refuse(const std::string& field, const std::string& problem) {
    throw radd::InvalidInput{field, problem};
}

std::string place(const char* list, std::size_t at, const char* field) {
    return std::string{list} + "[" + std::to_string(at) + "]." + field;
}

std::string text_in(const radd::json& object, const char* key, const std::string& field) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_string()) refuse(field, "is missing, or is no text");
    return found->get<std::string>();
}

chrono::weekday day_of(const std::string& field, const std::string& text) {
    const auto found = std::ranges::find(day_names, text);
    if (found == day_names.end())
        refuse(field, "'" + text + "' is no day; there are mon tue wed thu fri sat sun");
    return chrono::weekday{static_cast<unsigned>(found - day_names.begin())};
}

/// Exactly as many decimal digits as `text` has. Empty: something else is among them.
std::optional<int> digits(std::string_view text) {
    int number = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        number = number * 10 + (c - '0');
    }
    return number;
}

chrono::minutes time_of(const std::string& field, std::string_view text) {
    const auto hours =
        text.size() == 5 && text[2] == ':' ? digits(text.substr(0, 2)) : std::nullopt;
    const auto minutes = hours ? digits(text.substr(3)) : std::nullopt;
    const int total = minutes ? *hours * 60 + *minutes : -1;
    if (total < 0 || *minutes > 59 || total > 24 * 60)
        refuse(field, "'" + std::string{text} + "' is no time; write 08:00, up to 24:00");
    return chrono::minutes{total};
}

std::string time_text(chrono::minutes time) {
    if (time > chrono::days{1}) time -= chrono::days{1};
    std::array<char, 16> text{};
    std::snprintf(text.data(),
                  text.size(),
                  "%02d:%02d",
                  static_cast<int>(time.count() / 60),
                  static_cast<int>(time.count() % 60));
    return text.data();
}

chrono::year_month_day date_of(const std::string& field, std::string_view text) {
    const bool shaped = text.size() == 10 && text[4] == '-' && text[7] == '-';
    const auto year = shaped ? digits(text.substr(0, 4)) : std::nullopt;
    const auto month = shaped ? digits(text.substr(5, 2)) : std::nullopt;
    const auto day = shaped ? digits(text.substr(8)) : std::nullopt;
    if (year && month && day) {
        const chrono::year_month_day date{chrono::year{*year},
                                          chrono::month{static_cast<unsigned>(*month)},
                                          chrono::day{static_cast<unsigned>(*day)}};
        if (date.ok()) return date;
    }
    refuse(field, "'" + std::string{text} + "' is no date; write it like 2026-12-25");
}

std::string date_text(const chrono::year_month_day& date) {
    std::array<char, 16> text{};
    std::snprintf(text.data(),
                  text.size(),
                  "%04d-%02u-%02u",
                  static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()),
                  static_cast<unsigned>(date.day()));
    return text.data();
}

void check_list(const char* field, const radd::json& list, std::size_t entries_max) {
    if (!list.is_array()) refuse(field, "must be a list");
    if (list.size() > entries_max)
        refuse(field,
               "has " + std::to_string(list.size()) + " entries; allowed are " +
                   std::to_string(entries_max));
}

Shift shift_of(const radd::json& entry, std::size_t at) {
    const auto from_field = place("hours", at, "from");
    const auto to_field = place("hours", at, "to");
    const auto day_field = place("hours", at, "day");
    if (!entry.is_object()) refuse(day_field, "is missing");
    Shift shift{.day = day_of(day_field, text_in(entry, "day", day_field)),
                .from = time_of(from_field, text_in(entry, "from", from_field)),
                .to = time_of(to_field, text_in(entry, "to", to_field))};
    if (shift.from == chrono::days{1}) refuse(from_field, "a day begins at 00:00 and not at 24:00");
    if (shift.to == shift.from)
        refuse(to_field, "is the same as `from`; the whole day is 00:00 to 24:00");
    if (shift.to < shift.from) shift.to += chrono::days{1};
    return shift;
}

Holiday holiday_of(const radd::json& entry, std::size_t at) {
    const auto date_field = place("holidays", at, "date");
    const auto name_field = place("holidays", at, "name");
    if (!entry.is_object()) refuse(date_field, "is missing");
    Holiday holiday{.date = date_of(date_field, text_in(entry, "date", date_field))};
    if (entry.contains("name")) {
        holiday.name = text_in(entry, "name", name_field);
        check_text(name_field, holiday.name, {.min = 0, .max = holiday_name_length_max});
    }
    if (entry.contains("yearly")) {
        if (!entry.at("yearly").is_boolean())
            refuse(place("holidays", at, "yearly"), "must be true or false");
        holiday.yearly = entry.at("yearly").get<bool>();
    }
    return holiday;
}

}  // namespace

radd::json to_json(const CalendarRules& rules) {
    auto hours = radd::json::array();
    for (const Shift& shift : rules.hours)
        hours.push_back({{"day", day_names.at(shift.day.c_encoding())},
                         {"from", time_text(shift.from)},
                         {"to", time_text(shift.to)}});
    auto holidays = radd::json::array();
    for (const Holiday& holiday : rules.holidays)
        holidays.push_back({{"date", date_text(holiday.date)},
                            {"name", holiday.name},
                            {"yearly", holiday.yearly}});
    return {{"zone", rules.zone}, {"hours", hours}, {"holidays", holidays}};
}

CalendarRules rules_of(const std::string& zone,
                       const radd::json& hours,
                       const radd::json& holidays) {
    CalendarRules rules{.zone = zone};
    check_list("hours", hours, shifts_max);
    if (hours.empty())
        refuse("hours", "is empty, so nothing would ever be due; name at least one shift");
    for (std::size_t at = 0; at < hours.size(); ++at)
        rules.hours.push_back(shift_of(hours[at], at));
    check_list("holidays", holidays, holidays_max);
    for (std::size_t at = 0; at < holidays.size(); ++at)
        rules.holidays.push_back(holiday_of(holidays[at], at));
    return rules;
}

}  // namespace sla
