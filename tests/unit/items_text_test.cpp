// What text has to be before it is stored, and what a command line has to be.

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plugins/items/fields.hpp>
#include <plugins/items/text.hpp>
#include <radd/error.hpp>

namespace {

/// The field that was refused; empty if the text was accepted.
std::string refused(const std::string& text, items::Length length = {.min = 1, .max = 10}) {
    try {
        items::check_text("title", text, length);
    } catch (const radd::InvalidInput& error) {
        return error.field();
    }
    return {};
}

bool is_email(const std::string& text) {
    try {
        items::check_email("email", text);
    } catch (const radd::InvalidInput&) {
        return false;
    }
    return true;
}

bool is_project_key(const std::string& text) {
    try {
        items::check_project_key("key", text);
    } catch (const radd::InvalidInput&) {
        return false;
    }
    return true;
}

std::string usage_error(const std::vector<std::string>& words) {
    try {
        (void)items::parse_fields(words, {"assignee", "state"});
    } catch (const items::UsageError& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST_SUITE("item text") {
    TEST_CASE("a length is counted in code points") {
        CHECK(refused("\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4").empty());
        CHECK(refused("\U0001F600\U0001F600\U0001F600\U0001F600\U0001F600").empty());
        CHECK(refused("12345678901") == "title");
        CHECK(refused(std::string(10, 'x')).empty());
    }

    TEST_CASE("nothing and spaces alone are nothing where something is required") {
        CHECK(refused("") == "title");
        CHECK(refused(" \t\n") == "title");
        CHECK(refused("", {.min = 0, .max = 10}).empty());
        CHECK(refused("  ", {.min = 0, .max = 10}).empty());
    }

    // P21
    TEST_CASE("a NUL is refused by field and never cuts the text") {
        CHECK(refused(std::string{"ab\0cd", 5}) == "title");
        CHECK(refused(std::string{"\0", 1}) == "title");
    }

    // P22
    TEST_CASE("what is not UTF-8 is refused and what is stays") {
        for (const char* bad : {"\xff\xfe",
                                "\xc0\xaf",
                                "\xe0\x80\xaf",
                                "\xed\xa0\xbd",
                                "\xf0\x80\x80\xaf",
                                "\xf4\x90\x80\x80",
                                "\xf5\x80\x80\x80",
                                "a\xe2\x82",
                                "\x80"})
            CHECK_MESSAGE(refused(bad) == "title", bad);
        for (const char* good :
             {"\u007f", "\u0080", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff", "\U0010ffff"})
            CHECK_MESSAGE(refused(good).empty(), good);
    }

    TEST_CASE("an address has one at sign with something on both sides") {
        for (const char* good : {"a@b", "kim@example.org", "o'brien+x@example.org"})
            CHECK_MESSAGE(is_email(good), good);
        for (const char* bad :
             {"", "kim", "@b", "kim@", "a@b@c", "a b@c", "a@b\r\nBcc: x@y", "<a@b>"})
            CHECK_FALSE_MESSAGE(is_email(bad), bad);
        CHECK(is_email(std::string(252, 'a') + "@b"));
        CHECK_FALSE(is_email(std::string(253, 'a') + "@b"));
    }

    TEST_CASE("a project key is upper case and begins with a letter") {
        for (const char* good : {"D", "DEMO", "A1_B", "ABCDEFGHIJKLMNOPQRST"})
            CHECK_MESSAGE(is_project_key(good), good);
        for (const char* bad : {"", "demo", "1A", "_A", "A-B", "A B", "ABCDEFGHIJKLMNOPQRSTU"})
            CHECK_FALSE_MESSAGE(is_project_key(bad), bad);
    }

    TEST_CASE("an id is a positive number and a uuid is 36 characters") {
        CHECK(items::is_id("9223372036854775807"));
        for (const char* bad : {"", "0", "-1", "1x", " 1", "9223372036854775808"})
            CHECK_FALSE_MESSAGE(items::is_id(bad), bad);
        CHECK(items::is_uuid("00000000-0000-4000-8000-0000000000aF"));
        CHECK_FALSE(items::is_uuid("00000000-0000-4000-8000-0000000000ag"));
        CHECK_FALSE(items::is_uuid("00000000000040008000000000000001"));
    }
}

TEST_SUITE("item fields") {
    TEST_CASE("words are split at the first equals sign") {
        const std::vector<std::string> words{"state=In Progress", "assignee="};

        const auto fields = items::parse_fields(words, {"assignee", "state"});

        CHECK(fields.at("state") == "In Progress");
        CHECK(fields.at("assignee").empty());
    }

    TEST_CASE("a field that is nearly right is suggested") {
        CHECK(usage_error({"stat=Done"}).find("did you mean 'state'?") != std::string::npos);
        CHECK(usage_error({"colour=red"}).find("there are: assignee state") != std::string::npos);
    }

    TEST_CASE("a word without a value or given twice is an error") {
        CHECK(usage_error({"Done"}).find("'Done' is no field=value") != std::string::npos);
        CHECK(usage_error({"state=a", "state=b"}) == "'state' is given twice");
    }

    TEST_CASE("a list is split at commas and loses what is empty") {
        CHECK(items::split_list(" a, b c ,,d") == std::vector<std::string>{"a", "b c", "d"});
        CHECK(items::split_list("").empty());
        CHECK(items::split_list(" , ").empty());
    }
}
