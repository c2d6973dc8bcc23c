// P39: cells and rows, whatever stands in them.

#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plugins/importer/csv_reader.hpp>

namespace {

std::vector<importer::CsvRow> rows(const std::string& text, char delimiter = ',') {
    std::istringstream in{text};
    importer::CsvReader reader{in, delimiter};
    std::vector<importer::CsvRow> all;
    while (auto row = reader.next()) all.push_back(std::move(*row));
    return all;
}

/// "a|b|c" of each row, with its line; problems instead where there is one.
std::vector<std::string> told(const std::string& text, char delimiter = ',') {
    std::vector<std::string> lines;
    for (const auto& row : rows(text, delimiter)) {
        std::string line = std::to_string(row.line) + ": " + row.problem;
        for (const auto& cell : row.cells) line += cell + "|";
        lines.push_back(row.problem.empty() ? line
                                            : line.substr(0, line.find(": ") + 2) + row.problem);
    }
    return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_SUITE("csv rows") {
    TEST_CASE("end with every kind of line break and with none") {
        const Lines both{"1: a|b|", "2: c|d|"};

        CHECK(told("a,b\r\nc,d\r\n") == both);
        CHECK(told("a,b\nc,d") == both);
        CHECK(told("a,b\rc,d\r") == both);
        CHECK(told("") == Lines{});
        CHECK(told("\r\n\r\n") == Lines{});
        CHECK(told("a\n\n\nb") == Lines{"1: a|", "4: b|"});
    }

    TEST_CASE("hold delimiters and quotes and breaks inside quotes") {
        CHECK(told("\"a,b\",\"say \"\"no\"\"\",\"1\r\n2\r3\n4\"\nnext") ==
              Lines{"1: a,b|say \"no\"|1\n2\n3\n4|", "5: next|"});
        CHECK(told("\"\",,\"\"\"\"") == Lines{"1: ||\"|"});
        CHECK(told("a;\"b;c\";d", ';') == Lines{"1: a|b;c|d|"});
        CHECK(told(",") == Lines{"1: ||"});
    }

    TEST_CASE("that cannot be read cost no other") {
        const std::string misplaced =
            " has a quote in its middle; write it twice, in a cell in quotes";

        CHECK(told("a,b\"c,d\ne,f") == Lines{"1: cell 2" + misplaced, "2: e|f|"});
        CHECK(told("\"a\"b,\"c\nd\"\ne,f") == Lines{"1: cell 1" + misplaced, "3: e|f|"});
        CHECK(told("a,b\nc,\"d\ne,f\n") ==
              Lines{"1: a|b|", "2: a quote that opens in line 2 is never closed"});
    }

    TEST_CASE("keep every byte of a cell") {
        const auto read = rows(std::string{"a\0b,\xFF\x7F", 6});

        REQUIRE(read.size() == 1);
        CHECK(read[0].cells == std::vector<std::string>{{"a\0b", 3}, "\xFF\x7F"});
    }

    TEST_CASE("are whole across the reader's buffer") {
        const std::string cell(65'534, 'x');
        const auto read = rows("\"" + cell + "\"\"y\"\r\n\"" + cell + "\r\n\"\r\nz");

        REQUIRE(read.size() == 3);
        CHECK(read[0].cells[0] == cell + "\"y");
        CHECK(read[1].cells[0] == cell + "\n");
        CHECK(read[2].line == 4);
    }

    TEST_CASE("have limits that cost the row alone") {
        const std::string longest(importer::csv_cell_bytes_max, 'x');
        CHECK(rows(longest + "\nb")[0].problem.empty());
        CHECK(rows(longest + "x\nb")[0].problem == "cell 1 is longer than 1048576 bytes");
        CHECK(told("\"" + longest + "x\n\"\nb")[1] == "3: b|");

        const std::string widest(importer::csv_cells_max - 1, ',');
        CHECK(rows(widest)[0].cells.size() == importer::csv_cells_max);
        CHECK(rows(widest + ",")[0].problem == "has more than 5000 cells");

        std::string row;
        while (row.size() + longest.size() < importer::csv_row_bytes_max) row += longest + ",";
        const auto rest = importer::csv_row_bytes_max - (row.size() - 15);
        CHECK(rows(row + std::string(rest, 'x'))[0].problem.empty());
        CHECK(rows(row + std::string(rest + 1, 'x') + "\nb")[0].problem ==
              "is longer than 16777216 bytes");
    }
}

TEST_SUITE("csv delimiter") {
    TEST_CASE("is what the first row has most of outside quotes") {
        CHECK(importer::detect_delimiter("a,b;c,d\n;;;;") == ',');
        CHECK(importer::detect_delimiter("a;b;c\r\n,,,") == ';');
        CHECK(importer::detect_delimiter("a\tb\tc,d") == '\t');
        CHECK(importer::detect_delimiter("\"a;;;\n;;\",b") == ',');
        CHECK(importer::detect_delimiter("one") == ',');
    }
}
