#include <cstdint>
#include <limits>
#include <string>

#include <doctest/doctest.h>

#include <host/outbox/event_text.hpp>
#include <host/outbox/event_time.hpp>

namespace {

using radd::outbox::from_postgres_time;
using radd::outbox::time_text;

constexpr std::int64_t second = 1'000'000;

}  // namespace

// P20
TEST_SUITE("event time") {
    TEST_CASE("an instant is exact to the microsecond on both sides of 2000") {
        CHECK(time_text(from_postgres_time(0)) == "2000-01-01T00:00:00.000000Z");
        CHECK(time_text(from_postgres_time(-1)) == "1999-12-31T23:59:59.999999Z");
        CHECK(time_text(from_postgres_time(765160200987654)) == "2024-03-31T00:30:00.987654Z");
    }

    TEST_CASE("what lies outside of four digits is clamped") {
        constexpr auto infinity = std::numeric_limits<std::int64_t>::max();
        constexpr auto year_294276 = 9223371331199999999;
        constexpr auto year_10000 = 252455616000 * second;
        constexpr auto year_1 = -63082281600 * second;

        CHECK(time_text(from_postgres_time(infinity)) == "9999-12-31T23:59:59.999999Z");
        CHECK(time_text(from_postgres_time(year_294276)) == "9999-12-31T23:59:59.999999Z");
        CHECK(time_text(from_postgres_time(year_10000)) == "9999-12-31T23:59:59.999999Z");
        CHECK(time_text(from_postgres_time(year_10000 - 2)) == "9999-12-31T23:59:59.999998Z");
        CHECK(time_text(from_postgres_time(year_1 + 1)) == "0001-01-01T00:00:00.000001Z");
        CHECK(time_text(from_postgres_time(year_1 - 1)) == "0001-01-01T00:00:00.000000Z");
        CHECK(time_text(from_postgres_time(-infinity - 1)) == "0001-01-01T00:00:00.000000Z");
    }
}

TEST_SUITE("event text") {
    TEST_CASE("a JSON line holds numbers as they are stored") {
        radd::Event event;
        event.id = 9007199254740993;
        event.type = "odd \"type\"";
        event.payload_text = R"({"n": 9007199254740993, "p": 1.10})";
        event.occurred_at = from_postgres_time(765160200987654);
        const auto line = radd::outbox::json_line(event);

        CHECK(line.starts_with(R"({"id":9007199254740993,"event_type":"odd \"type\"")"));
        CHECK(line.find(R"("payload":{"n": 9007199254740993, "p": 1.10})") != std::string::npos);
        CHECK(line.find(R"("occurred_at":"2024-03-31T00:30:00.987654Z")") != std::string::npos);
        CHECK(line.find('\n') == std::string::npos);
        CHECK(radd::json::accept(line));
    }

    TEST_CASE("a cell holds no line break of a hostile id") {
        radd::Event event;
        event.entity_type = "item";
        event.entity_id = "1\n\x1b[2J";
        event.silent = true;
        event.automated_cause = "rule 7";
        const auto cells = radd::outbox::table_row(event);

        CHECK(cells[3].find('\n') == std::string::npos);
        CHECK(cells[3].find('\x1b') == std::string::npos);
        CHECK(cells[5] == "silent, by rule 7");
    }

    TEST_CASE("a page breaks JSON outside of its texts") {
        radd::Event event;
        event.payload_text = R"({"a": "x, {y} \" z", "b": []})";
        const auto page = radd::outbox::event_page(event);

        CHECK(page.find(R"("a": "x, {y} \" z",)") != std::string::npos);
        CHECK(page.find("\n      \"b\": [") != std::string::npos);
    }
}
