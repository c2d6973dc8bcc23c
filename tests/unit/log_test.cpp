#include <doctest/doctest.h>

#include <host/log/logging.hpp>

using radd::log::one_line;

TEST_SUITE("log line") {
    // P16
    TEST_CASE("a message stays one line whatever it holds") {
        CHECK(one_line("a\nb\r\tc") == "a\\nb\\r\\tc");
        CHECK(one_line(std::string_view{"a\0b", 3}) == "a\\x00b");
        CHECK(one_line("{} %s \x1b[31m") == "{} %s \\x1b[31m");
        CHECK(one_line("a\u009B2J\u0080\x7F\u00A0") == "a\\x9b2J\\x80\\x7f\u00A0");
    }

    // P22
    TEST_CASE("what is no UTF-8 is replaced and what is stays") {
        CHECK(one_line("caf\xC3\xA9 \xF0\x9F\x98\x80") == "caf\xC3\xA9 \xF0\x9F\x98\x80");
        CHECK(one_line("\xFF\xC0\xAF\xED\xA0\x80x") ==
              "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDx");
    }

    TEST_CASE("a message at the limit is whole and one past it is cut between code points") {
        CHECK(one_line("abcd", 4) == "abcd");
        CHECK(one_line("abcde", 4) == "abcd …");
        CHECK(one_line("ab\xC3\xA9z", 3) == "ab …");
    }

    TEST_CASE("a level that does not exist is refused by name") {
        CHECK(radd::log::level_from("warn") == radd::LogLevel::warn);
        CHECK_THROWS_WITH_AS(static_cast<void>(radd::log::level_from("verbose")),
                             doctest::Contains("'verbose'"),
                             radd::ConfigError);
    }
}
