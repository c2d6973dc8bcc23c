// Taking imports back: what goes, what stays, and what is said of both.

#include <chrono>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plugins/importer/retention.hpp>
#include <tests/pg/importer_bench.hpp>
#include <tests/support/lent_services.hpp>

using radd::json;
using radd::testing::a_history_entry;
using radd::testing::a_jira_issue;
using radd::testing::a_jira_user;
using radd::testing::ImportBench;
using radd::testing::sample_export;

namespace {

using namespace std::chrono_literals;

json with_comment(json issue, const std::string& id, const std::string& body) {
    issue["fields"]["comment"]["comments"].push_back({{"id", id},
                                                      {"body", body},
                                                      {"author", a_jira_user("u1")},
                                                      {"created", "2024-03-13T10:00:00.000+0000"}});
    return issue;
}

json with_parent(json issue, int parent) {
    issue["fields"]["parent"] = {{"id", std::to_string(10'000 + parent)},
                                 {"key", "OPS-" + std::to_string(parent)}};
    return issue;
}

struct RollbackBench : ImportBench {
    std::string state_of(importer::ImportId id) {
        return database.value("SELECT state FROM importer.imports WHERE id = " +
                              std::to_string(id));
    }
    std::string items_there() { return database.value("SELECT count(*)::text FROM items.items"); }

    void add_comment(const std::string& key, const std::string& body) {
        const auto item = find(key);
        commit([&](radd::Transaction& tx) {
            return directory.add_comment(tx, item->id, body, {}, {});
        });
    }

    static std::string left_of(const importer::RollbackReport& report) {
        std::string left;
        for (const auto& problem : report.left.kept())
            left += problem.key + " " + problem.field + ": " + problem.text + "\n";
        return left;
    }
};

}  // namespace

TEST_SUITE("import rollback") {
    TEST_CASE_FIXTURE(RollbackBench, "removes all that a first import made and tells it silently") {
        const auto report = import(sample_export());
        CHECK(items_there() == "12");
        new_events();

        const auto undone = roll_back(*report.import);

        CHECK(undone.items_removed == 12);
        CHECK(undone.comments_removed == 7);
        CHECK(undone.people_kept == 4);
        CHECK(undone.projects_kept == 1);
        CHECK(undone.left.empty());
        CHECK(items_there() == "0");
        CHECK(database.value("SELECT count(*)::text FROM items.comments") == "0");
        CHECK(database.value("SELECT count(*)::text FROM importer.imported_changes") == "0");
        CHECK(count("event_type = 'item.deleted' AND silent") == "12");
        CHECK(count("NOT silent") == "0");
        CHECK(state_of(*report.import) == "rolled_back");
        CHECK(database.value("SELECT payload->'counts'->>'items_removed' FROM radd.events WHERE "
                             "event_type = 'import.rolled_back' AND NOT silent") == "12");
    }

    TEST_CASE_FIXTURE(RollbackBench, "is over when an import is forgotten and goes in slices") {
        radd::testing::LentServices lent{db};
        lent.fakes.values = radd::testing::FakeSettings{
            {radd::duration("imports_kept", 24h, {1h, 24h * 3650}, "")}};
        importer::Retention retention{lent};
        const auto old = import(sample_export());
        const auto young = import(json::array({a_jira_issue(99)}));
        database.execute("INSERT INTO importer.writes (import_id, kind, entity_id, after) SELECT " +
                         std::to_string(*old.import) +
                         ", 'person', "
                         "'x', '{}' FROM generate_series(1, 1000)");
        const auto rows = [&](std::int64_t id) {
            return std::stoi(
                database.value("SELECT count(*)::text FROM importer.writes WHERE import_id = " +
                               std::to_string(id)));
        };
        const int all = rows(*old.import);
        const int others = rows(*young.import);
        CHECK_FALSE(retention.tick());
        CHECK(rows(*old.import) == all);

        database.execute(
            "UPDATE importer.imports SET updated_at = updated_at - interval '25 hours' "
            "WHERE id = " +
            std::to_string(*old.import));
        CHECK(retention.tick());
        CHECK(rows(*old.import) == all - 1000);
        CHECK_THROWS_AS((void)roll_back(*old.import), radd::InvalidInput);
        CHECK_FALSE(retention.tick());

        CHECK(database.value("SELECT string_agg(id::text, ' ') FROM importer.imports") ==
              std::to_string(*young.import));
        CHECK(rows(*young.import) == others);
        CHECK(items_there() == "13");
        CHECK(import(sample_export()).created == 0);
    }

    TEST_CASE_FIXTURE(RollbackBench, "can be done once and what it took back imported again") {
        const auto report = import(sample_export());
        roll_back(*report.import);
        const auto events = database.value("SELECT count(*)::text FROM radd.events");

        const auto again = roll_back(*report.import);

        CHECK(again.items_removed == 0);
        CHECK(database.value("SELECT count(*)::text FROM radd.events") == events);
        const auto second = import(sample_export());
        CHECK(second.created == 12);
        CHECK(second.people == 0);
        CHECK(second.comments == report.comments);
    }

    TEST_CASE_FIXTURE(RollbackBench, "puts back what an import changed and nothing of another") {
        const auto first = import(json::array({with_comment(a_jira_issue(1), "1", "hello")}));
        auto changed = with_comment(a_jira_issue(1, "Deploy twice"), "1", "hello you");
        changed = with_comment(changed, "2", "more");
        changed["fields"]["status"] = {{"name", "Closed"}, {"statusCategory", {{"key", "done"}}}};
        changed["fields"]["description"] = "text";
        changed["fields"]["labels"] = json::array({"b", "a"});
        changed["fields"]["priority"] = {{"name", "High"}};
        changed["fields"]["reporter"] = a_jira_user("u1");
        changed["fields"]["comment"]["comments"][0]["author"]["displayName"] = "Renamed u1";
        changed["fields"]["reporter"]["displayName"] = "Renamed u1";
        changed["fields"]["comment"]["comments"][1]["author"]["displayName"] = "Renamed u1";
        const auto before = find("OPS-1");
        const auto second =
            import(json::array({with_parent(changed, 9), a_jira_issue(9, "parent")}));
        CHECK(second.updated == 1);
        CHECK(find("OPS-1")->parent->key == "OPS-9");

        const auto undone = roll_back(*second.import);

        CHECK(left_of(undone).empty());
        CHECK(undone.items_removed == 1);
        CHECK(undone.items_restored == 2);
        CHECK(undone.comments_removed == 1);
        CHECK(undone.comments_restored == 1);
        CHECK(undone.people_restored == 1);
        const auto after = find("OPS-1");
        CHECK(importer::field_values(*after) == importer::field_values(*before));
        CHECK_FALSE(after->resolved_at);
        CHECK(database.value("SELECT body FROM items.comments") == "hello");
        CHECK(database.value("SELECT name FROM items.people WHERE source_id = 'u1'") ==
              "Person u1");
        CHECK(state_of(*first.import) == "finished");
    }

    TEST_CASE_FIXTURE(RollbackBench, "names and leaves what somebody has changed since") {
        const auto report = import(json::array({with_parent(a_jira_issue(1), 5),
                                                a_jira_issue(2),
                                                a_jira_issue(3),
                                                with_comment(a_jira_issue(4), "1", "theirs"),
                                                with_parent(a_jira_issue(5), 6),
                                                a_jira_issue(6)}));
        update(find("OPS-1")->id, {.title = "ours"});
        add_comment("OPS-2", "ours");
        update(find("OPS-3")->id, {.contact = items::Contact{.email = "guest@example.org"}});
        an_item({.project_id = find("OPS-6")->project.id,
                 .title = "ours",
                 .parent = find("OPS-4")->id});

        const auto undone = roll_back(*report.import);

        CHECK(undone.items_removed == 0);
        const auto left = left_of(undone);
        CHECK(left.find("OPS-1 title: changed since; it stays\n") != std::string::npos);
        CHECK(left.find("OPS-2 comments: changed since; it stays\n") != std::string::npos);
        CHECK(left.find("OPS-3 contact: changed since; it stays\n") != std::string::npos);
        CHECK(left.find("OPS-4 : OPS-7 stands under it and stays; so does this\n") !=
              std::string::npos);
        CHECK(left.find("OPS-5 : OPS-1 stands under it and stays; so does this\n") !=
              std::string::npos);
        CHECK(left.find("OPS-6 : OPS-5 stands under it and stays; so does this\n") !=
              std::string::npos);
        CHECK(undone.left.total() == 6);
        CHECK(state_of(*report.import) == "partly_rolled_back");

        update(find("OPS-1")->id, {.title = "Deploy"});
        CHECK(roll_back(*report.import).items_removed == 3);
        CHECK(find("OPS-4"));
    }

    TEST_CASE_FIXTURE(RollbackBench,
                      "puts back the fields that still stand and leaves the others") {
        import(json::array({a_jira_issue(1)}));
        auto changed = a_jira_issue(1, "Deploy twice");
        changed["fields"]["labels"] = json::array({"a"});
        const auto report = import(json::array({changed}));
        update(find("OPS-1")->id, {.title = "ours"});

        const auto undone = roll_back(*report.import);

        CHECK(left_of(undone) == "OPS-1 title: changed since; it stays\n");
        CHECK(find("OPS-1")->title == "ours");
        CHECK(find("OPS-1")->labels.empty());
        new_events();
        CHECK(roll_back(*report.import).items_restored == 0);
        CHECK(new_events() == "");
    }

    TEST_CASE_FIXTURE(RollbackBench, "takes children before their parents however they stand") {
        auto issues = json::array();
        for (int i = 1; i <= 120; ++i)
            issues.push_back(i % 40 == 0 ? a_jira_issue(i) : with_parent(a_jira_issue(i), i + 1));
        const auto report = import(issues);
        CHECK(report.warnings.empty());

        const auto undone = roll_back(*report.import);

        CHECK(undone.items_removed == 120);
        CHECK(count("event_type = 'item.updated'") == "117");
    }

    TEST_CASE_FIXTURE(RollbackBench, "that was stopped goes on where it was") {
        auto issues = json::array();
        for (int i = 1; i <= 120; ++i) issues.push_back(a_jira_issue(i));
        const auto report = import(issues);
        importer::RollbackOptions options;
        options.stop_requested = [] { return true; };
        std::size_t told = 0;
        options.progress = [&told](std::size_t done, std::size_t total) {
            told = done;
            CHECK(total == 120);
        };

        const auto first = roll_back(*report.import, options);

        CHECK(first.stopped);
        CHECK(first.items_removed == 0);
        CHECK(state_of(*report.import) == "rolling_back");
        int batches = 0;
        options.stop_requested = [&batches] { return ++batches == 3; };
        CHECK(roll_back(*report.import, options).items_removed == 100);
        CHECK(told == 100);
        CHECK(roll_back(*report.import).items_removed == 20);
        CHECK(state_of(*report.import) == "rolled_back");
    }

    TEST_CASE_FIXTURE(RollbackBench, "that lost its connection is finished by a second run") {
        auto issues = json::array();
        for (int i = 1; i <= 101; ++i) issues.push_back(a_jira_issue(i));
        const auto report = import(issues);
        // Its beginning, changes, and two batches of items, the second of which is lost.
        radd::testing::FailingDatabase failing{db, 4};
        const auto interrupted = [&] {
            const radd::Quiet quiet;
            return importer::Rollback{directory, {}}.run(failing, *report.import);
        };

        CHECK_THROWS_AS((void)interrupted(), radd::Unavailable);

        CHECK(items_there() == "51");
        CHECK(roll_back(*report.import).items_removed == 51);
        CHECK(count("event_type = 'item.deleted'") == "101");
        CHECK(state_of(*report.import) == "rolled_back");
    }

    TEST_CASE_FIXTURE(RollbackBench, "a dry run says the same and changes nothing") {
        const auto report = import(sample_export());
        update(find("DEMO-1")->id, {.title = "ours"});
        importer::RollbackOptions dry;
        dry.dry_run = true;
        new_events();

        auto planned = roll_back(*report.import, dry);
        CHECK(items_there() == "12");
        CHECK(new_events() == "");
        CHECK(state_of(*report.import) == "finished");
        const auto done = roll_back(*report.import);

        CHECK(planned.dry_run);
        planned.dry_run = false;
        CHECK(planned == done);
        CHECK(done.items_removed > 0);
    }

    TEST_CASE_FIXTURE(RollbackBench, "ends an import that is under way") {
        auto issues = json::array();
        for (int i = 1; i <= 101; ++i) issues.push_back(a_jira_issue(i));
        importer::ImportOptions options;
        options.progress = [this](std::size_t done, std::size_t) {
            if (done == 50) CHECK(roll_back(1).items_removed == 50);
        };

        CHECK_THROWS_AS((void)import(issues, options), radd::InvalidInput);

        CHECK(items_there() == "0");
        CHECK(database.value("SELECT count(*)::text FROM radd.events WHERE event_type = "
                             "'import.finished'") == "0");
    }

    TEST_CASE_FIXTURE(RollbackBench, "an import that is not there is refused by its number") {
        CHECK_THROWS_WITH_AS((void)roll_back(7),
                             "import: there is no 7; `radd import list` shows them",
                             radd::InvalidInput);
    }
}

TEST_SUITE("import end") {
    TEST_CASE_FIXTURE(RollbackBench, "is told once and loudly with its counts") {
        const auto report = import(sample_export());

        CHECK(database.value("SELECT count(*)::text FROM radd.events WHERE event_type LIKE "
                             "'import.%'") == "1");
        const auto event = [this](const std::string& expression) {
            return database.value("SELECT (" + expression +
                                  ")::text FROM radd.events ORDER BY id DESC LIMIT 1");
        };
        CHECK(event("event_type") == "import.finished");
        CHECK(event("silent") == "false");
        CHECK(event("entity_id") == std::to_string(*report.import));
        CHECK(event("payload->'counts'->>'created'") == "12");
        CHECK(event("payload->'counts'->>'events'") == count("true"));
        CHECK(event("payload->'import'->>'state'") == "finished");
    }

    TEST_CASE_FIXTURE(RollbackBench, "of one that was stopped is not told") {
        auto issues = json::array();
        for (int i = 1; i <= 51; ++i) issues.push_back(a_jira_issue(i));
        importer::ImportOptions options;
        options.stop_requested = [] { return true; };

        const auto report = import(issues, options);

        CHECK(state_of(*report.import) == "stopped");
        CHECK(database.value("SELECT count(*)::text FROM radd.events WHERE event_type LIKE "
                             "'import.%'") == "0");
        CHECK(roll_back(*report.import).items_removed == 50);
    }
}
