#include <cstddef>

#include <host/db/row_view.hpp>
#include <libpq-fe.h>
#include <radd/error.hpp>

namespace radd::db {
namespace {

[[noreturn]] void refuse(const pg_result* row, int column, const char* what) {
    const char* name = PQfname(row, column);
    throw SchemaError{"column '" + std::string{name ? name : "?"} + "' " + what};
}

}  // namespace

bool RowView::is_null(int column) const noexcept {
    return PQgetisnull(row_, 0, column) != 0;
}

std::string_view RowView::text(int column) const {
    if (is_null(column)) refuse(row_, column, "is null");
    return {PQgetvalue(row_, 0, column), static_cast<std::size_t>(PQgetlength(row_, 0, column))};
}

std::string_view RowView::json(int column) const {
    // The text follows the number of the format, of which there has been one.
    const auto bytes = text(column);
    if (!bytes.starts_with('\1')) refuse(row_, column, "is no jsonb");
    return bytes.substr(1);
}

std::int64_t RowView::integer(int column) const {
    const auto bytes = text(column);
    if (bytes.size() != sizeof(std::int64_t)) refuse(row_, column, "is no integer of 64 bits");
    std::uint64_t value = 0;
    for (const char byte : bytes) value = value << 8U | static_cast<unsigned char>(byte);
    return static_cast<std::int64_t>(value);
}

bool RowView::boolean(int column) const {
    const auto bytes = text(column);
    if (bytes.size() != 1) refuse(row_, column, "is no boolean");
    return bytes.front() != 0;
}

std::string RowView::uuid(int column) const {
    constexpr std::size_t uuid_bytes = 16;
    constexpr std::string_view digits = "0123456789abcdef";
    const auto bytes = text(column);
    if (bytes.size() != uuid_bytes) refuse(row_, column, "is no uuid");
    std::string printed;
    for (std::size_t i = 0; i < uuid_bytes; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) printed += '-';
        const auto byte = static_cast<unsigned char>(bytes[i]);
        printed += digits[byte >> 4U];
        printed += digits[byte & 0xfU];
    }
    return printed;
}

}  // namespace radd::db
