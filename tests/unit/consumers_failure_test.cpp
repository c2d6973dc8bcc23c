// P16: whatever a plugin throws becomes one short line.

#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

#include <host/consumers/failure.hpp>

using radd::consumers::describe_current_exception;
using radd::consumers::error_bytes_max;
using radd::consumers::single_line;

namespace {

class NullWhat final : public std::exception {
public:
    [[nodiscard]] const char* what() const noexcept override { return nullptr; }
};
struct NotAnException {};

template <typename Thrown>
std::string described(const Thrown& thrown) {
    try {
        throw thrown;
    } catch (...) {
        return describe_current_exception();
    }
}

}  // namespace

TEST_SUITE("failure text") {
    TEST_CASE("an exception is told by its message and nothing else") {
        CHECK(described(std::runtime_error{"no column 'token'"}) == "no column 'token'");
    }

    TEST_CASE("what has no message is told by its type") {
        CHECK(described(42) == "an exception of type int without a message");
        CHECK(described(NullWhat{}).find("NullWhat without a message") != std::string::npos);
        CHECK(described(NotAnException{}).find("NotAnException") != std::string::npos);
        CHECK(described(std::runtime_error{""}).find("runtime_error") != std::string::npos);
    }

    TEST_CASE("a megabyte with braces and line breaks becomes one line of bounded length") {
        std::string text;
        while (text.size() < 1'000'000) text += "{} %s\n\r\t";

        const std::string line = described(std::runtime_error{text});

        CHECK(line.size() <= error_bytes_max);
        CHECK(line.starts_with("{} %s   {} %s"));
        CHECK(line.ends_with("[cut]"));
        CHECK(line.find_first_of("\n\r\t") == std::string::npos);
    }

    TEST_CASE("text that fits is kept and one byte more is cut") {
        const std::string fits(error_bytes_max - 6, 'a');

        CHECK(single_line(fits) == fits);
        CHECK(single_line(fits + "aaaaaaa").size() <= error_bytes_max);
        CHECK(single_line(fits + "aaaaaaa").ends_with("[cut]"));
    }

    TEST_CASE("a cut falls between characters") {
        CHECK(single_line("\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9", 13) ==
              "\u00e9\u00e9\u00e9 [cut]");
    }

    // P21, P22
    TEST_CASE("what PostgreSQL cannot keep is replaced") {
        CHECK(single_line(std::string_view{"a\0b", 3}) == "a b");
        CHECK(single_line("a\xff\xc3(b") ==
              "a?"
              "?(b");
        CHECK(single_line("a\u009B2J\u00A0") == "a 2J\u00A0");
        CHECK(single_line("\xed\xa0\x80") == "???");
        CHECK(single_line("\xf0\x9f\x98\x80") == "\xf0\x9f\x98\x80");
    }
}
