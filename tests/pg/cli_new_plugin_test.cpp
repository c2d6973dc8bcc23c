// A new plugin's id becomes a schema, and PostgreSQL has the last word on that.

#include <doctest/doctest.h>

#include <host/cli/new_plugin.hpp>
#include <tests/support/test_database.hpp>

using namespace radd;

TEST_SUITE("radd new-plugin") {
    TEST_CASE_FIXTURE(testing::TestDatabase, "takes no word that the server reserves") {
        const Rows words =
            session().query("SELECT word FROM pg_get_keywords() WHERE catcode IN ('R', 'T')");
        CHECK(words.size() > 90);
        for (const auto row : words)
            CHECK_MESSAGE(!cli::plugin_name_complaint(row.text("word")).empty(), row.text("word"));
    }
}
