#include "csv_reader.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <radd/error.hpp>

namespace importer {

void CsvReader::fill() {
    in_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    if (in_.bad()) throw radd::InvalidInput{"file", "cannot be read any further"};
    size_ = static_cast<std::size_t>(in_.gcount());
    at_ = 0;
}

int CsvReader::peek() {
    if (at_ == size_) fill();
    return size_ == 0 ? end : static_cast<unsigned char>(buffer_[at_]);
}

int CsvReader::get() {
    const int byte = peek();
    if (byte == end) return end;
    ++at_;
    ++bytes_;
    return byte;
}

bool CsvReader::take_line_break(int byte) {
    if (byte != '\r' && byte != '\n') return false;
    if (byte == '\r' && peek() == '\n') (void)get();
    ++line_;
    return true;
}

/// The first problem of a row is the one to repair.
void CsvReader::fail(const std::string& problem) {
    if (row_.problem.empty()) row_.problem = problem;
}

void CsvReader::append(char c) {
    if (++row_bytes_ > csv_row_bytes_max)
        fail("is longer than " + std::to_string(csv_row_bytes_max) + " bytes");
    if (cell_.size() == csv_cell_bytes_max)
        fail("cell " + std::to_string(row_.cells.size() + 1) + " is longer than " +
             std::to_string(csv_cell_bytes_max) + " bytes");
    // What cannot be read is passed over and not kept, whatever its length.
    if (row_.problem.empty()) cell_ += c;
}

void CsvReader::end_cell() {
    if (row_.cells.size() == csv_cells_max)
        fail("has more than " + std::to_string(csv_cells_max) + " cells");
    if (row_.problem.empty()) row_.cells.push_back(std::exchange(cell_, {}));
    in_part_ = In::fresh_cell;
}

void CsvReader::step_outside(int byte) {
    if (byte == static_cast<unsigned char>(delimiter_)) {
        end_cell();
    } else if (byte == '"' && in_part_ == In::fresh_cell) {
        in_part_ = In::quotes;
        quote_line_ = line_;
    } else if (byte == '"' && in_part_ == In::closed_quotes) {
        append('"');
        in_part_ = In::quotes;
    } else {
        if (byte == '"' || in_part_ == In::closed_quotes)
            fail("cell " + std::to_string(row_.cells.size() + 1) +
                 " has a quote in its middle; write it twice, in a cell in quotes");
        in_part_ = In::plain_cell;
        append(static_cast<char>(byte));
    }
}

void CsvReader::step_quotes(int byte) {
    if (byte == '"') {
        in_part_ = In::closed_quotes;
    } else {
        append(take_line_break(byte) ? '\n' : static_cast<char>(byte));
    }
}

CsvRow CsvReader::finish() {
    end_cell();
    cell_.clear();
    row_bytes_ = 0;
    return std::exchange(row_, {});
}

std::optional<CsvRow> CsvReader::next() {
    for (;;) {
        row_.line = line_;
        bool is_blank = true;
        int byte = get();
        while (byte != end) {
            if (in_part_ == In::quotes) {
                step_quotes(byte);
            } else if (take_line_break(byte)) {
                break;
            } else {
                step_outside(byte);
            }
            is_blank = false;
            byte = get();
        }
        if (in_part_ == In::quotes)
            fail("a quote that opens in line " + std::to_string(quote_line_) + " is never closed");
        if (!is_blank) return finish();
        if (byte == end) return std::nullopt;
    }
}

char detect_delimiter(std::string_view head) {
    constexpr std::string_view candidates = ",;\t";
    std::array<std::size_t, candidates.size()> counts{};
    bool in_quotes = false;
    for (const char c : head) {
        if (c == '"') in_quotes = !in_quotes;
        if (in_quotes) continue;
        if (c == '\n' || c == '\r') break;
        const auto found = candidates.find(c);
        if (found != std::string_view::npos) ++counts[found];
    }
    // The first of those that are equal.
    const auto most = std::ranges::max_element(counts);
    return candidates[static_cast<std::size_t>(most - counts.begin())];
}

}  // namespace importer
