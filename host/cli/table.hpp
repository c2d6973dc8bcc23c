#pragma once

/// Aligned columns for a terminal.

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include <host/cli/terminal.hpp>
#include <radd/terminal_text.hpp>

namespace radd::cli {

enum class Align : std::uint8_t { left, right };

struct Column {
    std::string title;
    Align align = Align::left;
    /// How narrow it may become where the terminal is: 0 for never cut.
    std::size_t width_min = 0;
};

struct Cell {
    /// What people wrote is made safe to print.
    Cell(const std::string& its_text, Tone its_tone = Tone::plain)  // NOLINT: a text is a cell.
        : text{terminal_text(its_text)}, tone{its_tone} {}
    Cell(const char* its_text) : text{its_text} {}  // NOLINT: the same.

    std::string text;
    Tone tone = Tone::plain;
};

/// Code points of `text`, as good as its width for what we print.
[[nodiscard]] std::size_t width_of(std::string_view text);

/// `text` with its middle replaced by `…` until it is `width` wide: a name ends in what tells it
/// from its neighbours.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t width);

/// Prints nothing but its rows and one line of titles; widths come from the contents. No line ends
/// in blanks.
///
/// Where the terminal is narrower, the widest column that may be cut is cut until all fit, or none
/// can be cut further; then whole columns are left out from the right, but for the first two.
class Table {
public:
    explicit Table(std::vector<Column> columns);

    /// As many cells as there are columns.
    void add(std::vector<Cell> cells);
    [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }
    void print(std::ostream& out, const Terminal& terminal = {}) const;

private:
    [[nodiscard]] std::vector<std::size_t> widths() const;
    bool cut(std::vector<std::size_t>& widths, std::size_t columns) const;
    [[nodiscard]] std::vector<std::size_t> fitted(std::size_t columns) const;

    std::vector<Column> columns_;
    std::vector<std::vector<Cell>> rows_;
};

}  // namespace radd::cli
