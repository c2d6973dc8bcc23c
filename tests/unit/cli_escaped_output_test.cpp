#include <iomanip>
#include <ostream>
#include <sstream>
#include <streambuf>
#include <string>

#include <doctest/doctest.h>

#include <host/cli/escaped_output.hpp>

using radd::cli::EscapedOutput;

namespace {

/// Takes `room` bytes, and then none.
class Full final : public std::streambuf {
public:
    explicit Full(std::size_t room) : room_{room} {}

private:
    int_type overflow(int_type character) override {
        if (room_ == 0) return traits_type::eof();
        --room_;
        return character;
    }
    std::size_t room_;
};

}  // namespace

TEST_SUITE("escaped output") {
    TEST_CASE("what a terminal obeys is written as what JSON reads") {
        std::ostringstream out;
        {
            const EscapedOutput escaped{out};
            out << "a\u009B2J\u0080\u009F\x7F|" << std::setw(4) << 7 << '\n';
        }
        CHECK(out.str() == "a\\u009b2J\\u0080\\u009f\\u007f|   7\n");
    }

    TEST_CASE("every other character stays as it is") {
        const std::string text = "\u00A0\u00BF\u00E9\u20AC\U0001F600\t\x1b[31m\r\n\xC2";
        std::ostringstream out;
        {
            const EscapedOutput escaped{out};
            out << text;
        }
        CHECK(out.str() == text);
    }

    TEST_CASE("a character that comes in two pieces is one") {
        std::ostringstream out;
        {
            const EscapedOutput escaped{out};
            out << '\xC2' << std::flush << '\x9B' << "\xC2"
                << "\xA9" << '\xC2' << '\xC2' << '\x9B';
        }
        CHECK(out.str() == "\\u009b\u00A9\xC2\\u009b");
    }

    TEST_CASE("a stream that takes no more is found out and stays so") {
        Full full{3};
        std::ostream out{&full};
        {
            const EscapedOutput escaped{out};
            out << "abc";
            CHECK(out.good());
            out << "\u009B";
            CHECK_FALSE(out.good());
        }
        CHECK_FALSE(out.good());
        CHECK(out.rdbuf() == &full);
    }
}
