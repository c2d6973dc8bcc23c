// tests/CASES.md says which test holds the outcome of which case. It says so of tests that exist.

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <tests/unit/tidy_sources.hpp>

namespace {

namespace fs = std::filesystem;
using namespace radd::tidy;

// Those of the kernel, its loader and the plugins that ship with it.
constexpr std::array cases{"P01", "P02", "P03", "P04", "P05", "P06", "P07", "P08", "P09", "P10",
                           "P11", "P12", "P13", "P14", "P15", "P16", "P17", "P18", "P19", "P20",
                           "P21", "P22", "P23", "P24", "P25", "P26", "P27", "P28", "P29", "P30",
                           "P31", "P32", "P33", "P34", "P35", "P36", "P37", "P38", "P39", "P40",
                           "P41", "P42", "P43", "P44", "P45", "P46", "P47", "P48", "P49", "P50",
                           "P51", "P52", "P53", "P54", "P55", "P56", "P57", "P58"};

std::string read(const fs::path& path) {
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
}

/// Everything between the first `open` behind `from` and the `close` after it; `from` goes behind.
std::string between(const std::string& text,
                    std::string_view open,
                    std::string_view close,
                    std::size_t& from) {
    const auto begin = text.find(open, from);
    if (begin == std::string::npos) return {};
    const auto end = text.find(close, begin + open.size());
    if (end == std::string::npos) return {};
    from = end + close.size();
    return text.substr(begin + open.size(), end - begin - open.size());
}

/// How a language opens a suite and a case, and what encloses their names.
struct Spelling {
    std::string_view suite;
    std::string_view test;
    std::string_view quote;
};
constexpr Spelling doctest_spelling{"TEST_SUITE(\"", "TEST_CASE", "\""};
constexpr Spelling node_spelling{"describe('", " it('", "'"};

/// `suite / case` of every test in `text`.
void collect(const std::string& text, const Spelling& spelling, std::set<std::string>& found) {
    std::string suite;
    for (std::size_t at = 0; at < text.size();) {
        const auto next_suite = text.find(spelling.suite, at);
        const auto next_case = text.find(spelling.test, at);
        if (next_case == std::string::npos) return;
        at = next_suite < next_case ? next_suite : next_case;
        const std::string name = between(text, spelling.quote, spelling.quote, at);
        if (next_suite < next_case) suite = name;
        if (next_case < next_suite) found.insert(std::string{suite}.append(" / ").append(name));
        if (name.empty()) return;
    }
}

std::set<std::string> all_tests() {
    std::set<std::string> found;
    for (const Source& source : sources()) {
        if (!under(source.path, "tests/")) continue;
        const auto text = [&] { return read(fs::path{RADD_SOURCE_DIR} / source.path); };
        if (source.path.ends_with("_test.cpp")) collect(text(), doctest_spelling, found);
        if (source.path.ends_with("_test.mjs")) collect(text(), node_spelling, found);
    }
    return found;
}

struct Row {
    std::string name;
    std::vector<std::string> tests{};
    bool is_later = false;
};

std::vector<Row> table() {
    std::ifstream file{RADD_SOURCE_DIR "/tests/CASES.md"};
    std::vector<Row> rows;
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("| P")) continue;
        Row row;
        row.name = line.substr(2, 3);
        const auto last = line.substr(line.rfind('|', line.size() - 3) + 2);
        row.is_later = last.starts_with("Later: ");
        for (std::size_t at = 0; at < last.size();) {
            const std::string test = between(last, "`", "`", at);
            if (test.empty()) break;
            row.tests.push_back(test);
        }
        rows.push_back(row);
    }
    return rows;
}

/// Those of host/, plugins/ and migrations/ that contain `part`, as `path: line`.
std::vector<std::string> lines_with(std::string_view part) {
    std::vector<std::string> found;
    for (const Source& source : sources()) {
        const std::string top = source.path.substr(0, source.path.find('/'));
        if (top != "host" && top != "plugins" && top != "migrations") continue;
        for (const std::string& line : source.lines) {
            if (line.find(part) != std::string::npos)
                found.push_back(std::string{source.path}.append(": ").append(line));
        }
    }
    return found;
}

}  // namespace

TEST_SUITE("cases") {
    TEST_CASE("every test that is named exists") {
        const auto tests = all_tests();
        REQUIRE(tests.contains("cases / every test that is named exists"));
        for (const Row& row : table()) {
            for (const auto& test : row.tests) {
                CAPTURE(row.name);
                CAPTURE(test);
                CHECK(tests.contains(test));
            }
        }
    }

    TEST_CASE("every case has a test and every row a test or a reason") {
        std::set<std::string> held;
        for (const Row& row : table()) {
            CAPTURE(row.name);
            CHECK(row.is_later == row.tests.empty());
            if (!row.tests.empty()) held.insert(row.name);
        }
        for (const std::string name : cases) {
            CAPTURE(name);
            CHECK(held.contains(name));
        }
    }

    // P19
    TEST_CASE("the time of day of the host dates mails and answers and nothing else") {
        for (const auto& line : lines_with("system_clock")) {
            CAPTURE(line);
            CHECK((line.starts_with("host/system.cpp: ") ||
                   line.starts_with("host/log/logging.cpp: ")));
        }
        for (const char* call : {"clock_.now()", "clock().now()", "clock.now()"}) {
            for (const auto& line : lines_with(call)) {
                CAPTURE(line);
                // What people read: when an answer was given, when the process was started, since
                // when a build is kept out; what a receiver compares with its own, in what is
                // signed; and what compares both clocks.
                CHECK((line.starts_with("host/cli/doctor_database.cpp: ") ||
                       line.starts_with("host/installation.cpp: ") ||
                       line.starts_with("plugins/mail/smtp.cpp: ") ||
                       line.starts_with("plugins/webhooks/sender.cpp: ") ||
                       line.starts_with("host/web/dispatch_answer.cpp: ") ||
                       line.starts_with("host/web_front.cpp: ")));
            }
        }
        CHECK_FALSE(lines_with("clock_.now()").empty());
    }

    // P45
    TEST_CASE("only retention takes an event from the stream") {
        for (const char* statement : {"DELETE FROM radd.events",
                                      "TRUNCATE radd.events",
                                      "DROP TABLE radd.events",
                                      "DETACH PARTITION"}) {
            for (const auto& line : lines_with(statement)) {
                CAPTURE(line);
                CHECK((line.starts_with("host/deploy/OPERATING.md: ") ||  // What an owner may do.
                       line.starts_with("host/consumers/retention.cpp: ")));
            }
        }
        CHECK_FALSE(lines_with("DETACH PARTITION").empty());
    }

    // P24
    TEST_CASE("nothing notifies in a transaction of an application") {
        for (const auto& line : lines_with("pg_notify(")) {
            CAPTURE(line);
            CHECK(line.find("IF wake AND mark > known.settled THEN") != std::string::npos);
        }
    }
}
