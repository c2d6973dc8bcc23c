// The command line of an import, its progress and its report.

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plugins/importer/arguments.hpp>
#include <plugins/importer/issue_source.hpp>
#include <plugins/importer/progress.hpp>
#include <plugins/importer/report.hpp>
#include <radd/testing/services.hpp>

using importer::CsvField;
using importer::FileKind;

namespace {

importer::Arguments arguments(const std::vector<std::string>& words) {
    return importer::parse_arguments(FileKind::jira, words);
}

std::string usage_error(const std::vector<std::string>& words, FileKind kind = FileKind::jira) {
    try {
        (void)importer::parse_arguments(kind, words);
    } catch (const importer::UsageError& error) {
        return error.what();
    }
    return {};
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

    TEST_CASE("a column's name stands before what is said of it") {
        const auto csv = importer::parse_arguments(FileKind::csv,
                                                   std::vector<std::string>{"--zone",
                                                                            "Europe/Berlin",
                                                                            "--zone",
                                                                            "Created=Asia/Tokyo",
                                                                            "--dates",
                                                                            "mdy",
                                                                            "--dates",
                                                                            "a=b=dmy",
                                                                            "--map",
                                                                            "Sprint=labels",
                                                                            "--delimiter",
                                                                            "tab",
                                                                            "--strict",
                                                                            "x.csv"});

        CHECK(csv.zone == "Europe/Berlin");
        CHECK(csv.column_zones.at("created") == "Asia/Tokyo");
        CHECK(csv.dates == importer::DateOrder::month_day_year);
        CHECK(csv.column_dates.at("a=b") == importer::DateOrder::day_month_year);
        CHECK(csv.mapped.at("Sprint") == CsvField::labels);
        CHECK(csv.delimiter == '\t');
        CHECK(csv.strict);
    }

    TEST_CASE("a value that cannot be is refused with those that can") {
        const auto csv_error = [](const std::string& option, const std::string& value) {
            return usage_error({"x.csv", option, value}, FileKind::csv);
        };

        CHECK(csv_error("--dates", "american") ==
              "'american' is no order of dates; give dmy, mdy or ymd");
        CHECK(csv_error("--map", "Sprint=sprint").find("'sprint'; there are key, id, title") !=
              std::string::npos);
        CHECK(csv_error("--map", "labels") == "'labels' is not of the form COLUMN=FIELD");
        CHECK(csv_error("--delimiter", "::") == "'::' is no delimiter; give one of , ; | or tab");
    }

    TEST_CASE("what columns mean is asked of files that have them") {
        CHECK(usage_error({"x.json", "--map", "a=key"}) == "there is no option --map");
        CHECK(usage_error({"x.json", "--zone", "a=UTC"}).find("has no columns") !=
              std::string::npos);
    }
}

TEST_SUITE("import progress") {
    using namespace std::chrono_literals;

    TEST_CASE("a bar fills from nothing to all") {
        CHECK(importer::progress_bar(0, 4, 0ms) == "[" + std::string(30, '-') + "] 0%  0 of 4");
        CHECK(importer::progress_bar(2, 4, 500ms) ==
              "[" + std::string(15, '#') + std::string(15, '-') + "] 50%  2 of 4, 4/s, 1 s left");
        CHECK(importer::progress_bar(4, 4, 2s) ==
              "[" + std::string(30, '#') + "] 100%  4 of 4, 2/s");
        CHECK(importer::progress_bar(0, 0, 0ms).find("100%") != std::string::npos);
        CHECK(importer::progress_bar(5, 4, 1s).find("100%") != std::string::npos);
    }

    TEST_CASE("is drawn when it is looked at and no more often than eyes can follow") {
        radd::testing::FakeClock clock;
        std::ostringstream terminal;
        std::ostringstream file;
        {
            importer::Progress watched{terminal, clock, "importing", true};
            importer::Progress unwatched{file, clock, "importing", false};
            watched.show(1, 100);
            watched.show(2, 100);
            clock.advance(importer::Progress::between_draws);
            watched.show(3, 100);
            watched.show(100, 100);
            unwatched.show(100, 100);
        }

        const auto drawn = terminal.str();
        CHECK(std::ranges::count(drawn, '\r') == 3);
        CHECK(drawn.find(" 2 of 100") == std::string::npos);
        CHECK(drawn.ends_with("\n"));
        CHECK(file.str().empty());
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

    TEST_CASE("reasons are kept up to their limit and counted beyond it") {
        importer::Problems half;
        for (std::size_t i = 0; i < importer::Problems::kept_max; ++i)
            half.push_back({"a", "", ""});
        importer::Problems all = half;
        all.append(half);
        half.push_back({"b", "", ""});

        CHECK(half.kept().size() == importer::Problems::kept_max);
        CHECK(half.total() == importer::Problems::kept_max + 1);
        CHECK(all.kept().size() == importer::Problems::kept_max);
        CHECK(all.total() == 2 * importer::Problems::kept_max);
        importer::Report report;
        report.rejected = half;
        std::ostringstream out;
        importer::print_report(out, report);
        CHECK(out.str().find("  and 1 more\n") != std::string::npos);
        CHECK(importer::report_json(report)["rejected_total"] == half.total());
    }

    TEST_CASE("people and machines are told the same") {
        importer::Report report{.issues = 3, .created = 1, .updated = 1};
        report.rejected.push_back({"OPS-3", "title", "is empty", 12});
        report.warnings.push_back({"", "status", "guessed"});
        std::ostringstream out;

        importer::print_report(out, report);
        const auto machine = importer::report_json(report);

        CHECK(out.str().find("created    1\n") != std::string::npos);
        CHECK(out.str().find("OPS-3 in line 12 title: is empty\n") != std::string::npos);
        CHECK(out.str().find("file status: guessed\n") != std::string::npos);
        CHECK(machine["created"] == 1);
        CHECK(machine["rejected"][0]["key"] == "OPS-3");
        CHECK(machine["rejected"][0]["line"] == 12);
        CHECK(machine["warnings"][0]["problem"] == "guessed");
    }
}

// P40
TEST_SUITE("parents") {
    TEST_CASE("a ring is every issue on it and none that hangs from it") {
        CHECK(importer::ids_on_rings(
                  {{"1", "2"}, {"2", "1"}, {"3", "1"}, {"4", "4"}, {"5", "absent"}, {"0", "3"}}) ==
              std::set<std::string>{"1", "2", "4"});
    }

    TEST_CASE("a chain is no ring however long it is") {
        std::map<std::string, std::string> chain;
        for (int i = 1; i < 200; ++i) chain[std::to_string(i)] = std::to_string(i + 1);

        CHECK(importer::ids_on_rings(chain).empty());
        chain["200"] = "1";
        CHECK(importer::ids_on_rings(chain).size() == 200);
    }
}
