// Foreign issues on real tables: what a first import writes, and what a second one leaves alone.

#include <string>

#include <doctest/doctest.h>

#include <plugins/importer/cascades.hpp>
#include <tests/pg/importer_bench.hpp>

using radd::json;
using radd::testing::a_history_entry;
using radd::testing::a_jira_issue;
using radd::testing::a_jira_user;
using radd::testing::ImportBench;
using radd::testing::sample_export;

namespace {

json with_parent(json issue, int parent) {
    issue["fields"]["parent"] = {{"id", std::to_string(10'000 + parent)},
                                 {"key", "OPS-" + std::to_string(parent)}};
    return issue;
}

}  // namespace

TEST_SUITE("import") {
    TEST_CASE_FIXTURE(ImportBench, "a file is taken over whole and a second time not at all") {
        const auto first = import(sample_export());
        const auto events = count("true");
        const auto second = import(sample_export());

        CHECK(first.created == 12);
        CHECK(first.people == 4);
        CHECK(first.comments == 7);
        CHECK(first.rejected.empty());
        CHECK(first.warnings.empty());
        CHECK(std::to_string(first.events) == events);
        CHECK(second.created == 0);
        CHECK(second.updated == 0);
        CHECK(second.unchanged == 12);
        CHECK(second.events == 0);
        CHECK(count("true") == events);
    }

    TEST_CASE_FIXTURE(ImportBench, "a user is whoever is here under the same address") {
        const auto ada = commit([&](radd::Transaction& tx) {
            return directory.create_person(tx, {.name = "Ada", .email = "Ada@Example.org"}, {});
        });
        auto issue = a_jira_issue(1);
        issue["fields"]["assignee"] = a_jira_user("u1");
        issue["fields"]["assignee"]["emailAddress"] = "ada@example.ORG";
        new_events();

        const auto first = import(json::array({issue}));
        CHECK(first.people == 0);
        CHECK(first.warnings.empty());
        CHECK(find("OPS-1")->assignee->id == ada.id);
        CHECK(count("event_type LIKE 'person.%'") == "1");

        commit([&](radd::Transaction& tx) {
            return directory.update_person(
                tx, ada.id, {.email = std::optional<std::string>{"ada@elsewhere.org"}}, {});
        });
        const auto events = count("true");
        CHECK(import(json::array({issue})).unchanged == 1);
        CHECK(count("true") == events);

        CHECK(roll_back(*first.import).items_removed == 1);
        CHECK(database.value("SELECT string_agg(name || ' ' || email, ',') FROM items.people") ==
              "Ada ada@elsewhere.org");
    }

    TEST_CASE_FIXTURE(ImportBench, "an address that several have tells nobody from another") {
        auto issue = a_jira_issue(1);
        issue["fields"]["assignee"] = a_jira_user("u1");
        issue["fields"]["reporter"] = a_jira_user("u2");
        for (const char* role : {"assignee", "reporter"})
            issue["fields"][role]["emailAddress"] = "desk@example.org";
        CHECK(import(json::array({issue})).people == 2);
        CHECK(import(json::array({issue})).events == 0);

        auto other = a_jira_issue(2);
        other["fields"]["assignee"] = a_jira_user("u3");
        other["fields"]["assignee"]["emailAddress"] = "desk@example.org";
        const auto third = import(json::array({other}));
        CHECK(third.people == 1);
        CHECK(third.warnings.total() == 1);
        CHECK(import(json::array({other})).events == 0);
        CHECK(database.value("SELECT count(*)::text FROM importer.matched_people") == "0");
    }

    TEST_CASE_FIXTURE(ImportBench, "a dry run reports the same and writes nothing") {
        importer::ImportOptions dry;
        dry.dry_run = true;

        const auto planned = import(sample_export(), dry);
        CHECK(count("true") == "0");
        CHECK(database.value("SELECT count(*)::text FROM items.people") == "0");
        const auto done = import(sample_export());

        CHECK(planned.dry_run);
        CHECK(planned.created == done.created);
        CHECK(planned.people == done.people);
        CHECK(planned.comments == done.comments);
        CHECK(planned.events == done.events);
    }

    TEST_CASE_FIXTURE(ImportBench, "a newer file brings what is new and tells each change once") {
        auto issue = a_jira_issue(1);
        import(json::array({issue}));
        issue["fields"]["status"] = {{"name", "Closed"}, {"statusCategory", {{"key", "done"}}}};
        issue["fields"]["summary"] = "Deploy twice";
        issue["fields"]["updated"] = "2024-03-14T10:00:00.000+0000";
        issue["changelog"]["histories"] = json::array({a_history_entry(
            "1",
            "u1",
            "2024-03-14T10:00:00.000+0000",
            {{"field", "status"}, {"fromString", "Open"}, {"toString", "Closed"}})});
        new_events();

        const auto report = import(json::array({issue}));

        CHECK(report.updated == 1);
        CHECK(new_events() == "person.created item.updated item.updated import.finished ");
        CHECK(last("changes") == R"([{"to": "Deploy twice", "from": "Deploy", "field": "title"}])");
        CHECK(last("occurred_at = '2024-03-14T10:00:00Z'") == "true");
        const auto item = find("OPS-1");
        CHECK(item->state.category == items::Category::done);
        CHECK(item->title == "Deploy twice");
    }

    TEST_CASE_FIXTURE(ImportBench, "an item that was deleted comes back with its history") {
        auto issue = a_jira_issue(1);
        issue["changelog"] = {
            {"histories",
             {a_history_entry(
                 "7",
                 "ada",
                 "2024-03-12T10:00:00.000+0000",
                 {{"field", "summary"}, {"fromString", "Old"}, {"toString", "Deploy"}})}}};
        const json file{{"issues", {issue}}};
        import(file);
        const auto told = count("event_type = 'item.updated'");
        const auto changes = database.value("SELECT count(*) FROM importer.imported_changes");
        db.transact([&](radd::Transaction& tx) {
            const auto item = directory.find_item(tx, "OPS-1");
            const auto id = std::to_string(item->id);
            directory.delete_item(tx, item->id, {});
            const auto sweep = importer::cascades().at(0).sweep;
            for (const auto& odd :
                 {std::string{}, std::string{"x"}, id + "abc", id + std::string(20, '0')})
                sweep(tx, odd);
            CHECK(tx.query_one("SELECT count(*) AS n FROM importer.imported_changes")->text("n") ==
                  changes);
            sweep(tx, id);
        });
        CHECK(database.value("SELECT count(*) FROM importer.imported_changes") == "0");

        import(file);

        CHECK(count("event_type = 'item.updated'") == std::to_string(2 * std::stoi(told)));
        CHECK(told != "0");
    }

    TEST_CASE_FIXTURE(ImportBench, "a refused issue takes no other along") {
        auto long_title = a_jira_issue(2, std::string(501, 'x'));
        auto no_key = a_jira_issue(3);
        no_key.erase("key");

        const auto report =
            import(json::array({a_jira_issue(1), long_title, no_key, a_jira_issue(4)}));

        CHECK(report.created == 2);
        REQUIRE(report.rejected.total() == 2);
        CHECK(report.rejected.kept()[0].key == "issue 3 of the file");
        CHECK(report.rejected.kept()[0].field == "key");
        CHECK(report.rejected.kept()[1].key == "OPS-2");
        CHECK(report.rejected.kept()[1].field == "title");
        CHECK(report.issues == 4);
        CHECK(find("OPS-4"));
    }

    TEST_CASE_FIXTURE(ImportBench, "issues beyond one chunk are all there") {
        auto issues = json::array();
        for (int i = 1; i <= 101; ++i) issues.push_back(a_jira_issue(i));
        std::size_t calls = 0;
        importer::ImportOptions options;
        options.progress = [&calls](std::size_t, std::size_t) { ++calls; };

        CHECK(import(issues, options).created == 101);
        CHECK(calls == 3);
        CHECK(database.value("SELECT next_number::text FROM items.projects") == "102");
    }

    TEST_CASE_FIXTURE(ImportBench, "an import that is told to stop says so and can be finished") {
        auto issues = json::array();
        for (int i = 1; i <= 51; ++i) issues.push_back(a_jira_issue(i));
        importer::ImportOptions options;
        options.stop_requested = [] { return true; };

        const auto stopped = import(issues, options);
        const auto finished = import(issues);

        CHECK(stopped.stopped);
        CHECK(stopped.created == 50);
        CHECK(finished.created == 1);
        CHECK(finished.unchanged == 50);
    }

    TEST_CASE_FIXTURE(ImportBench, "a key that is taken here gets another number and a warning") {
        an_item({.project_id = a_project("OPS").id, .title = "ours"});

        const auto report = import(json::array({a_jira_issue(1, "theirs")}));

        CHECK(find("OPS-2")->title == "theirs");
        REQUIRE(report.warnings.total() == 1);
        CHECK(report.warnings.kept()[0].field == "key");
        CHECK(import(json::array({a_jira_issue(1, "theirs")})).unchanged == 1);
    }

    TEST_CASE_FIXTURE(ImportBench, "two instances of Jira keep their issues apart") {
        importer::ImportOptions other;
        other.source = "old-jira";

        import(json::array({a_jira_issue(1)}));

        CHECK(import(json::array({a_jira_issue(1)}), other).created == 1);
    }

    TEST_CASE_FIXTURE(ImportBench, "an id that another project's item has overwrites nothing") {
        import(json::array({a_jira_issue(1, "ours")}));
        auto stranger = a_jira_issue(1, "theirs");
        stranger["key"] = "DEMO-1";
        auto moved = stranger;
        moved["changelog"]["histories"] = json::array(
            {a_history_entry("1",
                             "u1",
                             "2024-03-13T09:00:00.000+0000",
                             {{"field", "Key"}, {"fromString", "OPS-1"}, {"toString", "DEMO-1"}})});

        const auto report = import(json::array({stranger}));

        REQUIRE(report.rejected.total() == 1);
        CHECK(report.rejected.kept()[0].field == "id");
        CHECK(find("OPS-1")->title == "ours");
        CHECK(import(json::array({moved})).updated == 1);
        CHECK(find("OPS-1")->title == "theirs");
    }

    TEST_CASE_FIXTURE(ImportBench,
                      "a status is mapped by its category or by a rule that is reported") {
        auto odd = a_jira_issue(2);
        odd["fields"]["status"] = {{"name", "Weird status"}};

        const auto report = import(json::array({a_jira_issue(1), odd}));

        CHECK(find("OPS-2")->state ==
              items::State{.name = "Weird status", .category = items::Category::doing});
        REQUIRE(report.warnings.total() == 1);
        CHECK(report.warnings.kept()[0].text.find("'Weird status'") == 0);
    }

    TEST_CASE_FIXTURE(ImportBench, "an address that cannot be one costs the address alone") {
        auto issue = a_jira_issue(1);
        issue["fields"]["reporter"] = a_jira_user("u1");
        issue["fields"]["reporter"]["emailAddress"] = "u1 at example dot org";

        const auto report = import(json::array({issue}));

        CHECK(report.created == 1);
        CHECK(report.warnings.total() == 1);
        CHECK(find("OPS-1")->reporter->name == "Person u1");
    }
}

// P40
TEST_SUITE("import order") {
    TEST_CASE_FIXTURE(ImportBench, "a child may stand before its parent") {
        const auto report = import(json::array({with_parent(a_jira_issue(1), 9), a_jira_issue(9)}));

        CHECK(report.warnings.empty());
        CHECK(find("OPS-1")->parent->key == "OPS-9");
    }

    TEST_CASE_FIXTURE(ImportBench, "no parent that is absent or oneself or on a ring is linked") {
        const auto report = import(json::array({with_parent(a_jira_issue(1), 404),
                                                with_parent(a_jira_issue(2), 2),
                                                with_parent(a_jira_issue(3), 4),
                                                with_parent(a_jira_issue(4), 3),
                                                with_parent(a_jira_issue(5), 3)}));

        CHECK(report.created == 5);
        std::string warned;
        for (const auto& warning : report.warnings.kept()) warned += warning.key + " ";
        CHECK(warned == "OPS-1 OPS-2 OPS-3 OPS-4 ");
        for (const char* key : {"OPS-1", "OPS-2", "OPS-3", "OPS-4"})
            CHECK_FALSE_MESSAGE(find(key)->parent, key);
        CHECK(find("OPS-5")->parent->key == "OPS-3");
    }

    TEST_CASE_FIXTURE(ImportBench, "a parent that came with an earlier file is found") {
        import(json::array({a_jira_issue(9)}));

        CHECK(import(json::array({with_parent(a_jira_issue(1), 9)})).warnings.empty());
        CHECK(find("OPS-1")->parent->key == "OPS-9");
        CHECK(import(json::array({a_jira_issue(1)})).updated == 1);
        CHECK_FALSE(find("OPS-1")->parent);
    }

    TEST_CASE_FIXTURE(ImportBench, "whoever is unknown becomes one placeholder") {
        auto issue = a_jira_issue(1);
        issue["fields"]["reporter"] = {{"name", "u-deleted"}};
        issue["fields"]["comment"]["comments"] = json::array(
            {{{"id", "1"}, {"body", "hello"}, {"created", "2024-03-13T10:00:00.000+0000"}}});
        issue["changelog"]["histories"] = json::array(
            {a_history_entry("7",
                             "u1",
                             "2024-03-13T09:00:00.000+0000",
                             {{"field", "assignee"}, {"from", "u-gone"}, {"fromString", "Gus"}})});

        const auto report = import(json::array({issue}));

        CHECK(report.people == 2);
        const auto placeholder =
            database.value("SELECT id::text FROM items.people WHERE name = 'Unknown person'");
        CHECK(find("OPS-1")->reporter->id == placeholder);
        CHECK(last("actor_id") == placeholder);
        CHECK(database.value("SELECT changes->0->'from'->>'id' FROM radd.events "
                             "WHERE changes IS NOT NULL") == placeholder);
    }

    TEST_CASE_FIXTURE(ImportBench, "an entry keeps its author and time and entries their order") {
        auto issue = a_jira_issue(1);
        issue["fields"]["assignee"] = nullptr;
        const auto assign = [](const char* from, const char* to) {
            return json{{"field", "assignee"}, {"from", from}, {"to", to}};
        };
        // The newest first, as Jira's cloud writes them, and u1 is not U1.
        issue["changelog"]["histories"] = json::array(
            {a_history_entry("9", "U1", "2024-03-15T09:00:00.000+0000", assign("u1", "")),
             a_history_entry("8", "u1", "2024-03-14T09:00:00.000+0200", assign("", "u1"))});

        import(json::array({issue}));

        CHECK_FALSE(find("OPS-1")->assignee);
        CHECK(database.value(
                  "SELECT string_agg(p.source_id || ' ' || to_char(e.occurred_at AT TIME ZONE "
                  "'UTC', 'DD HH24:MI'), ', ' ORDER BY e.id) FROM radd.events e "
                  "JOIN items.people p ON p.id = e.actor_id WHERE e.changes IS NOT NULL") ==
              "u1 14 07:00, U1 15 09:00");
    }
}
