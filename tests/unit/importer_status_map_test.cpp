// Foreign statuses and their categories.

#include <doctest/doctest.h>

#include <plugins/importer/status_map.hpp>

using importer::category_by_name;
using items::Category;

TEST_SUITE("status map") {
    TEST_CASE("Jira's three categories are ours") {
        CHECK(importer::category_of_jira("new") == Category::todo);
        CHECK(importer::category_of_jira("indeterminate") == Category::doing);
        CHECK(importer::category_of_jira("done") == Category::done);
        CHECK_FALSE(importer::category_of_jira("undefined"));
        CHECK_FALSE(importer::category_of_jira(""));
    }

    TEST_CASE("a status without a category goes by its name") {
        for (const char* name : {"Closed", "RESOLVED", "done"})
            CHECK_MESSAGE(category_by_name(name) == Category::done, name);
        for (const char* name : {"Open", "To Do", "new", "Backlog", "Reopened"})
            CHECK_MESSAGE(category_by_name(name) == Category::todo, name);
        for (const char* name : {"In Progress", "Weird status", "", "Not done", "Opening"})
            CHECK_MESSAGE(category_by_name(name) == Category::doing, name);
    }

    TEST_CASE("what one issue knows holds for the whole file") {
        importer::StatusMap statuses;
        statuses.learn("CLA On File", std::nullopt);
        statuses.learn("CLA On File", Category::done);
        statuses.learn("Closed", std::nullopt);

        CHECK(statuses.state("CLA On File") ==
              items::State{.name = "CLA On File", .category = Category::done});
        CHECK_FALSE(statuses.entries().at("CLA On File").guessed);
        CHECK(statuses.entries().at("Closed").guessed);
        CHECK(statuses.state("Never seen").category == Category::doing);
    }

    TEST_CASE("the first category that is told stays") {
        importer::StatusMap statuses;
        statuses.learn("Review", Category::doing);
        statuses.learn("Review", Category::done);

        CHECK(statuses.state("Review").category == Category::doing);
    }
}
