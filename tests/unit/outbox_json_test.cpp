#include <string>

#include <doctest/doctest.h>

#include <host/outbox/json_check.hpp>

namespace {

using radd::outbox::check_json;
using radd::outbox::check_text;
using radd::outbox::JsonKind;

/// What is wrong with `text`; empty if nothing is.
std::string problem(const std::string& text) {
    try {
        check_json("payload", text);
        return "";
    } catch (const radd::InvalidInput& error) {
        CHECK(error.field() == "payload");
        return error.what();
    }
}

std::string nested(std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
}

}  // namespace

TEST_SUITE("json check") {
    TEST_CASE("an object tells its keys") {
        const auto facts = check_json("payload", R"( {"b": {"inner": 1}, "a\u0041": [2]} )");

        CHECK(facts.kind == JsonKind::object);
        CHECK(facts.keys == std::vector<std::string>{"b", "aA"});
    }

    TEST_CASE("other values are known for what they are") {
        CHECK(check_json("x", "[1]").kind == JsonKind::array);
        CHECK(check_json("x", "\"text\"").kind == JsonKind::other);
        CHECK(check_json("x", "null").kind == JsonKind::other);
    }

    TEST_CASE("what is no JSON is refused with its place and without its contents") {
        for (const std::string text :
             {"", "{", "{} {}", "{'a':1}", "[01]", "[NaN]", "[Infinity]"}) {
            CAPTURE(text);
            CHECK(problem(text).find("is not JSON at byte") != std::string::npos);
        }
        CHECK(problem(R"({"token": "secret, })").find("secret") == std::string::npos);
    }

    // P21
    TEST_CASE("a NUL is refused raw and escaped and in a key") {
        CHECK(problem(R"({"a":"ab\u0000cd"})").find("NUL") != std::string::npos);
        CHECK(problem(R"({"a\u0000":1})").find("NUL") != std::string::npos);
        CHECK(problem(std::string{"{\"a\":1}\0", 8}).find("NUL") != std::string::npos);
        CHECK(problem(R"({"a":"ab\\u0000cd"})").empty());
    }

    // The parser passes it, PostgreSQL would not.
    TEST_CASE("a byte order mark is refused") {
        CHECK(problem("\xEF\xBB\xBF{}").find("byte order mark") != std::string::npos);
        CHECK(problem("{\"\xEF\xBB\xBF\":1}").empty());
    }

    // P22
    TEST_CASE("half of a surrogate pair and broken bytes are refused") {
        for (const std::string text : {R"(["\ud83d"])",
                                       R"(["\ude00\ud83d"])",
                                       "[\"\xff\xfe\"]",
                                       "[\"\xc0\xaf\"]",
                                       "[\"\xed\xa0\x80\"]",
                                       "[\"\xf0\x9f\x98\"]"}) {
            CAPTURE(text);
            CHECK(problem(text).find("not valid UTF-8") != std::string::npos);
        }
        CHECK(problem(R"(["\ud83d\ude00"])").empty());
        CHECK(problem("[\"\xf0\x9f\x98\x80\"]").empty());
    }

    // P23
    TEST_CASE("numbers are judged as text") {
        CHECK(
            problem(R"({"n":9007199254740993,"p":1.10,"b":18446744073709551616,"z":-0})").empty());
        CHECK(problem("[1e400]").find("number out of range") != std::string::npos);
        CHECK(problem("[-1e400]").find("number out of range") != std::string::npos);
        CHECK(problem("[1e308]").empty());
        CHECK(problem("[1e-1000]").empty());
        CHECK(problem("[1e-1001]").find("too many digits") != std::string::npos);
        CHECK(problem("[1E-99999999999]").find("too many digits") != std::string::npos);
        CHECK(problem("[0." + std::string(998, '1') + "]").empty());
        CHECK(problem("[0." + std::string(999, '1') + "]").find("digits") != std::string::npos);
    }

    TEST_CASE("depth is bounded at its limit") {
        CHECK(problem(nested(radd::payload_depth_max)).empty());
        CHECK(problem(nested(radd::payload_depth_max + 1)).find("deeper") != std::string::npos);
        CHECK(problem(std::string(100'000, '[')).find("deeper") != std::string::npos);
    }

    TEST_CASE("a text is bounded in bytes and is UTF-8") {
        CHECK_NOTHROW(check_text("entity_id", std::string(200, 'x'), 200));
        CHECK_THROWS_AS(check_text("entity_id", std::string(201, 'x'), 200), radd::InvalidInput);
        CHECK_THROWS_AS(check_text("entity_id", "\xff", 200), radd::InvalidInput);
        CHECK_THROWS_AS(check_text("entity_id", std::string(1, '\0'), 200), radd::InvalidInput);
    }

    TEST_CASE("a quoted text reads back as itself") {
        const std::string text = "a\"b\\c\n\x01 \xf0\x9f\x98\x80";
        std::string json;
        radd::outbox::append_quoted(json, text);

        CHECK(radd::json::parse(json).get<std::string>() == text);
    }
}
