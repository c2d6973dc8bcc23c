// The command line of an import, its progress and its report.

#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plugins/importer/command.hpp>
#include <plugins/importer/import.hpp>
#include <plugins/importer/report.hpp>

namespace {

importer::Arguments arguments(const std::vector<std::string>& words) {
    return importer::parse_arguments(words);
}

std::string usage_error(const std::vector<std::string>& words) {
    try {
        (void)importer::parse_arguments(words);
    } catch (const importer::UsageError& error) {
        return error.what();
    }
    return {};
}

importer::Issue an_issue(const std::string& id, const std::string& parent) {
    importer::Issue issue;
    issue.id = id;
    issue.parent = importer::ParentRef{.id = parent, .key = parent};
    return issue;
}

}  // namespace

TEST_SUITE("import command") {
    TEST_CASE("an import is quiet and real unless it is told otherwise") {
        const auto plain = arguments({"export.json"});

        CHECK(plain.file == "export.json");
        CHECK_FALSE(plain.loud);
        CHECK_FALSE(plain.dry_run);
        CHECK(plain.source == "jira");
    }

    TEST_CASE("options stand before and after the file") {
        const auto all = arguments({"--project",
                                    "A",
                                    "--loud",
                                    "x.json",
                                    "--dry-run",
                                    "--zone",
                                    "Europe/Berlin",
                                    "--project",
                                    "B",
                                    "--source",
                                    "old"});

        CHECK(all.file == "x.json");
        CHECK(all.loud);
        CHECK(all.dry_run);
        CHECK(all.zone == "Europe/Berlin");
        CHECK(all.source == "old");
        CHECK(all.projects == std::vector<std::string>{"A", "B"});
    }

    TEST_CASE("a command line that makes no sense says why") {
        CHECK(usage_error({}) == "which file?");
        CHECK(usage_error({"a", "b"}).find("second file") != std::string::npos);
        CHECK(usage_error({"a", "--zone"}) == "--zone needs a value");
        CHECK(usage_error({"a", "--quiet"}) == "there is no option --quiet");
    }

    TEST_CASE("a progress bar fills from nothing to all") {
        CHECK(importer::progress_bar(0, 4) == "[" + std::string(30, '-') + "] 0%  0 of 4");
        CHECK(importer::progress_bar(2, 4) ==
              "[" + std::string(15, '#') + std::string(15, '-') + "] 50%  2 of 4");
        CHECK(importer::progress_bar(4, 4) == "[" + std::string(30, '#') + "] 100%  4 of 4");
        CHECK(importer::progress_bar(0, 0).find("100%") != std::string::npos);
    }
}

TEST_SUITE("import report") {
    TEST_CASE("an import is in vain when there was something and nothing came of it") {
        importer::Report report;
        CHECK_FALSE(report.in_vain());
        report.issues = 2;
        CHECK(report.in_vain());
        report.unchanged = 1;
        CHECK_FALSE(report.in_vain());
    }

    TEST_CASE("a rejection names its field once") {
        const radd::InvalidInput error{"title", "is empty; give it a text"};

        const auto problem = importer::rejection("OPS-1", error);

        CHECK(problem == importer::Problem{"OPS-1", "title", "is empty; give it a text"});
    }

    TEST_CASE("people and machines are told the same") {
        importer::Report report{.issues = 3, .created = 1, .updated = 1};
        report.rejected.push_back({"OPS-3", "title", "is empty"});
        report.warnings.push_back({"", "status", "guessed"});
        std::ostringstream out;

        importer::print_report(out, report);
        const auto machine = importer::report_json(report);

        CHECK(out.str().find("created    1\n") != std::string::npos);
        CHECK(out.str().find("OPS-3 title: is empty\n") != std::string::npos);
        CHECK(out.str().find("file status: guessed\n") != std::string::npos);
        CHECK(machine["created"] == 1);
        CHECK(machine["rejected"][0]["key"] == "OPS-3");
        CHECK(machine["warnings"][0]["problem"] == "guessed");
    }
}

// P40
TEST_SUITE("parents") {
    TEST_CASE("a ring is every issue on it and none that hangs from it") {
        const std::vector<importer::Issue> issues{an_issue("1", "2"),
                                                  an_issue("2", "1"),
                                                  an_issue("3", "1"),
                                                  an_issue("4", "4"),
                                                  an_issue("5", "absent")};

        CHECK(importer::ids_on_rings(issues) == std::set<std::string>{"1", "2", "4"});
    }

    TEST_CASE("a chain is no ring however long it is") {
        std::vector<importer::Issue> chain;
        for (int i = 1; i < 200; ++i)
            chain.push_back(an_issue(std::to_string(i), std::to_string(i + 1)));

        CHECK(importer::ids_on_rings(chain).empty());
        chain.push_back(an_issue("200", "1"));
        CHECK(importer::ids_on_rings(chain).size() == 200);
    }
}
