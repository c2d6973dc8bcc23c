#include <string>

#include <doctest/doctest.h>

#include <host/outbox/event_text.hpp>
#include <host/outbox/event_time.hpp>

namespace {

using radd::outbox::parse_postgres_time;
using radd::outbox::time_text;

/// What PostgreSQL printed, as we print it.
std::string reprinted(const char* text) {
    const auto time = parse_postgres_time(text);
    return time ? time_text(*time) : "nothing";
}

}  // namespace

// P20
TEST_SUITE("event time") {
    TEST_CASE("every zone reads as the same instant") {
        CHECK(reprinted("2024-03-31 00:30:00.987654+00") == "2024-03-31T00:30:00.987654Z");
        CHECK(reprinted("2024-03-31 06:00:00.987654+05:30") == "2024-03-31T00:30:00.987654Z");
        CHECK(reprinted("2024-03-30 21:00:00.987654-03:30") == "2024-03-31T00:30:00.987654Z");
        CHECK(reprinted("1900-01-01 05:53:28+05:53:28") == "1900-01-01T00:00:00.000000Z");
        CHECK(reprinted("2024-02-29T12:00:00.5Z") == "2024-02-29T12:00:00.500000Z");
    }

    TEST_CASE("what lies outside of four digits is clamped") {
        CHECK(reprinted("infinity") == "9999-12-31T23:59:59.999999Z");
        CHECK(reprinted("-infinity") == "0001-01-01T00:00:00.000000Z");
        CHECK(reprinted("0044-03-15 00:00:00+00 BC") == "0001-01-01T00:00:00.000000Z");
        CHECK(reprinted("12024-03-15 00:00:00+00") == "9999-12-31T23:59:59.999999Z");
        CHECK(reprinted("294276-12-31 23:59:59.999999+00") == "9999-12-31T23:59:59.999999Z");
        CHECK(reprinted("0001-01-01 00:30:00+01") == "0001-01-01T00:00:00.000000Z");
    }

    TEST_CASE("what is no timestamp reads as none") {
        for (const char* text : {"",
                                 "soon",
                                 "2024-03-31",
                                 "2024-13-01 00:00:00+00",
                                 "2024-03-31 00:30",
                                 "2024-03-31 00:30:00.",
                                 "2024-03-31 00:30:00+x",
                                 "31/03/2024 00:30:00 UTC"}) {
            CAPTURE(std::string{text});
            CHECK(reprinted(text) == "nothing");
        }
    }
}

TEST_SUITE("event text") {
    TEST_CASE("a JSON line holds numbers as they are stored") {
        radd::Event event;
        event.id = 9007199254740993;
        event.type = "odd \"type\"";
        event.payload_text = R"({"n": 9007199254740993, "p": 1.10})";
        event.occurred_at = *parse_postgres_time("2024-03-31 00:30:00.987654+00");
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
        CHECK(page.find("\n      ") != std::string::npos);
    }
}
