// What text must not do to the terminal it is printed on.

#include <string>

#include <doctest/doctest.h>

#include <radd/terminal_text.hpp>

using radd::terminal_lines;
using radd::terminal_text;

TEST_SUITE("terminal text") {
    TEST_CASE("ordinary text stays as it is") {
        for (const char* text :
             {"", "Printer", "C:\\temp", "жук", "日本", "😀", "caf\u00E9\u00A0!"}) {
            CHECK(terminal_text(text) == text);
            CHECK(terminal_lines(text) == text);
        }
    }

    TEST_CASE("a control character is shown and not obeyed") {
        CHECK(terminal_text("\x1b[2J") == "\\x1b[2J");
        CHECK(terminal_text(std::string{"a\0b", 3}) == "a\\x00b");
        CHECK(terminal_text("\x07\x08\x7f") == "\\x07\\x08\\x7f");
        CHECK(terminal_text("\u0080\u009B\u009F\u00A0") == "\\x80\\x9b\\x9f\u00A0");
    }

    TEST_CASE("a byte that is not UTF-8 is shown as its number") {
        CHECK(terminal_text("\x9b"
                            "2J") == "\\x9b2J");
        CHECK(terminal_text("\xC3") == "\\xc3");
        CHECK(terminal_text("\xC3\x1b") == "\\xc3\\x1b");
        CHECK(terminal_text("\xC0\x9B") == "\\xc0\\x9b");
        CHECK(terminal_text("\xE0\x80\x9B") == "\\xe0\\x80\\x9b");
        CHECK(terminal_text("\xF0\x80\x80\x9B") == "\\xf0\\x80\\x80\\x9b");
        // A surrogate, and one beyond Unicode: neither JSON nor PostgreSQL takes them.
        CHECK(terminal_text("\xED\xA0\x80") == "\\xed\\xa0\\x80");
        CHECK(terminal_text("\xF4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
    }

    TEST_CASE("one line stays one line") {
        CHECK(terminal_text("a\r\nb\tc") == "a\\r\\nb\\tc");
    }

    TEST_CASE("several lines keep their breaks and nothing else") {
        CHECK(terminal_lines("a\r\n\tb\n\x1b[1m") == "a\n\tb\n\\x1b[1m");
        CHECK(terminal_lines("hidden\rshown") == "hidden\\rshown");
        CHECK(terminal_lines("\r\r\n") == "\\r\n");
    }
}
