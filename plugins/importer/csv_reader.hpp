#pragma once

/// Rows of a CSV file as RFC 4180 defines them, one at a time.

#include <array>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace importer {

/// A longer cell, a longer row or one of more cells is a row that cannot be read. The longest text
/// of ours is 100,000 characters, and Jira repeats a column for each comment.
inline constexpr std::size_t csv_cell_bytes_max = 1024 * 1024;
inline constexpr std::size_t csv_row_bytes_max = 16 * 1024 * 1024;
inline constexpr std::size_t csv_cells_max = 5000;

struct CsvRow {
    std::int64_t line = 0;             ///< Where it begins, from 1: a cell may hold line breaks.
    std::vector<std::string> cells{};  ///< Line breaks in them are LF.
    std::string problem{};             ///< Why it cannot be read; its cells are then of no use.
};

/// Reads a stream from where it stands. A row that cannot be read is told and costs no other: the
/// next one begins behind the line break that is in no quotes. Holds one row and 64 KiB.
///
/// Rows end with CR LF, LF or CR, the last one with nothing as well; rows without anything are
/// passed over. Quotes stand around a whole cell, and inside it a quote is two.
class CsvReader {
public:
    CsvReader(std::istream& in, char delimiter) : in_{in}, delimiter_{delimiter} {}

    /// Empty at the end. @throws radd::InvalidInput naming "file" if the stream fails.
    [[nodiscard]] std::optional<CsvRow> next();

    [[nodiscard]] std::uint64_t bytes_read() const noexcept { return bytes_; }

private:
    static constexpr int end = -1;
    enum class In : std::uint8_t { fresh_cell, plain_cell, quotes, closed_quotes };

    int get();
    int peek();
    void fill();
    /// CR, CR LF and LF are one line break.
    bool take_line_break(int byte);
    void fail(const std::string& problem);
    void append(char c);
    void end_cell();
    void step_outside(int byte);
    void step_quotes(int byte);
    [[nodiscard]] CsvRow finish();

    std::istream& in_;
    char delimiter_;
    std::array<char, 64 * 1024> buffer_{};
    std::size_t at_ = 0;
    std::size_t size_ = 0;
    std::uint64_t bytes_ = 0;
    std::int64_t line_ = 1;

    CsvRow row_{};
    std::string cell_{};
    std::size_t row_bytes_ = 0;
    std::int64_t quote_line_ = 0;
    In in_part_ = In::fresh_cell;
};

/// The delimiter that the first row of a file has most of, outside quotes: comma, semicolon or tab.
/// A comma if there is none. `head`: the file's first bytes, as many as one likes.
[[nodiscard]] char detect_delimiter(std::string_view head);

/// The bytes that a file in UTF-8 may begin with, and need not.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace importer
