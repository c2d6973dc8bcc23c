// CSV files on real tables: P39, and what only a second file shows.

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plugins/importer/zone.hpp>
#include <tests/pg/importer_bench.hpp>
#include <tests/support/csv.hpp>

using radd::json;
using radd::testing::a_jira_issue;
using radd::testing::csv_file;
using radd::testing::csv_options;
using radd::testing::repeated_columns;

namespace {

struct CsvBench : radd::testing::ImportBench {
    importer::Report import_csv(const std::string& text,
                                const importer::ImportOptions& options = {},
                                const importer::CsvOptions& csv = csv_options()) {
        importer::CsvSource source{csv_file(text), csv};
        return import_from(source, options);
    }

    std::vector<items::Comment> comments(const std::string& key) {
        const auto item = find(key);
        return commit(
            [&](radd::Transaction& tx) { return directory.list_comments(tx, item->id, {}); });
    }
};

}  // namespace

// P39
TEST_SUITE("csv import") {
    TEST_CASE_FIXTURE(CsvBench, "a file with repeated columns is taken over whole and once") {
        auto csv = csv_options();
        csv.mapped = {{"Sprint", importer::CsvField::labels}};

        const auto first = import_csv(repeated_columns, {}, csv);
        const auto events = count("true");
        const auto second = import_csv(repeated_columns, {}, csv);

        CHECK(first.created == 2);
        CHECK(first.rejected.empty());
        const auto item = find("OPS-1");
        CHECK(item->title == "Deploy, then \"check\"");
        CHECK(item->labels == std::vector<std::string>{"S1", "S2", "backend", "urgent"});
        REQUIRE(comments("OPS-1").size() == 2);
        CHECK(comments("OPS-1")[0].body == "Roll out at 9;30; then\nread logs");
        CHECK(comments("OPS-1")[1].author->name == "u2");
        CHECK(find("OPS-2")->state.name == "Weird status");
        CHECK(find("OPS-2")->labels.empty());
        CHECK(comments("OPS-2").empty());
        CHECK(second.unchanged == 2);
        CHECK(second.events == 0);
        CHECK(count("true") == events);
        CHECK(count("NOT silent") == "0");
    }

    TEST_CASE_FIXTURE(CsvBench, "a dry run reports what the real one does") {
        const std::string text =
            "Issue key,Created,Labels,Comment,Parent key\n"
            "OPS-1,31/Mar/24 2:30 AM,a,27/Oct/24 2:30 AM;u1;turned back,OPS-2\n"
            "OPS-2,31/Mar/24 9:30 AM,a,,\n"
            "ragged,row\n";
        auto berlin = csv_options();
        berlin.times.usual.zone = importer::database_zone(db, "Europe/Berlin");
        importer::ImportOptions dry;
        dry.dry_run = true;

        auto planned = importer::report_json(import_csv(text, dry, berlin));
        CHECK(database.value("SELECT count(*)::text FROM radd.events") == "0");
        CHECK(database.value("SELECT count(*)::text FROM items.people") == "0");
        CHECK(database.value("SELECT count(*)::text FROM importer.imports") == "0");
        auto done = importer::report_json(import_csv(text, {}, berlin));

        CHECK(planned["rejected_total"] == 1);
        CHECK(planned["created"] == 2);
        CHECK(planned["import"].is_null());
        for (const auto* name : {"dry_run", "import"}) {
            planned.erase(name);
            done.erase(name);
        }
        CHECK(planned == done);
        CHECK(find("OPS-1")->parent->key == "OPS-2");
    }

    TEST_CASE_FIXTURE(CsvBench, "what a file has no column for stays as it is") {
        auto issue = a_jira_issue(1);
        issue["fields"]["description"] = "kept";
        issue["fields"]["priority"] = {{"name", "High"}};
        issue["fields"]["reporter"] = radd::testing::a_jira_user("u1");
        issue["fields"]["reporter"]["emailAddress"] = "u1@example.org";
        issue["fields"]["parent"] = {{"id", "10009"}, {"key", "OPS-9"}};
        import(json::array({issue, a_jira_issue(9)}));

        const auto report = import_csv(
            "Issue key,Issue id,Summary,Reporter\n"
            "OPS-1,10001,Renamed,u1\n");

        CHECK(report.updated == 1);
        const auto item = find("OPS-1");
        CHECK(item->title == "Renamed");
        CHECK(item->description == "kept");
        CHECK(item->priority == "High");
        CHECK(item->state.name == "Open");
        CHECK(item->parent->key == "OPS-9");
        CHECK(item->reporter->name == "Person u1");
        CHECK(database.value("SELECT email FROM items.people WHERE source_id = 'u1'") ==
              "u1@example.org");
    }

    TEST_CASE_FIXTURE(CsvBench, "a comment that came as JSON is known again") {
        auto issue = a_jira_issue(1);
        issue["fields"]["comment"]["comments"] =
            json::array({{{"id", "77"},
                          {"body", "hello"},
                          {"author", radd::testing::a_jira_user("u1")},
                          {"created", "2024-03-13T10:00:42.123+0000"}}});
        import(json::array({issue}));

        const auto report = import_csv(
            "Issue key,Issue id,Comment,Comment\n"
            "OPS-1,10001,13/Mar/24 10:00 AM;u1;hello,"
            "13/Mar/24 10:00 AM;u1;another\n");

        CHECK(report.comments == 1);
        CHECK(comments("OPS-1").size() == 2);
    }

    TEST_CASE_FIXTURE(CsvBench, "a comment that was edited there is edited here") {
        const std::string header = "Issue key,Comment\n";
        import_csv(header + "OPS-1,13/Mar/24 10:00 AM;u1;hello\n");

        const auto report = import_csv(header + "OPS-1,13/Mar/24 10:00 AM;u1;hello you\n");

        CHECK(report.comments == 1);
        REQUIRE(comments("OPS-1").size() == 1);
        CHECK(comments("OPS-1")[0].body == "hello you");
    }

    TEST_CASE_FIXTURE(CsvBench, "rows without a key get the project's next number") {
        auto csv = csv_options();
        csv.projects = {"HELP"};
        const std::string text = "Issue id,Summary\n71,first\n72,second\n";

        CHECK(import_csv(text, {}, csv).created == 2);
        CHECK(find("HELP-2")->title == "second");
        CHECK(import_csv(text, {}, csv).unchanged == 2);
    }

    TEST_CASE_FIXTURE(CsvBench, "what the items refuse is told with its line") {
        const auto report = import_csv("Issue key,Summary\nOPS-1,ok\nOPS-2," +
                                       std::string(501, 'x') + "\nOPS-3,ok\n");

        CHECK(report.created == 2);
        REQUIRE(report.rejected.total() == 1);
        CHECK(report.rejected.kept()[0].line == 3);
        CHECK(report.rejected.kept()[0].field == "title");
    }

    TEST_CASE_FIXTURE(CsvBench, "a strict import ends at the first row that cannot be") {
        importer::ImportOptions strict;
        strict.strict = true;
        const auto refused = [&](const std::string& text) -> std::string {
            try {
                (void)import_csv(text, strict);
            } catch (const radd::InvalidInput& error) {
                return error.what();
            }
            return {};
        };

        CHECK(refused("Issue key,Summary\nOPS-1,ok\nnonsense,x\n") ==
              "strict: nonsense in line 3 cannot be imported: Issue key: 'nonsense' is not of the "
              "form OPS-12");
        CHECK(count("true") == "0");
        CHECK(refused("Issue key,Summary\nOPS-1,ok\nOPS-2," + std::string(501, 'x') + "\n")
                  .starts_with("strict: OPS-2 in line 3 cannot be imported: title: "));
        CHECK_FALSE(find("OPS-1"));
        CHECK(database.value("SELECT string_agg(state, ',') FROM importer.imports") == "stopped");
    }
}
