#pragma once

/// Any bytes as a CSV file: every byte is read, rows come in order and within their limits, and
/// what was read can be written and is read as the same again.

#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <plugins/importer/csv_reader.hpp>
#include <tests/fuzz/invariant.hpp>

namespace fuzz {

inline std::string csv_written(const std::vector<std::string>& cells, char delimiter) {
    std::string line;
    for (const auto& cell : cells) {
        line += line.empty() ? "\"" : std::string{delimiter} + '"';
        for (const char c : cell) line += c == '"' ? "\"\"" : std::string{c};
        line += '"';
    }
    return line + "\r\n";
}

inline void check_csv_row(const importer::CsvRow& row) {
    require(!row.cells.empty() && row.cells.size() <= importer::csv_cells_max,
            "a row has its cells");
    for (const auto& cell : row.cells) {
        require(cell.size() <= importer::csv_cell_bytes_max, "a cell is within its limit");
        require(cell.find('\r') == std::string::npos, "a line break in a cell is LF");
    }
}

inline void check_csv(std::string_view input) {
    const char delimiter = importer::detect_delimiter(input);
    require(delimiter == ',' || delimiter == ';' || delimiter == '\t',
            "a delimiter is one of three");
    std::istringstream in{std::string{input}};
    importer::CsvReader reader{in, delimiter};
    std::vector<std::vector<std::string>> kept;
    std::ostringstream written;
    std::int64_t line_before = 0;
    while (const auto row = reader.next()) {
        require(row->line > line_before, "each row begins behind the one before it");
        line_before = row->line;
        if (!row->problem.empty()) continue;
        check_csv_row(*row);
        written << csv_written(row->cells, delimiter);
        kept.push_back(row->cells);
    }
    require(reader.bytes_read() == input.size(), "every byte is read");

    std::istringstream again{written.str()};
    importer::CsvReader second{again, delimiter};
    for (const auto& cells : kept) {
        const auto row = second.next();
        require(row && row->problem.empty() && row->cells == cells,
                "a row that is written is read as the same");
    }
    require(!second.next(), "no row was added");
}

}  // namespace fuzz
