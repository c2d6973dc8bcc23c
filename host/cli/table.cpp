#include <algorithm>
#include <ostream>
#include <string_view>
#include <utility>

#include <host/cli/table.hpp>

namespace radd::cli {
namespace {

constexpr std::string_view gap = "  ";

std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80;  // Not a continuation byte.
    }));
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_{std::move(columns)} {}

void Table::add(std::vector<std::string> cells) {
    cells.resize(columns_.size());
    rows_.push_back(std::move(cells));
}

void Table::print(std::ostream& out) const {
    std::vector<std::size_t> widths;
    for (const Column& column : columns_) widths.push_back(width_of(column.title));
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i < widths.size(); ++i)
            widths[i] = std::max(widths[i], width_of(row[i]));
    }
    const auto line = [&](const auto& cell) {
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const std::string& text = cell(i);
            const std::string padding(widths[i] - width_of(text), ' ');
            const bool last = i + 1 == columns_.size();
            if (i > 0) out << gap;
            if (columns_[i].align == Align::right) out << padding << text;
            if (columns_[i].align == Align::left) out << text << (last ? "" : padding);
        }
        out << '\n';
    };
    line([&](std::size_t i) -> const std::string& { return columns_[i].title; });
    for (const auto& row : rows_) line([&](std::size_t i) -> const std::string& { return row[i]; });
}

}  // namespace radd::cli
