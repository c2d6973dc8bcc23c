// What a chat room gets to read: whatever people wrote is shown and not obeyed.

#include <string>

#include <doctest/doctest.h>

#include <items/events.hpp>
#include <plugins/chat/markup.hpp>
#include <plugins/chat/message.hpp>
#include <radd/percent.hpp>
#include <radd/testing/events.hpp>

using namespace radd::testing;
using radd::json;

namespace {

constexpr const char* hostile =
    "<!channel> <users/all> @here [Reset](https://evil.example) <https://evil.example|Reset> *b* & "
    "<b>";
constexpr const char* public_url = "https://desk.example";

/// What a reader sees: escapes undone, invisible joiners gone.
std::string seen(std::string text) {
    const auto replace = [&](std::string_view what, std::string_view with) {
        for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at))
            text.replace(at, what.size(), with);
    };
    replace("\xe2\x81\xa0", "");
    replace("&lt;", "<");
    replace("&gt;", ">");
    replace("&amp;", "&");
    return text;
}

std::size_t count_of(const std::string& text, std::string_view part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

radd::Event updated(const json& ref, const json& changes = json::array()) {
    return an_event{items::ItemEvent::updated}
        .about(items::ItemEntity::item, 1)
        .with_payload(json{{"item", ref}})
        .with_changes(changes);
}

std::string line(const json& ref, const json& changes = json::array()) {
    return chat::line_of(updated(ref, changes), public_url);
}

std::string repeated(const std::string& part, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += part;
    return text;
}

}  // namespace

TEST_SUITE("chat markup") {
    TEST_CASE("links and mentions and emphasis of people are inert and read as they were written") {
        const auto text = chat::inert(hostile);

        CHECK(seen(text) == hostile);
        for (const char* live : {"<", ">", "@here", "://", "*b*", "evil.example"})
            CHECK_MESSAGE(text.find(live) == std::string::npos, live);
        CHECK(text.find("&lt;!channel&gt;") != std::string::npos);
        CHECK(text.find("&amp; ") != std::string::npos);
        CHECK(seen(chat::inert("_i_ ~s~ `c` a@b.example &lt;")) == "_i_ ~s~ `c` a@b.example &lt;");
    }

    TEST_CASE("a cut falls between characters and never into an escape") {
        const std::string smile = "\xf0\x9f\x98\x80";
        CHECK(chat::one_line(repeated(smile, 5), 5) == repeated(smile, 5));
        CHECK(chat::one_line(repeated(smile, 6), 5) == repeated(smile, 4) + "\xe2\x80\xa6");
        CHECK(chat::inert(chat::one_line("&&&&", 3)) == "&amp;&amp;\xe2\x80\xa6");
        CHECK(chat::one_line("abc", 3) == "abc");
        CHECK(chat::one_line("", 3).empty());
    }

    TEST_CASE("what is no character is replaced and what turns the writing goes") {
        CHECK(chat::one_line("a\xff\xfe"
                             "b",
                             9) ==
              "a\xef\xbf\xbd\xef\xbf\xbd"
              "b");
        CHECK_FALSE(radd::first_invalid_utf8(chat::one_line("\xed\xa0\xbd \xc0\xaf", 9)));
        CHECK(chat::one_line("a\r\nb\tc\xe2\x80\xa8"
                             "d",
                             9) == "a  b c d");
        CHECK(chat::one_line("a\xe2\x80\xae"
                             "b\xe2\x81\xa7",
                             9) == "ab");
    }

    TEST_CASE("only the address that we have made is a link") {
        const auto text = chat::link("https://desk.example/1", "a|b>c");
        CHECK(text == "<https://desk.example/1|a/b&gt;c>");
    }
}

TEST_SUITE("chat message") {
    TEST_CASE("a line links to what it is about and tells what changed") {
        const auto text = line(
            {{"key", "DEMO-1"}, {"title", "Printer eats paper"}},
            json::array(
                {{{"field", "state"}, {"from", {{"name", "To do"}}}, {"to", {{"name", "Done"}}}},
                 {{"field", "contact"}},
                 {{"field", "priority"}, {"from", nullptr}, {"to", 2}}}));

        CHECK(text.starts_with("<https://desk.example/entities/item/1|DEMO-1> Printer eats paper"));
        CHECK(
            seen(text).ends_with("item.updated: state To do \xe2\x86\x92 Done, contact, priority "
                                 "nothing \xe2\x86\x92 2"));
    }

    TEST_CASE("whatever people wrote is inert and the only link is ours") {
        const auto text =
            line({{"key", hostile},
                  {"title", hostile},
                  {"author", {{"name", hostile}}},
                  {"excerpt", hostile}},
                 json::array({{{"field", hostile}, {"from", hostile}, {"to", hostile}}}));

        CHECK(count_of(text, "<") == 1);
        CHECK(count_of(text, ">") == 1);
        CHECK(count_of(text, "://") == 1);
        CHECK(text.find("@here") == std::string::npos);
        CHECK(text.find("*b*") == std::string::npos);
    }

    TEST_CASE("a title of ten thousand characters is cut and one of only markup is shown") {
        const auto text =
            line({{"key", "DEMO-1"}, {"title", repeated("&<*\xf0\x9f\x98\x80", 2500)}});
        CHECK(text.size() <= chat::message_bytes_max);
        CHECK_FALSE(radd::first_invalid_utf8(text).has_value());
        CHECK(text.find("\xe2\x80\xa6") != std::string::npos);
        CHECK(seen(line({{"key", "DEMO-1"}, {"title", "<*_~`@>"}})).find("<*_~`@>") !=
              std::string::npos);
    }

    TEST_CASE("an event that says nothing of itself is a line all the same") {
        for (const json& ref : {json(nullptr), json(7), json::object(), json{{"key", 7}}})
            CHECK(line(ref).starts_with("<https://desk.example/entities/item/1|item 1>"));
        CHECK_FALSE(line({}, json::array({{{"field", 7}}, json(3)})).empty());
    }

    TEST_CASE("the longest line that there can be fits into a message") {
        const std::string wide = repeated("*", 300);
        auto changes = json::array();
        for (int i = 0; i < 9; ++i)
            changes.push_back({{"field", wide}, {"from", wide}, {"to", wide}});
        const auto text =
            line({{"key", wide}, {"title", wide}, {"author", {{"name", wide}}}, {"excerpt", wide}},
                 changes);
        CHECK(text.size() <= chat::message_bytes_max);
        CHECK(text.size() > 3000);
        CHECK(text.ends_with("\xe2\x80\xa6"));
        changes.clear();
        for (int i = 0; i < 9; ++i) changes.push_back({{"field", "f"}, {"from", 1}, {"to", 2}});
        CHECK(line({{"key", "DEMO-1"}}, changes).ends_with("and 5 more"));
    }

    TEST_CASE("lines share a message until one is too many or too long") {
        const std::vector<std::string> short_ones(30, "a");
        CHECK(chat::lines_that_fit(short_ones) == chat::lines_per_message_max);
        const std::string half(chat::message_bytes_max / 2, 'a');
        const std::string rest(chat::message_bytes_max - half.size() - 1, 'b');
        CHECK(chat::lines_that_fit(std::vector{half, rest}) == 2);
        CHECK(chat::joined(std::vector{half, rest}).size() == chat::message_bytes_max);
        CHECK(chat::lines_that_fit(std::vector{half, rest + "c"}) == 1);
        CHECK(chat::lines_that_fit(std::vector{std::string(9999, 'a'), std::string{"b"}}) == 1);
    }

    TEST_CASE("the body is JSON and a character of four bytes stays one") {
        const auto body = chat::body_of("\xf0\x9f\x98\x80 \"<b>\"");
        CHECK(body == "{\"text\":\"\xf0\x9f\x98\x80 \\\"<b>\\\"\"}");
        CHECK_FALSE(radd::first_invalid_utf8(chat::body_of("\xff\xfe")).has_value());
    }

    TEST_CASE("text of somebody is cut to a message whatever it holds") {
        CHECK(chat::line_of("hello") == "hello");
        for (const std::string part : {"a", "*", "&", "\xf0\x9f\x98\x80"}) {
            const auto text = chat::line_of(repeated(part, 10'000));
            CHECK(text.size() <= chat::message_bytes_max);
            CHECK(text.size() > 1000);
            CHECK_FALSE(radd::first_invalid_utf8(text).has_value());
        }
    }

    TEST_CASE("the same text has the same name in every attempt and another text another") {
        const auto name = chat::url_of("https://chat.example/x?key=1", "uid", "text");
        CHECK(name.starts_with("https://chat.example/x?key=1&requestId=uid-"));
        CHECK(chat::url_of("https://chat.example/x?key=1", "uid", "text") == name);
        CHECK(chat::url_of("https://chat.example/x?key=1", "uid", "texts") != name);
        CHECK(chat::url_of("https://chat.example/x", "uid", "text").find("x?requestId=") !=
              std::string::npos);
    }
}
