// Working time as a table: what is due when, in hours that people keep and zones that jump.

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plugins/sla/calendar.hpp>
#include <radd/error.hpp>

namespace {

using namespace std::chrono_literals;
using radd::json;
using radd::Timestamp;

/// "2026-03-30T09:00Z"
Timestamp utc(const std::string& text) {
    int year = 0;
    unsigned month = 0;
    unsigned day = 0;
    int hour = 0;
    int minute = 0;
    REQUIRE(std::sscanf(text.c_str(), "%d-%u-%uT%d:%dZ", &year, &month, &day, &hour, &minute) == 5);
    return std::chrono::sys_days{std::chrono::year{year} / static_cast<int>(month) /
                                 static_cast<int>(day)} +
           std::chrono::hours{hour} + std::chrono::minutes{minute};
}

std::string text_of(std::optional<Timestamp> instant) {
    if (!instant) return "never";
    const auto day = std::chrono::floor<std::chrono::days>(*instant);
    const std::chrono::year_month_day date{day};
    const auto minutes = std::chrono::floor<std::chrono::minutes>(*instant - day).count();
    char text[40];
    std::snprintf(text,
                  sizeof text,
                  "%04d-%02u-%02uT%02d:%02dZ",
                  static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()),
                  static_cast<unsigned>(date.day()),
                  static_cast<int>(minutes / 60),
                  static_cast<int>(minutes % 60));
    return text;
}

json each(const std::vector<std::string>& days, const std::string& from, const std::string& to) {
    auto hours = json::array();
    for (const auto& day : days) hours.push_back({{"day", day}, {"from", from}, {"to", to}});
    return hours;
}

const std::vector<std::string> weekdays{"mon", "tue", "wed", "thu", "fri"};
const std::vector<std::string> all_days{"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
const json office = each(weekdays, "08:00", "18:00");
const json always = each(all_days, "00:00", "24:00");
const json nights = each(all_days, "22:00", "06:00");

sla::Calendar calendar(const std::string& zone,
                       const json& hours,
                       const json& holidays = json::array()) {
    return sla::Calendar{sla::rules_of(zone, hours, holidays)};
}

struct Row {
    const char* what;
    const char* zone;
    json hours;
    json holidays;
    std::string from;
    std::chrono::minutes work;
    std::string due;
};

const std::vector<Row> table{
    {"over the weekend on which clocks go forward",
     "Europe/Berlin",
     office,
     json::array(),
     "2026-03-27T16:00Z",
     4h,
     "2026-03-30T09:00Z"},
    {"over a night",
     "Europe/Berlin",
     office,
     json::array(),
     "2026-11-25T15:15Z",
     5h,
     "2026-11-26T10:15Z"},
    {"two hours before that",
     "Europe/Berlin",
     office,
     json::array(),
     "2026-11-25T15:15Z",
     3h,
     "2026-11-26T08:15Z"},
    {"four hours before it is the evening before",
     "Europe/Berlin",
     office,
     json::array(),
     "2026-11-25T15:15Z",
     1h,
     "2026-11-25T16:15Z"},
    {"around the clock when clocks go forward",
     "Europe/Berlin",
     always,
     json::array(),
     "2026-03-28T23:30Z",
     4h,
     "2026-03-29T03:30Z"},
    {"around the clock when clocks go back",
     "Europe/Berlin",
     always,
     json::array(),
     "2026-10-24T22:30Z",
     4h,
     "2026-10-25T02:30Z"},
    {"begun on a Saturday",
     "Europe/Berlin",
     office,
     json::array(),
     "2026-11-28T11:00Z",
     1h,
     "2026-11-30T08:00Z"},
    {"full at closing time",
     "Europe/Berlin",
     office,
     json::array(),
     "2026-11-25T07:00Z",
     10h,
     "2026-11-25T17:00Z"},
    {"begun at closing time",
     "Europe/Berlin",
     office,
     json::array(),
     "2026-11-25T17:00Z",
     1min,
     "2026-11-26T07:01Z"},
    {"a night shift when clocks go forward has seven hours",
     "Europe/Berlin",
     nights,
     json::array(),
     "2026-03-28T21:00Z",
     7h + 1min,
     "2026-03-29T20:01Z"},
    {"a night shift when clocks go back has nine",
     "Europe/Berlin",
     nights,
     json::array(),
     "2026-10-24T20:00Z",
     9h,
     "2026-10-25T05:00Z"},
    {"a shift that crosses midnight into a day without one",
     "Europe/Berlin",
     each({"fri"}, "22:00", "02:00"),
     json::array(),
     "2026-11-27T22:30Z",
     3h,
     "2026-12-04T21:30Z"},
    {"a holiday",
     "Europe/Berlin",
     office,
     {{{"date", "2026-12-25"}}},
     "2026-12-24T16:00Z",
     2h,
     "2026-12-28T08:00Z"},
    {"a holiday of every year",
     "Europe/Berlin",
     office,
     {{{"date", "2020-12-25"}, {"yearly", true}}},
     "2026-12-24T16:00Z",
     2h,
     "2026-12-28T08:00Z"},
    {"a night shift ends at midnight before a holiday and the next one is off",
     "Etc/UTC",
     nights,
     {{{"date", "2026-12-25"}}},
     "2026-12-24T22:00Z",
     3h,
     "2026-12-26T23:00Z"},
    {"a leap day counts like any other",
     "Etc/UTC",
     always,
     json::array(),
     "2028-02-28T12:00Z",
     24h,
     "2028-02-29T12:00Z"},
    {"a leap day off in every year that has one",
     "Etc/UTC",
     always,
     {{{"date", "2024-02-29"}, {"yearly", true}}},
     "2028-02-28T12:00Z",
     24h,
     "2028-03-01T12:00Z"},
    {"and no other day off where there is none",
     "Etc/UTC",
     always,
     {{{"date", "2024-02-29"}, {"yearly", true}}},
     "2027-02-28T12:00Z",
     24h,
     "2027-03-01T12:00Z"},
    {"a year around the clock over both jumps",
     "America/New_York",
     always,
     json::array(),
     "2026-01-01T05:00Z",
     8760h,
     "2027-01-01T05:00Z"},
    {"a zone of half an hour",
     "Asia/Kolkata",
     office,
     json::array(),
     "2026-11-25T02:30Z",
     30min,
     "2026-11-25T03:00Z"},
    {"a zone that jumps by half an hour",
     "Australia/Lord_Howe",
     always,
     json::array(),
     "2026-04-04T12:00Z",
     24h,
     "2026-04-05T12:00Z"},
    {"a day that never was",
     "Pacific/Apia",
     each(all_days, "08:00", "18:00"),
     json::array(),
     "2011-12-30T03:00Z",
     3h,
     "2011-12-30T20:00Z"},
    {"hours that lie in the gap begin at the jump",
     "Europe/Berlin",
     each({"sun"}, "02:30", "04:00"),
     json::array(),
     "2026-03-28T12:00Z",
     30min,
     "2026-03-29T01:30Z"},
    {"hours in the gap alone are none",
     "Europe/Berlin",
     each({"sun"}, "02:10", "02:50"),
     json::array(),
     "2026-03-28T12:00Z",
     10min,
     "2026-04-05T00:20Z"},
    {"hours that overlap count once",
     "Etc/UTC",
     each({"wed"}, "08:00", "12:00"),
     json::array(),
     "2026-11-25T08:00Z",
     4h,
     "2026-11-25T12:00Z"},
};

TEST_SUITE("sla calendar") {
    TEST_CASE("what is due when") {
        for (const Row& row : table) {
            CAPTURE(row.what);
            const auto hours = calendar(row.zone, row.hours, row.holidays);
            const auto from = utc(row.from);
            const auto due = hours.after(from, row.work);
            CHECK(text_of(due) == row.due);
            if (due) CHECK(hours.worked(from, *due) == row.work);
        }
    }

    TEST_CASE("shifts that overlap count once however they are written") {
        auto hours = each({"wed"}, "10:00", "14:00");
        hours.push_back(json{{"day", "wed"}, {"from", "08:00"}, {"to", "12:00"}});
        hours.push_back(json{{"day", "tue"}, {"from", "23:00"}, {"to", "09:00"}});
        const auto both = calendar("Etc/UTC", hours);

        CHECK(both.worked(utc("2026-11-25T00:00Z"), utc("2026-11-26T00:00Z")) == 14h);
        CHECK(both.worked(utc("2026-11-25T11:00Z"), utc("2026-11-25T10:00Z")) == 0h);
    }

    TEST_CASE("what the hours do not reach within ten years is never due") {
        const auto rare = calendar("Etc/UTC", each({"mon"}, "08:00", "08:01"));
        CHECK(text_of(rare.after(utc("2026-01-01T00:00Z"), 521min)) != "never");
        CHECK(text_of(rare.after(utc("2026-01-01T00:00Z"), 523min)) == "never");
    }

    TEST_CASE("zones go on by their rules after the last year that files list") {
        struct Day {
            const char* zone;
            const char* from;  ///< A midnight there.
            const char* due;   ///< When its clocks show 18:00.
        };
        for (const Day& day :
             {Day{"Europe/Berlin", "2037-07-01T22:00Z", "2037-07-02T16:00Z"},
              Day{"Europe/Berlin", "2040-01-01T23:00Z", "2040-01-02T17:00Z"},
              Day{"Europe/Berlin", "2040-07-01T22:00Z", "2040-07-02T16:00Z"},
              // The last Sunday of March is the 25th.
              Day{"Europe/Berlin", "2040-03-22T23:00Z", "2040-03-23T17:00Z"},
              Day{"Europe/Berlin", "2040-03-25T22:00Z", "2040-03-26T16:00Z"},
              Day{"America/New_York", "2051-06-01T04:00Z", "2051-06-01T22:00Z"},
              Day{"Australia/Sydney", "2044-12-31T13:00Z", "2045-01-02T07:00Z"},
              Day{"Australia/Sydney", "2045-06-04T14:00Z", "2045-06-05T08:00Z"},
              Day{"Asia/Tokyo", "2060-03-31T15:00Z", "2060-04-01T09:00Z"},
              // After Ramadan, until which clocks are an hour back.
              Day{"Africa/Casablanca", "2040-12-02T23:00Z", "2040-12-03T17:00Z"}}) {
            CAPTURE(day.zone);
            CAPTURE(day.from);
            CHECK(text_of(calendar(day.zone, office).after(utc(day.from), 10h)) == day.due);
        }
    }

    TEST_CASE("what is no calendar is refused with its place") {
        const auto field_of = [](const std::string& zone, const json& hours, const json& holidays) {
            try {
                (void)calendar(zone, hours, holidays);
            } catch (const radd::InvalidInput& error) {
                return error.field();
            }
            return std::string{"accepted"};
        };
        const auto none = json::array();
        const auto shift = [&](const json& entry) {
            return field_of("Etc/UTC", json::array({office[0], entry}), none);
        };
        CHECK(field_of("Etc/UTC", office, none) == "accepted");
        CHECK(field_of("Etc/UTC", none, none) == "hours");
        for (const char* zone : {"", "Mars/Olympus", "../../etc/passwd", "/etc/localtime"})
            CHECK(field_of(zone, office, none) == "zone");
        CHECK(shift({{"day", "Mon"}, {"from", "08:00"}, {"to", "18:00"}}) == "hours[1].day");
        CHECK(shift(7) == "hours[1].day");
        for (const char* time : {"", "8:00", "08-00", "24:01", "12:60", "-1:00", "08:00 "}) {
            CAPTURE(time);
            CHECK(shift({{"day", "mon"}, {"from", time}, {"to", "18:00"}}) == "hours[1].from");
            CHECK(shift({{"day", "mon"}, {"from", "07:00"}, {"to", time}}) == "hours[1].to");
        }
        CHECK(shift({{"day", "mon"}, {"from", "24:00"}, {"to", "08:00"}}) == "hours[1].from");
        CHECK(shift({{"day", "mon"}, {"from", "08:00"}, {"to", "08:00"}}) == "hours[1].to");
        for (const char* date : {"", "2026-2-1", "2027-02-29", "2026-13-01", "25.12.2026"})
            CHECK(field_of("Etc/UTC", office, {{{"date", date}}}) == "holidays[0].date");
        CHECK(field_of("Etc/UTC", office, {{{"date", "2026-12-25"}, {"yearly", "yes"}}}) ==
              "holidays[0].yearly");
        CHECK(field_of(
                  "Etc/UTC", office, {{{"date", "2026-12-25"}, {"name", std::string(1, '\0')}}}) ==
              "holidays[0].name");
    }

    TEST_CASE("the list of shifts and holidays has a limit") {
        const auto many = [](const json& entry, std::size_t count) {
            return json(std::vector<json>(count, entry));
        };
        const auto none = json::array();
        const json day{{"date", "2026-12-25"}};
        CHECK_NOTHROW((void)sla::rules_of("Etc/UTC", many(office[0], sla::shifts_max), none));
        CHECK_THROWS_AS((void)sla::rules_of("Etc/UTC", many(office[0], sla::shifts_max + 1), none),
                        radd::InvalidInput);
        CHECK_NOTHROW((void)sla::rules_of("Etc/UTC", office, many(day, sla::holidays_max)));
        CHECK_THROWS_AS((void)sla::rules_of("Etc/UTC", office, many(day, sla::holidays_max + 1)),
                        radd::InvalidInput);
    }

    TEST_CASE("what is stored reads back the same") {
        const json holidays{{{"date", "2026-12-25"}, {"name", "Christmas Day"}, {"yearly", true}}};
        for (const json& hours : {office, always, nights}) {
            const auto stored = sla::to_json(sla::rules_of("Europe/Berlin", hours, holidays));
            CHECK(stored.at("hours") == hours);
            CHECK(stored.at("holidays") == holidays);
        }
    }
}

}  // namespace
