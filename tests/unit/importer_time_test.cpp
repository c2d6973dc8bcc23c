// P41: times as Jira writes them.

#include <chrono>
#include <optional>
#include <string>

#include <doctest/doctest.h>

#include <plugins/importer/jira_time.hpp>

namespace {

using namespace std::chrono_literals;
namespace chrono = std::chrono;

/// UTC, from parts.
radd::Timestamp at(int year,
                   unsigned month,
                   unsigned day,
                   chrono::microseconds since_midnight = 0us) {
    const chrono::year_month_day date{chrono::year{year}, chrono::month{month}, chrono::day{day}};
    return chrono::sys_days{date} + since_midnight;
}

importer::Instant no_zone(importer::WallTime) {
    FAIL("the text names its own offset");
    return {};
}

std::optional<radd::Timestamp> instant(const std::string& text) {
    const auto time = importer::parse_jira_time(text);
    if (!time) return std::nullopt;
    return importer::instant_of(*time, no_zone).at;
}

/// What the clock on the wall shows, as if it hung in UTC; empty unless the text has no offset.
std::optional<radd::Timestamp> wall(const std::string& text) {
    const auto time = importer::parse_jira_time(text);
    if (!time || time->offset) return std::nullopt;
    return radd::Timestamp{time->wall.time_since_epoch()};
}

}  // namespace

TEST_SUITE("jira time") {
    TEST_CASE("an offset counts with and without its colon") {
        const auto expected = at(2024, 3, 31, 30min);

        CHECK(instant("2024-03-31T02:30:00.000+0200") == expected);
        CHECK(instant("2024-03-31T02:30:00.000+02:00") == expected);
        CHECK(instant("2024-03-31T02:30:00.000+02") == expected);
        CHECK(instant("2024-03-31T00:30:00.000+0000") == expected);
        CHECK(instant("2024-03-31T00:30:00Z") == expected);
    }

    TEST_CASE("an offset west of Greenwich is added") {
        CHECK(instant("2024-03-31T02:30:00.000-0330") == at(2024, 3, 31, 6h));
        CHECK(instant("2024-12-31T23:00:00.000-0330") == at(2025, 1, 1, 2h + 30min));
    }

    TEST_CASE("fractions are exact to the microsecond and cut below") {
        CHECK(instant("2024-03-31T02:30:00.1+0000") == at(2024, 3, 31, 2h + 30min + 100ms));
        CHECK(instant("2024-03-31T02:30:00.123+0000") == at(2024, 3, 31, 2h + 30min + 123ms));
        CHECK(instant("2024-03-31T02:30:00.123456+0200") == at(2024, 3, 31, 30min + 123456us));
        CHECK(instant("2024-03-31T02:30:00.123456789+0200") == at(2024, 3, 31, 30min + 123456us));
    }

    TEST_CASE("a time without an offset belongs to the zone that is asked") {
        CHECK(wall("2024-03-31T02:30:00.000") == at(2024, 3, 31, 2h + 30min));
        CHECK(wall("2024-03-31 02:30:00") == at(2024, 3, 31, 2h + 30min));
        const auto time = importer::parse_jira_time("2024-03-31T02:30");
        REQUIRE(time);
        const auto asked = importer::instant_of(*time, [](importer::WallTime shown) {
            return importer::Instant{.at = radd::Timestamp{shown.time_since_epoch()} + 1h,
                                     .note = importer::WallNote::skipped};
        });

        CHECK(asked.at == at(2024, 3, 31, 3h + 30min));
        CHECK(asked.note == importer::WallNote::skipped);
    }

    TEST_CASE("exports write the day first and the hour in two ways") {
        CHECK(wall("25/Jun/20 12:44") == at(2020, 6, 25, 12h + 44min));
        CHECK(wall("31/Mar/24 2:30 AM") == at(2024, 3, 31, 2h + 30min));
        CHECK(wall("27/Oct/24 2:30 AM") == at(2024, 10, 27, 2h + 30min));
        CHECK(wall("1/Jan/2024 12:00 AM") == at(2024, 1, 1));
        CHECK(wall("1/Jan/2024 12:01 PM") == at(2024, 1, 1, 12h + 1min));
        CHECK(wall("1/Jan/2024 11:59 PM") == at(2024, 1, 1, 23h + 59min));
    }

    TEST_CASE("dates of numbers alone are read in the order that is given") {
        using importer::DateOrder;
        const auto read = [](const std::string& text, DateOrder order) {
            const auto time = importer::parse_jira_time(text, order);
            return time ? std::optional{radd::Timestamp{time->wall.time_since_epoch()}}
                        : std::nullopt;
        };

        CHECK(read("03/04/24 14:30", DateOrder::day_month_year) == at(2024, 4, 3, 14h + 30min));
        CHECK(read("03/04/24 2:30 PM", DateOrder::month_day_year) == at(2024, 3, 4, 14h + 30min));
        CHECK(read("3.4.2024 0:05:06", DateOrder::day_month_year) == at(2024, 4, 3, 5min + 6s));
        CHECK(read("24-03-04 00:00", DateOrder::year_month_day) == at(2024, 3, 4));
        for (const char* text :
             {"12/13/24 1:00", "1/1/4 1:00", "1/2.24 1:00", "1/2/24", "1/2/24 24:00"})
            CHECK_FALSE_MESSAGE(read(text, DateOrder::day_month_year), text);
        CHECK_FALSE(read("03/04/24 14:30", DateOrder::none));
    }

    TEST_CASE("an order is spelled by its letters") {
        CHECK(importer::date_order_of("ymd") == importer::DateOrder::year_month_day);
        CHECK_FALSE(importer::date_order_of("DMY"));
    }

    TEST_CASE("what is no time is nothing and never a guess") {
        for (const char* text : {"",
                                 "12/13/24",
                                 "0001-01-01T00:00:00.000+0000",
                                 "1899-12-31T00:00:00Z",
                                 "2200-01-01T00:00:00Z",
                                 "2024-02-30T00:00:00Z",
                                 "2023-02-29T00:00:00Z",
                                 "2024-13-01T00:00:00Z",
                                 "2024-00-01T00:00:00Z",
                                 "2024-03-31T24:00:00Z",
                                 "2024-03-31T02:60:00Z",
                                 "2024-03-31T02:30:60Z",
                                 "2016-12-31T23:59:60",
                                 "2016-12-31T23:59:61Z",
                                 "2016-12-31T23:59:60+0100",
                                 "31/Dec/16 23:59:60",
                                 "2024-03-31T02:30:00.Z",
                                 "2024-03-31T02:30:00+",
                                 "2024-03-31T02:30:00+2500",
                                 "2024-03-31T02:30:00+0260",
                                 "2024-03-31T02:30:00Zx",
                                 "2024-03-31T02:30:00 Z",
                                 "2024-03-31",
                                 "1711845000",
                                 "31/Foo/24 2:30 AM",
                                 "31/Mar/24 13:30 PM",
                                 "31/Mar/24 0:30 AM",
                                 "31/Mar/24 24:00",
                                 "yesterday"})
            CHECK_FALSE_MESSAGE(importer::parse_jira_time(text), text);
    }

    // P20
    TEST_CASE("a leap second is the next second") {
        CHECK(instant("2016-12-31T23:59:60Z") == at(2017, 1, 1));
        CHECK(instant("2016-12-31T23:59:60.250+0000") == at(2017, 1, 1, 250ms));
        CHECK(instant("2017-01-01T05:29:60.000+0530") == at(2017, 1, 1));
        CHECK(instant("2016-12-31T15:59:60-08:00") == at(2017, 1, 1));
    }

    TEST_CASE("the years at the limits are read") {
        CHECK(instant("1900-01-01T00:00:00Z") == at(1900, 1, 1));
        CHECK(instant("2199-12-31T00:00:00Z") == at(2199, 12, 31));
        CHECK(instant("2024-02-29T00:00:00Z") == at(2024, 2, 29));
    }
}
