// When things happened, and who is told: P41 and P38 on real tables.

#include <functional>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include <items/events.hpp>
#include <radd/handover.hpp>
#include <tests/pg/importer_bench.hpp>

using radd::json;
using radd::Transaction;
using radd::testing::a_jira_issue;
using radd::testing::ImportBench;
using radd::testing::sample_export;

// P41
TEST_SUITE("import times") {
    TEST_CASE_FIXTURE(ImportBench, "wall times are read in the zone and doubtful ones reported") {
        auto gap = a_jira_issue(1);
        gap["fields"]["created"] = "31/Mar/24 2:30 AM";
        auto twice = a_jira_issue(2);
        twice["fields"]["created"] = "27/Oct/24 2:30 AM";
        auto plain = a_jira_issue(3);
        plain["fields"]["created"] = "25/Jun/20 12:44";
        auto offset = a_jira_issue(4);
        offset["fields"]["created"] = "2024-03-31T02:30:00.000+0200";

        const auto report = import(json::array({gap, twice, plain, offset}), {}, "Europe/Berlin");

        const auto created = [this](const std::string& key) {
            return database.value(
                "SELECT to_char(created_at AT TIME ZONE 'UTC', "
                "'YYYY-MM-DD HH24:MI') FROM items.items WHERE key = '" +
                key + "'");
        };
        CHECK(created("OPS-1") == "2024-03-31 01:30");
        CHECK(created("OPS-2") == "2024-10-27 01:30");
        CHECK(created("OPS-3") == "2020-06-25 10:44");
        CHECK(created("OPS-4") == "2024-03-31 00:30");
        std::string warned;
        for (const auto& warning : report.warnings.kept()) warned += warning.key + " ";
        CHECK(warned == "OPS-1 OPS-2 ");
    }

    TEST_CASE_FIXTURE(ImportBench, "what happened keeps its time and its place in the stream") {
        auto issue = a_jira_issue(1);
        issue["fields"]["created"] = "2024-03-12T09:15:00.123456+0000";

        import(json::array({issue}));

        CHECK(last("event_type") == "item.created");
        CHECK(last("occurred_at = '2024-03-12T09:15:00.123456Z'") == "true");
        CHECK(last("recorded_at > occurred_at + interval '1 year'") == "true");
    }

    TEST_CASE_FIXTURE(ImportBench, "a year that cannot be is reported and nothing is invented") {
        auto issue = a_jira_issue(1);
        issue["fields"]["created"] = "0001-01-01T00:00:00.000+0000";

        const auto report = import(json::array({issue, a_jira_issue(2)}));

        REQUIRE(report.rejected.total() == 1);
        CHECK(report.rejected.kept()[0].field == "created");
        CHECK(report.created == 1);
    }

    TEST_CASE_FIXTURE(ImportBench, "a zone that is none is refused before anything is read") {
        CHECK_THROWS_AS(import(json::array({a_jira_issue(1)}), {}, "Europe/Berln"),
                        radd::InvalidInput);
        CHECK(count("true") == "0");
    }
}

// P38
TEST_SUITE("import quiet") {
    TEST_CASE_FIXTURE(ImportBench,
                      "an import that fails half-way leaves nothing and nobody quiet") {
        const auto issues =
            json::array({a_jira_issue(1), a_jira_issue(2), a_jira_issue(3), a_jira_issue(4)});
        const auto file =
            importer::parse_export(issues.dump(), {}, importer::database_zone(db, "UTC"));
        radd::testing::FailingDatabase failing{db, 2};
        const auto failing_import = [&] {
            const radd::Quiet quiet;
            importer::ExportSource source{file};
            return importer::Import{directory, source, {}}.run(failing);
        };

        CHECK_THROWS_AS((void)failing_import(), radd::Unavailable);

        CHECK_FALSE(radd::Quiet::active());
        CHECK_FALSE(find("OPS-1"));
        an_item({.project_id = a_project().id, .title = "by a person"});
        CHECK(last("silent") == "false");
        CHECK(import(issues).created == 4);
    }

    TEST_CASE_FIXTURE(ImportBench,
                      "every event of an import is silent and an inner false changes nothing") {
        const radd::Quiet quiet;
        {
            const radd::Quiet not_here{false};
            import(sample_export());
            an_item({.project_id = a_project("X").id, .title = "still quiet"});
        }

        CHECK(count("NOT silent") == "0");
    }

    TEST_CASE_FIXTURE(ImportBench, "another thread is not quiet while an import runs") {
        importer::ImportOptions options;
        options.progress = [this](std::size_t, std::size_t) {
            std::thread{[this] {
                an_item({.project_id = a_project("X").id, .title = "by a person"});
            }}.join();
        };

        import(json::array({a_jira_issue(1)}), options);

        CHECK(count("NOT silent") == "2");
        CHECK(count("silent AND entity_type = 'item'") == "1");
    }

    TEST_CASE_FIXTURE(ImportBench, "work that is handed to another thread is as quiet as here") {
        const auto project = a_project("X");
        const auto add = [this, &project](const char* title) {
            an_item({.project_id = project.id, .title = title});
        };
        std::function<void(const char*)> handed;
        {
            const radd::Quiet quiet;
            const radd::Automated automated{R"({"rule":"7"})"};
            handed = radd::handed_over(add);
        }

        std::thread{[&] {
            handed("from here");
            CHECK(last("silent") == "true");
            CHECK(last("automated_cause::json->>'rule'") == "7");
            add("from there");
        }}.join();

        CHECK(last("silent") == "false");
        CHECK(last("automated_cause IS NULL") == "true");
    }

    TEST_CASE_FIXTURE(ImportBench, "an event that says it is loud beats the scope") {
        const auto item = an_item({.project_id = a_project().id, .title = "x"});
        const radd::Quiet quiet;

        commit([&](Transaction& tx) {
            tx.emit(radd::NewEvent{.type = items::ItemEvent::deleted,
                                   .entity = items::ItemEntity::item,
                                   .entity_id = item.id,
                                   .silent = false});
        });

        CHECK(last("silent") == "false");
    }
}
