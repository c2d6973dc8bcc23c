#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>

#include <doctest/doctest.h>

#include <host/config/fields.hpp>
#include <host/config/scalars.hpp>
#include <host/config/version_range.hpp>
#include <host/config/yaml.hpp>

using namespace std::chrono_literals;
using namespace radd::config;

namespace {

constexpr radd::Range any{std::numeric_limits<std::int64_t>::min(),
                          std::numeric_limits<std::int64_t>::max()};

template <typename T>
T value(const Parsed<T>& parsed) {
    REQUIRE(std::holds_alternative<T>(parsed));
    return std::get<T>(parsed);
}

template <typename T>
std::string complaint(const Parsed<T>& parsed) {
    REQUIRE(std::holds_alternative<Complaint>(parsed));
    const auto& [code, message, hint] = std::get<Complaint>(parsed);
    return code + " " + message + (hint.empty() ? "" : ". " + hint);
}

/// One YAML value, and the first complaint about reading it.
struct Value {
    explicit Value(const std::string& text)
        : root{parse_yaml("key: " + text, "a.yaml", problems).value()} {}

    [[nodiscard]] const YamlNode& node() const { return *root.find("key"); }
    [[nodiscard]] Context context() {
        return {.file = "a.yaml", .plugin = {}, .path = "key", .problems = &problems};
    }
    [[nodiscard]] std::string complaint() const {
        return problems.size() == 1 ? to_text(problems.front()) : std::string{"not one problem"};
    }

    Problems problems;
    YamlNode root;
};

}  // namespace

TEST_SUITE("scalar") {
    TEST_CASE("a boolean is true or false and no other word") {
        CHECK(value(parse_boolean("true")));
        CHECK_FALSE(value(parse_boolean("false")));
        for (const char* word : {"yes", "no", "on", "off", "True", "FALSE", "1", "0", "y", ""}) {
            CHECK(complaint(parse_boolean(word)) ==
                  "E46 expected true or false, got '" + std::string{word} + "'");
        }
    }

    // P58
    TEST_CASE("0300 is refused and never 192") {
        CHECK(complaint(parse_integer("0300", any)) ==
              "E46 '0300' begins with a zero, which some readers take for octal. Write '300'");
        CHECK(complaint(parse_integer("08", any)).starts_with("E46"));
        CHECK(complaint(parse_integer("-007", any)).ends_with("Write '-7'"));
        CHECK(complaint(parse_integer("000", any)).ends_with("Write '0'"));
    }

    // P58
    TEST_CASE("what is no plain decimal integer is refused") {
        for (const char* text : {"1_000",
                                 "5s",
                                 ".inf",
                                 "1.5",
                                 "x",
                                 "+5",
                                 "0x10",
                                 "0o7",
                                 "1e3",
                                 "",
                                 "-",
                                 "--1",
                                 " 1",
                                 "1 ",
                                 "٣"}) {
            CHECK(complaint(parse_integer(text, any)) ==
                  "E46 expected an integer, got '" + std::string{text} + "'");
        }
    }

    // P58
    TEST_CASE("an integer out of range names the value and the range") {
        CHECK(value(parse_integer("1", {1, 1000})) == 1);
        CHECK(value(parse_integer("1000", {1, 1000})) == 1000);
        CHECK(complaint(parse_integer("0", {1, 1000})) == "E47 0 is outside 1..1000");
        CHECK(complaint(parse_integer("1001", {1, 1000})) == "E47 1001 is outside 1..1000");
        CHECK(complaint(parse_integer("-1", {0, any.maximum})) ==
              "E47 -1 is outside the range from 0 up");
        CHECK(complaint(parse_integer("3000000000", {1, 1000})) ==
              "E47 3000000000 is outside 1..1000");
    }

    TEST_CASE("an integer uses all of 64 bits and no more") {
        CHECK(value(parse_integer("9223372036854775807", any)) == any.maximum);
        CHECK(value(parse_integer("-9223372036854775808", any)) == any.minimum);
        CHECK(complaint(parse_integer("9223372036854775808", any)) ==
              "E47 9223372036854775808 is outside what 64 bits hold");
    }

    TEST_CASE("a duration is an integer with its unit") {
        CHECK(value(parse_duration("250ms", any)) == 250ms);
        CHECK(value(parse_duration("2s", any)) == 2s);
        CHECK(value(parse_duration("5m", any)) == 5min);
        CHECK(value(parse_duration("1h", any)) == 1h);
        CHECK(value(parse_duration("0s", any)) == 0s);
        CHECK(value(parse_duration("-1s", any)) == -1s);
    }

    TEST_CASE("a duration without a unit is refused") {
        CHECK(complaint(parse_duration("5", any)) ==
              "E46 a duration needs a unit (ms, s, m, h), got '5'");
        CHECK(complaint(parse_duration("5 s", any)).starts_with("E46 a duration needs a unit"));
        CHECK(complaint(parse_duration("5d", any)).starts_with("E46 a duration needs a unit"));
        CHECK(complaint(parse_duration("1.5s", any)).starts_with("E46"));
        for (const char* text : {"s", "", "-", "-s", "05s", "x"}) {
            CHECK(complaint(parse_duration(text, any)) ==
                  "E46 expected an integer with a unit (ms, s, m, h), got '" + std::string{text} +
                      "'");
        }
    }

    TEST_CASE("a duration out of range names the range in units") {
        CHECK(value(parse_duration("10m", {1000, 600'000})) == 10min);
        CHECK(complaint(parse_duration("11m", {1000, 600'000})) == "E47 11m is outside 1s..10m");
        CHECK(complaint(parse_duration("999ms", {1000, 600'000})) ==
              "E47 999ms is outside 1s..10m");
        CHECK(complaint(parse_duration("9223372036854775807h", any)).starts_with("E47"));
        CHECK(complaint(parse_duration("-9223372036854775808h", any)).starts_with("E47"));
    }

    TEST_CASE("a choice that is nearly one gets a suggestion") {
        constexpr std::array<std::string_view, 2> choices{"email", "chat"};

        CHECK(value(parse_choice("chat", choices)) == 1);
        CHECK(complaint(parse_choice("emial", choices)) ==
              "E48 'emial' is not one of: email, chat. Did you mean 'email'?");
        CHECK(complaint(parse_choice("", choices)) == "E48 '' is not one of: email, chat");
    }

    TEST_CASE("what is shown is one short line") {
        CHECK(shown("a\nb\x01") == R"('a\nb\x01')");
        CHECK(shown("a\u009B2J") == R"('a\x9b2J')");
        CHECK(shown(std::string(60, 'x')) == "'" + std::string(60, 'x') + "'");
        CHECK(shown(std::string(61, 'x')) == "'" + std::string(60, 'x') + "…'");
        CHECK(shown(std::string(59, 'x') + "éé") == "'" + std::string(59, 'x') + "…'");
        CHECK(shown(90s) == "90s");
        CHECK(shown(120s) == "2m");
        CHECK(shown(1500ms) == "1500ms");
        CHECK(shown(0ms) == "0s");
    }
}

TEST_SUITE("yaml value") {
    // P58
    TEST_CASE("a quoted number is a text and refused as one") {
        Value quoted{"\"100\""};

        CHECK_FALSE(read_integer(quoted.node(), quoted.context(), any).has_value());
        CHECK(quoted.complaint() ==
              "E46 a.yaml:1:6: key: expected an integer, got the text \"100\". Remove the quotes");
    }

    // P58
    TEST_CASE("a quoted boolean is a text and refused as one") {
        for (const char* text : {"\"no\"", "\"true\"", "'false'"}) {
            Value quoted{text};
            CHECK_FALSE(read_boolean(quoted.node(), quoted.context()).has_value());
            CHECK(quoted.complaint().starts_with(
                "E46 a.yaml:1:6: key: expected true or false, got the text \""));
        }
        Value off{"off"};
        CHECK_FALSE(read_boolean(off.node(), off.context()).has_value());
        CHECK(off.complaint() == "E46 a.yaml:1:6: key: expected true or false, got 'off'");
    }

    // P58
    TEST_CASE("a text is what is written and no is a text") {
        for (const char* text : {"no", "12", "0300", "true", "1.50"}) {
            Value plain{text};
            CHECK(read_text(plain.node(), plain.context()) == text);
            CHECK(plain.problems.empty());
        }
        Value quoted{"\"12\""};
        CHECK(read_text(quoted.node(), quoted.context()) == "12");
    }

    // P58
    TEST_CASE("nothing and a tilde are missing and never the text null") {
        for (const char* text : {"", "~", "null"}) {
            Value nothing{text};
            CHECK_FALSE(read_text(nothing.node(), nothing.context()).has_value());
            CHECK(nothing.complaint() ==
                  "E45 a.yaml:1:1: key: has no value. Give one or remove the line");
        }
    }

    TEST_CASE("lists and maps are no scalars") {
        Value list{"[1]"};
        Value map{"{a: 1}"};

        CHECK_FALSE(read_integer(list.node(), list.context(), any).has_value());
        CHECK_FALSE(read_text(map.node(), map.context()).has_value());

        CHECK(list.complaint() == "E46 a.yaml:1:6: key: expected an integer, got a list");
        CHECK(map.complaint() == "E46 a.yaml:1:6: key: expected a text, got a map");
    }

    TEST_CASE("a list of texts reports each item that is none") {
        Value good{"[a, no]"};
        Value bad{"[a, [b], ~]"};
        Value scalar{"a"};

        CHECK(read_texts(good.node(), good.context()) == std::vector<std::string>{"a", "no"});
        CHECK_FALSE(read_texts(bad.node(), bad.context()).has_value());
        CHECK_FALSE(read_texts(scalar.node(), scalar.context()).has_value());

        REQUIRE(bad.problems.size() == 2);
        CHECK(bad.problems[0].message == "key[1]: expected a text, got a list");
        CHECK(bad.problems[1].message == "key[2]: has no value");
        CHECK(scalar.complaint() == "E46 a.yaml:1:6: key: expected a list, got 'a'. Write [a]");
    }

    TEST_CASE("what was refused when it was read is not reported twice") {
        Value tagged{"!!int 5"};
        REQUIRE(tagged.problems.size() == 1);

        CHECK_FALSE(read_integer(tagged.node(), tagged.context(), any).has_value());
        CHECK_FALSE(read_texts(tagged.node(), tagged.context()).has_value());

        CHECK(tagged.problems.size() == 1);
    }
}

TEST_SUITE("version range") {
    TEST_CASE("a version is three numbers") {
        CHECK(parse_version("1.20.3") == Version{1, 20, 3});
        CHECK(parse_version("1.9.0") < parse_version("1.10.0"));
        for (const char* text : {"",
                                 "1",
                                 "1.2",
                                 "1.2.3.4",
                                 "1.2.x",
                                 "v1.2.3",
                                 "1.2.3-rc1",
                                 "01.2.3",
                                 "1..3",
                                 "1.2.",
                                 "1.2.9999999999"}) {
            CHECK_MESSAGE(!parse_version(text).has_value(), text);
        }
    }

    TEST_CASE("every condition must hold") {
        const auto range = value(parse_version_range(">=1.4 <2"));

        CHECK(range.contains({1, 4, 0}));
        CHECK(range.contains({1, 99, 99}));
        CHECK_FALSE(range.contains({1, 3, 99}));
        CHECK_FALSE(range.contains({2, 0, 0}));
        CHECK(range.text() == ">=1.4 <2");
    }

    TEST_CASE("only the numbers that are given are compared") {
        const auto admits = [](std::string_view range, Version version) {
            return value(parse_version_range(range)).contains(version);
        };
        CHECK(admits("1.4", {1, 4, 7}));
        CHECK_FALSE(admits("1.4", {1, 5, 0}));
        CHECK(admits("=1.4.7", {1, 4, 7}));
        CHECK_FALSE(admits("=1.4.7", {1, 4, 8}));
        CHECK(admits("<=1.4", {1, 4, 7}));
        CHECK_FALSE(admits(">1.4", {1, 4, 7}));
        CHECK(admits(">1.4", {1, 5, 0}));
        CHECK_FALSE(admits("<1", {1, 0, 0}));
    }

    TEST_CASE("a word that cannot be read is named") {
        CHECK(complaint(parse_version_range(">=1.4 <two")) ==
              "E46 expected versions such as '>=1.4 <2', cannot read '<two'");
        CHECK(complaint(parse_version_range("  ")) ==
              "E46 expected versions such as '>=1.4 <2', got '  '");
        for (const char* text : {"~1.4", "^1", ">= 1", "1.4.x", ">=", "1,2"}) {
            CHECK(complaint(parse_version_range(text)).starts_with("E46"));
        }
    }
}
