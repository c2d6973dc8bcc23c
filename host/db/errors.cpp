#include <algorithm>
#include <array>

#include <host/db/errors.hpp>

namespace radd::db {

bool means_unavailable(std::string_view sqlstate) noexcept {
    constexpr std::array<std::string_view, 6> codes{
        "57P01", "57P02", "57P03", "57P04", "57P05", "25006"};
    return sqlstate.starts_with("08") || sqlstate.starts_with("53") ||
           std::ranges::find(codes, sqlstate) != codes.end();
}

bool means_contention(std::string_view sqlstate) noexcept {
    constexpr std::array<std::string_view, 4> codes{"40001", "40P01", "55P03", "57014"};
    return std::ranges::find(codes, sqlstate) != codes.end();
}

void raise_sql_error(std::string_view sqlstate, const std::string& message) {
    if (means_unavailable(sqlstate))
        throw Unavailable{"database: " + message + " (SQLSTATE " + std::string{sqlstate} + ")"};
    if (means_contention(sqlstate)) throw Contention{std::string{sqlstate}, message};
    throw SqlError{std::string{sqlstate}, message};
}

}  // namespace radd::db
