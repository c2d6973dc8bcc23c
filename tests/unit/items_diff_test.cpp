// What an item.updated event says about a change.

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plugins/items/item_diff.hpp>
#include <radd/event.hpp>

namespace {

items::Item an_item() {
    return {.id = 7,
            .project = {.id = 1, .key = "DEMO", .name = "Demo"},
            .key = "DEMO-7",
            .type = "Task",
            .title = "Printer is on fire",
            .description = "Again.",
            .state = {.name = "To Do", .category = items::Category::todo},
            .labels = {"hardware", "urgent"}};
}

radd::json json_of(const std::optional<radd::JsonText>& text) {
    return text ? radd::json::parse(text->text()) : radd::json("absent");
}

}  // namespace

TEST_SUITE("item diff") {
    TEST_CASE("an item does not differ from itself") {
        CHECK(items::diff(an_item(), an_item()).empty());
    }

    TEST_CASE("times are no difference") {
        auto later = an_item();
        later.updated_at += std::chrono::hours{1};
        later.resolved_at = later.updated_at;

        CHECK(items::diff(an_item(), later).empty());
    }

    TEST_CASE("a state carries its category on both sides") {
        auto done = an_item();
        done.state = {.name = "Done", .category = items::Category::done};

        const auto changes = items::diff(an_item(), done);

        REQUIRE(changes.size() == 1);
        CHECK(changes[0].field == "state");
        CHECK(json_of(changes[0].from) == radd::json{{"name", "To Do"}, {"category", "todo"}});
        CHECK(json_of(changes[0].to) == radd::json{{"name", "Done"}, {"category", "done"}});
    }

    TEST_CASE("a state of the same name and another category differs") {
        auto moved = an_item();
        moved.state.category = items::Category::doing;

        CHECK(items::diff(an_item(), moved).size() == 1);
    }

    TEST_CASE("nobody is null and somebody is named") {
        auto assigned = an_item();
        assigned.assignee = items::PersonName{.id = "u-1", .name = "Ada"};

        const auto changes = items::diff(an_item(), assigned);

        REQUIRE(changes.size() == 1);
        CHECK(json_of(changes[0].from).is_null());
        CHECK(json_of(changes[0].to) == radd::json{{"id", "u-1"}, {"name", "Ada"}});
    }

    TEST_CASE("a parent is named by id and key") {
        auto child = an_item();
        child.parent = items::ItemName{.id = 3, .key = "DEMO-3"};

        const auto changes = items::diff(child, an_item());

        REQUIRE(changes.size() == 1);
        CHECK(json_of(changes[0].from) == radd::json{{"id", 3}, {"key", "DEMO-3"}});
        CHECK(json_of(changes[0].to).is_null());
    }

    TEST_CASE("labels say what came and what went") {
        auto relabelled = an_item();
        relabelled.labels = {"hardware", "solved"};

        const auto changes = items::diff(an_item(), relabelled);

        REQUIRE(changes.size() == 1);
        CHECK(json_of(changes[0].added) == radd::json{"solved"});
        CHECK(json_of(changes[0].removed) == radd::json{"urgent"});
        CHECK_FALSE(changes[0].from);
    }

    TEST_CASE("long text and addresses are named and not shown") {
        auto changed = an_item();
        changed.description = "And again.";
        changed.contact = items::Contact{.email = "kim@example.org"};

        CHECK(items::diff(an_item(), changed) ==
              std::vector{radd::hidden_change("description"), radd::hidden_change("contact")});
    }

    TEST_CASE("several changes come in a fixed order") {
        auto changed = an_item();
        changed.priority = "High";
        changed.title = "Printer is out";
        changed.type = "Bug";

        std::string fields;
        for (const auto& change : items::diff(an_item(), changed)) fields += change.field + " ";

        CHECK(fields == "title type priority ");
    }
}
