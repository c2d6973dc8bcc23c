#include <algorithm>
#include <numeric>
#include <ostream>
#include <string_view>
#include <utility>

#include <host/cli/table.hpp>

namespace radd::cli {
namespace {

constexpr std::string_view gap = "  ";
constexpr std::size_t columns_kept = 2;

bool continues(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80;
}

/// Bytes of the first `count` code points.
std::size_t bytes_of(std::string_view text, std::size_t count) {
    std::size_t at = 0;
    for (; count > 0 && at < text.size(); --count) {
        ++at;
        while (at < text.size() && continues(text[at])) ++at;
    }
    return at;
}

std::size_t total(const std::vector<std::size_t>& widths) {
    if (widths.empty()) return 0;
    return std::accumulate(widths.begin(), widths.end(), gap.size() * (widths.size() - 1));
}

}  // namespace

std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return !continues(c); }));
}

std::string shortened(std::string_view text, std::size_t width) {
    const auto full = width_of(text);
    if (full <= width) return std::string{text};
    if (width == 0) return {};
    const auto tail = (width - 1) / 2;
    const auto head = width - 1 - tail;
    return std::string{text.substr(0, bytes_of(text, head))} + "…" +
           std::string{text.substr(bytes_of(text, full - tail))};
}

Table::Table(std::vector<Column> columns) : columns_{std::move(columns)} {}

void Table::add(std::vector<Cell> cells) {
    cells.resize(columns_.size(), Cell{""});
    rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths() const {
    std::vector<std::size_t> widths;
    for (const Column& column : columns_) widths.push_back(width_of(column.title));
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i < widths.size(); ++i)
            widths[i] = std::max(widths[i], width_of(row[i].text));
    }
    return widths;
}

/// Cuts the widest of those that may be cut, again and again. True if they fit then.
bool Table::cut(std::vector<std::size_t>& widths, std::size_t columns) const {
    while (total(widths) > columns) {
        std::size_t widest = widths.size();
        for (std::size_t i = 0; i < widths.size(); ++i) {
            const bool may = columns_[i].width_min > 0 && widths[i] > columns_[i].width_min;
            if (may && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
        }
        if (widest == widths.size()) return false;
        --widths[widest];
    }
    return true;
}

std::vector<std::size_t> Table::fitted(std::size_t columns) const {
    const auto natural = widths();
    for (auto count = natural.size();; --count) {
        std::vector<std::size_t> fitted{natural.begin(),
                                        natural.begin() + static_cast<std::ptrdiff_t>(count)};
        if (cut(fitted, columns) || count <= columns_kept) return fitted;
    }
}

void Table::print(std::ostream& out, const Terminal& terminal) const {
    const auto widths = terminal.columns ? fitted(*terminal.columns) : this->widths();
    const auto line = [&](const auto& cell_of) {
        std::string all;
        for (std::size_t i = 0; i < widths.size(); ++i) {
            const Cell& cell = cell_of(i);
            const auto text = shortened(cell.text, widths[i]);
            const std::string padding(widths[i] - width_of(text), ' ');
            if (i > 0) all += gap;
            if (columns_[i].align == Align::right) all += padding;
            all += terminal.colour && !text.empty() ? painted(text, cell.tone) : text;
            if (columns_[i].align == Align::left) all += padding;
        }
        all.erase(all.find_last_not_of(' ') + 1);
        out << all << '\n';
    };
    std::vector<Cell> titles;
    for (const Column& column : columns_) titles.emplace_back(column.title, Tone::quiet);
    line([&](std::size_t i) -> const Cell& { return titles[i]; });
    for (const auto& row : rows_) line([&](std::size_t i) -> const Cell& { return row[i]; });
}

}  // namespace radd::cli
