// P39, P41, P21: issues of a CSV file.

#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plugins/importer/csv_source.hpp>
#include <radd/error.hpp>
#include <tests/support/csv.hpp>
#include <tests/support/temp_dir.hpp>

using importer::CsvField;
using importer::CsvSource;
using importer::Issue;
using radd::testing::csv_file;
using radd::testing::csv_options;
using radd::testing::repeated_columns;

namespace {

std::vector<Issue> issues(CsvSource& source) {
    return source.next(1000);
}

/// "line field: text" of each.
std::vector<std::string> told(const importer::Problems& problems) {
    std::vector<std::string> lines;
    for (const auto& problem : problems.kept())
        lines.push_back(std::to_string(problem.line) + " " + problem.key + " " + problem.field +
                        ": " + problem.text);
    return lines;
}

/// The field for which the whole file is refused.
std::string refused(const std::string& text, const importer::CsvOptions& options = csv_options()) {
    try {
        const CsvSource source{csv_file(text), options};
    } catch (const radd::InvalidInput& error) {
        return error.what();
    }
    return {};
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_SUITE("csv issue") {
    TEST_CASE("every cell of a repeated column counts") {
        auto options = csv_options();
        options.mapped = {{"Sprint", CsvField::labels}};
        CsvSource source{csv_file(repeated_columns), options};

        const auto read = issues(source);

        REQUIRE(read.size() == 2);
        CHECK(read[0].title == "Deploy, then \"check\"");
        CHECK(read[0].labels == std::vector<std::string>{"backend", "urgent", "S1", "S2"});
        REQUIRE(read[0].comments.size() == 2);
        CHECK(read[0].comments[0].body == "Roll out at 9;30; then\nread logs");
        CHECK(read[0].comments[0].author == "u1");
        CHECK(read[0].comments[1].body == "ok \U0001F600");
        CHECK(read[1].labels.empty());
        CHECK(read[1].comments.empty());
        CHECK(read[1].status == "Weird status");
        CHECK(source.outline().issues_total == 2);
    }

    TEST_CASE("what is left out is told by its column") {
        const CsvSource source{csv_file(repeated_columns), csv_options()};

        const auto warnings = told(source.outline().warnings);

        REQUIRE(warnings.size() == 4);
        CHECK(warnings[0].starts_with("0  Sprint: 2 values of this column are left out"));
        CHECK(warnings[1].starts_with("0  created: no column says when"));
        CHECK(warnings[2].starts_with("0  status: 'Done' has no category"));
        CHECK(warnings[3].starts_with("0  status: 'Weird status' has no category"));
    }

    TEST_CASE("a row that is ragged or cannot be read costs itself alone") {
        CsvSource source{csv_file("Issue key,Summary,Status\n"
                                  "OPS-1,one,Open\n"
                                  "OPS-2,two\n"
                                  "OPS-3,three,Open,extra\n"
                                  "OPS-4,fo\"ur,Open\n"
                                  "nonsense,five,Open\n"
                                  ",six,Open\n"
                                  "OPS-1,again,Open\n"
                                  "OPS-8,eight,\n"
                                  "OPS-9,nine,Open"),
                         csv_options()};

        const auto read = issues(source);

        REQUIRE(read.size() == 2);
        CHECK(read[1].key == "OPS-9");
        CHECK(read[1].line == 10);
        CHECK(source.outline().issues_total == 9);
        CHECK(told(source.outline().rejected) ==
              Lines{"3 OPS-2 row: has 2 cells, the first row has 3",
                    "4 OPS-3 row: has 4 cells, the first row has 3",
                    "5 OPS-4 row: cell 2 has a quote in its middle; write it twice, in a cell in "
                    "quotes",
                    "6 nonsense Issue key: 'nonsense' is not of the form OPS-12",
                    "7 row Issue key: is empty",
                    "8 OPS-1 id: 'OPS-1' stands in line 2 already",
                    "9 OPS-8 Status: is empty"});
    }

    TEST_CASE("text that no database holds refuses its row by column") {
        CsvSource source{csv_file(std::string{"Issue key,Summary,Sprint\n"
                                              "OPS-1,ab\0cd,\n"
                                              "OPS-2,caf\xE9,\n"
                                              "OPS-3,ok,\0\n",
                                              61}),
                         csv_options()};

        CHECK(issues(source).size() == 1);
        CHECK(told(source.outline().rejected) ==
              Lines{"2 OPS-1 Summary: 'ab' goes on with a NUL; remove it",
                    "3 OPS-2 Summary: 'caf' goes on with a byte that is no UTF-8"});
    }

    TEST_CASE("a comment that is not in three parts is told and left out") {
        CsvSource source{csv_file("Issue key;Comment;Comment;Comment\n"
                                  "OPS-1;just text;\"12/13/24;u1;hello\";"
                                  "\"2024-03-12T09:15:00.000+0000;;who?\"\n"),
                         csv_options()};

        const auto read = issues(source);

        REQUIRE(read.at(0).comments.size() == 1);
        CHECK(read[0].comments[0].author == importer::unknown_user);
        CHECK(read[0].created == read[0].comments[0].at);
        const auto warnings = told(source.outline().warnings);
        CHECK(warnings.at(0) == "2 OPS-1 Comment: 'just text' is not 'time;author;text'; left out");
        CHECK(warnings.at(1) ==
              "2 OPS-1 Comment: '12/13/24' is no time that can be read; comment left out");
    }

    TEST_CASE("comments of one instant are told apart and keep their ids") {
        const std::string text =
            "Issue key,Comment,Comment\n"
            "OPS-1,12/Mar/24 9:15 AM;u1;a,12/Mar/24 9:15 AM;u1;b\n";
        CsvSource source{csv_file(text), csv_options()};
        CsvSource again{csv_file(text), csv_options()};

        const auto comments = issues(source).at(0).comments;

        REQUIRE(comments.size() == 2);
        CHECK(comments[0].id != comments[1].id);
        CHECK(issues(again).at(0).comments[1].id == comments[1].id);
        CHECK_FALSE(comments[0].has_own_id);
    }

    TEST_CASE("people are known by id and by the best name that a row has") {
        CsvSource source{csv_file("Issue key,Reporter,Reporter Id,Assignee,Comment\n"
                                  "OPS-1,,5b10,bob,\"12/Mar/24 9:15 AM;5b10;hi\"\n"
                                  "OPS-2,Ada Lovelace,5b10,,\n"),
                         csv_options()};

        const auto& users = source.outline().shared.users;

        CHECK(users.at("5b10").name == "Ada Lovelace");
        CHECK(users.at("bob").name == "bob");
        CHECK_FALSE(users.at("bob").is_complete);
        CHECK(issues(source).at(0).comments.at(0).author == "5b10");
    }

    TEST_CASE("a second value where one is meant is told") {
        CsvSource source{csv_file("Issue key,Priority,Priority\nOPS-1,High,Low\n"), csv_options()};

        CHECK(issues(source).at(0).priority == "High");
        CHECK(told(source.outline().warnings).at(0) ==
              "2 OPS-1 Priority: 'Low' is a second value; the first is taken");
    }

    TEST_CASE("a parent is found by its id and by its key") {
        CsvSource source{csv_file("Issue key,Issue id,Parent,Parent key\n"
                                  "OPS-1,101,109,\n"
                                  "OPS-2,102,,OPS-9\n"
                                  "OPS-3,103,OPS-9,\n"
                                  "OPS-4,104,,OPS-404\n"
                                  "OPS-9,109,,\n"),
                         csv_options()};

        const auto read = issues(source);

        for (std::size_t at = 0; at < 3; ++at) CHECK(read.at(at).parent->id == "109");
        CHECK(read.at(3).parent->id == "OPS-404");
        CHECK_FALSE(read.at(4).parent);
        CHECK(source.outline().parents.at("102") == "109");
    }

    TEST_CASE("without keys one project says where to") {
        const std::string text = "Ticket,Subject\n7,Broken\n";
        auto options = csv_options();
        options.mapped = {{"ticket", CsvField::id}, {"SUBJECT", CsvField::title}};
        CHECK(told(CsvSource{csv_file(text), options}.outline().rejected)
                  .at(0)
                  .starts_with("2 7 Ticket: is not enough"));

        options.projects = {"HELP"};
        CsvSource source{csv_file(text), options};

        const auto read = issues(source);
        REQUIRE(read.size() == 1);
        CHECK(read[0].project_key == "HELP");
        CHECK(read[0].id == "7");
        CHECK(read[0].number == 0);
        CHECK(read[0].title == "Broken");
    }

    TEST_CASE("only the projects asked for are counted") {
        auto options = csv_options();
        options.projects = {"OPS", "DEV"};
        CsvSource source{csv_file("Issue key\nOPS-1\nHR-1\nDEV-1\nOPSX-1\n"), options};

        CHECK(issues(source).size() == 2);
        CHECK(source.outline().issues_total == 2);
    }
}

// P41
TEST_SUITE("csv times") {
    TEST_CASE("doubtful ones are counted by column with the first of them") {
        auto options = csv_options();
        options.times.usual.zone = [](importer::WallTime wall) {
            auto instant = radd::testing::utc(wall);
            const auto hour = std::chrono::floor<std::chrono::hours>(wall.time_since_epoch());
            if (hour.count() % 24 == 2) instant.note = importer::WallNote::skipped;
            if (hour.count() % 24 == 3) instant.note = importer::WallNote::repeated;
            return instant;
        };
        CsvSource source{csv_file("Issue key,Created,Updated,Status,Status Category\n"
                                  "OPS-1,31/Mar/24 2:30 AM,,New,To Do\n"
                                  "OPS-2,27/Oct/24 3:30 AM,12/13/24,Busy,In Progress\n"
                                  "OPS-3,31/Mar/24 2:45 AM,25/Jun/20 12:44,Over,Done\n"
                                  "OPS-4,0001-01-01T00:00:00.000+0000,,New,To Do\n"
                                  "OPS-5,,,New,To Do\n"),
                         options};

        CHECK(told(source.outline().warnings) ==
              Lines{"2  Created: of 4 times in this column, 1 cannot be read, 2 do not exist in "
                    "the zone, the clocks jumped over them, 1 happened twice in the zone, and the "
                    "later one is taken; the first is '31/Mar/24 2:30 AM'. If days and months are "
                    "numbers, --dates says in which order",
                    "3  Updated: of 2 times in this column, 1 cannot be read; the first is "
                    "'12/13/24'. If days and months are numbers, --dates says in which order"});
        CHECK(told(source.outline().rejected) ==
              Lines{"5 OPS-4 Created: '0001-01-01T00:00:00.000+0000' is no time that can be read",
                    "6 OPS-5 Created: is empty"});
        CHECK(issues(source).size() == 3);
    }

    TEST_CASE("each column has the zone and the order that it is given") {
        auto options = csv_options();
        options.times.zones["updated"] = [](importer::WallTime wall) {
            return importer::Instant{
                .at = radd::Timestamp{wall.time_since_epoch() - std::chrono::hours{9}}};
        };
        options.times.usual.order = importer::DateOrder::month_day_year;
        options.times.orders["updated"] = importer::DateOrder::day_month_year;
        CsvSource source{csv_file("Issue key,Created,Updated,Resolved\n"
                                  "OPS-1,03/04/2024 09:00,04.03.24 18:00,3-4-24 9:00 AM\n"),
                         options};

        const auto read = issues(source);

        REQUIRE(read.size() == 1);
        CHECK(read[0].created ==
              std::chrono::sys_days{std::chrono::year{2024} / 3 / 4} + std::chrono::hours{9});
        CHECK(read[0].updated == read[0].created);
        CHECK(read[0].resolved == read[0].created);
    }
}

TEST_SUITE("csv file") {
    TEST_CASE("an empty one has no issues") {
        for (const auto* text : {"", "\xEF\xBB\xBF", "\r\n", "Issue key,Summary\n"}) {
            CsvSource source{csv_file(text), csv_options()};
            CHECK(source.outline().issues_total == 0);
            CHECK(source.outline().warnings.empty());
            CHECK(issues(source).empty());
        }
    }

    TEST_CASE("a header that says nothing of ours is refused with the remedy") {
        CHECK(refused("Summary,Status\na,b\n").find("no column 'Issue key'") != std::string::npos);
        CHECK(refused("Issue key;Summary\n",
                      [] {
                          auto options = csv_options();
                          options.delimiter = ',';
                          return options;
                      }())
                  .find("--delimiter") != std::string::npos);
        CHECK(refused("a\"b,c\n").find("its first row cannot be read") != std::string::npos);
        CHECK(refused("\xFF\xFEI").find("UTF-16") != std::string::npos);
        CHECK(refused("Issue key,Summary,Title\n",
                      [] {
                          auto options = csv_options();
                          options.mapped = {{"Title", CsvField::title}};
                          return options;
                      }()) ==
              "file: columns 'Summary' and 'Title' are both title; give one of them --map "
              "'Title=ignore'");
        CHECK(refused("Issue key\n", [] {
                  auto options = csv_options();
                  options.mapped = {{"Sprint", CsvField::labels}};
                  return options;
              }()) == "map: the file has no column 'Sprint'");
    }

    TEST_CASE("is read in steps and told of while it is") {
        std::string text = "Issue key,Summary\n";
        for (int i = 1; i <= 4000; ++i)
            text += "OPS-" + std::to_string(i) + "," + std::string(200, 'x') + "\n";
        std::vector<std::uint64_t> bytes;
        CsvSource source{csv_file(text), csv_options(), [&](auto read) { bytes.push_back(read); }};

        CHECK(source.outline().issues_sound == 4000);
        CHECK(bytes.size() == 3);
        CHECK(source.next(50).size() == 50);
        CHECK(source.next(50).front().key == "OPS-51");
        CHECK(source.next(4000).size() == 3900);
        CHECK(source.next(50).empty());
    }

    TEST_CASE("is refused when it is none or was written meanwhile") {
        const radd::testing::TempDir folder;
        const auto path = (folder.path() / "x.csv").string();
        const auto problem = [&](const auto& open) -> std::string {
            try {
                (void)open();
            } catch (const radd::InvalidInput& error) {
                return error.what();
            }
            return {};
        };
        CHECK(problem(importer::file_opener(path)).find("No such file") != std::string::npos);
        CHECK(problem(importer::file_opener(folder.path().string())).find("is a folder") !=
              std::string::npos);

        const auto write = [&path](const std::string& text) { std::ofstream{path} << text; };
        write("Issue key\n");
        const auto open = importer::file_opener(path);
        CHECK(problem(open).empty());
        write("Issue key\nOPS-1\n");
        CHECK(problem(open).find("was written while it was read") != std::string::npos);
    }
}
