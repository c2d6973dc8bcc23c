// Items on a terminal: what people wrote is shown and never obeyed.

#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include <plugins/items/item_view.hpp>
#include <plugins/items/to_json.hpp>

namespace {

constexpr const char* evil = "a\x1b]0;owned\x07\r\nb";
constexpr const char* shown = "a\\x1b]0;owned\\x07\\r\\nb";

items::Item an_evil_item() {
    items::Item item{};
    item.key = "DEMO-1";
    item.type = item.title = item.description = item.state.name = evil;
    item.priority = evil;
    item.reporter = item.assignee = items::PersonName{.id = "1", .name = evil};
    item.contact = items::Contact{.email = evil};
    item.labels = {evil};
    return item;
}

std::size_t count(const std::string& text, const std::string& fragment) {
    std::size_t found = 0;
    for (auto at = text.find(fragment); at != std::string::npos; at = text.find(fragment, at + 1))
        ++found;
    return found;
}

bool is_harmless(const std::string& text) {
    return text.find_first_of("\x1b\x07\r") == std::string::npos;
}

}  // namespace

TEST_SUITE("item view") {
    TEST_CASE("an item is one line of a list whatever it is called") {
        const auto line = items::item_line(an_evil_item());

        CHECK(is_harmless(line));
        CHECK(line.find('\n') == std::string::npos);
        CHECK(count(line, shown) == 3);
    }

    TEST_CASE("a change is one line whatever was changed to what") {
        const auto line = items::change_line({.field = "title",
                                              .from = radd::json(evil),
                                              .to = radd::json("\u009B"
                                                               "2J")});

        CHECK(line == std::string{"title: "} + shown + " -> \\x9b2J");
    }

    TEST_CASE("a page keeps the line breaks of texts and of nothing else") {
        items::Comment comment{};
        comment.id = 5;
        comment.body = evil;
        comment.author = items::PersonName{.id = "1", .name = evil};
        std::ostringstream out;

        items::print_item(out, an_evil_item(), {comment});

        CHECK(is_harmless(out.str()));
        CHECK(count(out.str(), shown) == 9);
        CHECK(count(out.str(), "a\\x1b]0;owned\\x07\nb\n") == 2);
    }

    TEST_CASE("JSON holds the text as it was written") {
        CHECK(items::to_json(an_evil_item()).at("title") == evil);
    }
}
