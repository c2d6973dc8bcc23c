#pragma once

/// Aligned columns for a terminal.

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace radd::cli {

enum class Align : std::uint8_t { left, right };

struct Column {
    std::string title;
    Align align = Align::left;
};

/// Prints nothing but its rows and one line of titles; widths come from the contents, counted in
/// code points. The last column is not padded.
class Table {
public:
    explicit Table(std::vector<Column> columns);

    /// As many cells as there are columns.
    void add(std::vector<std::string> cells);
    [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }
    void print(std::ostream& out) const;

private:
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace radd::cli
