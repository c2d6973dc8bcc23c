#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <host/db/result.hpp>

namespace radd::db {
namespace {

void append_cell(std::vector<std::optional<std::string>>& cells,
                 const PGresult* result,
                 int row,
                 int column) {
    if (PQgetisnull(result, row, column)) {
        cells.emplace_back();
        return;
    }
    const auto length = static_cast<std::size_t>(PQgetlength(result, row, column));
    cells.emplace_back(std::in_place, PQgetvalue(result, row, column), length);
}

}  // namespace

Result own(PGresult* result) {
    return {result, &PQclear};
}

std::string error_field(const PGresult* result, int code) {
    const char* text = PQresultErrorField(result, code);
    return text ? text : "";
}

std::string_view first_line(std::string_view text) {
    return text.substr(0, text.find('\n'));
}

bool is_success(const PGresult* result) {
    const auto status = PQresultStatus(result);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY;
}

bool is_copy(const PGresult* result) {
    const auto status = PQresultStatus(result);
    return status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH;
}

Rows to_rows(const PGresult* result) {
    const int columns = PQnfields(result);
    if (columns == 0) {
        // It only reads; libpq 15 did not say so.
        const std::string_view tuples = PQcmdTuples(const_cast<PGresult*>(result));
        std::int64_t affected = 0;
        std::from_chars(tuples.data(), tuples.data() + tuples.size(), affected);
        return Rows{affected};
    }
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(columns));
    for (int column = 0; column < columns; ++column) names.emplace_back(PQfname(result, column));

    const int rows = PQntuples(result);
    std::vector<std::optional<std::string>> cells;
    cells.reserve(static_cast<std::size_t>(rows) * names.size());
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) append_cell(cells, result, row, column);
    }
    return Rows{std::move(names), std::move(cells)};
}

}  // namespace radd::db
