#pragma once

/// One row of a result while it is being read: no names, no strings, no copies.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

struct pg_result;

namespace radd::db {

/// Columns by their place from 0, in PostgreSQL's binary format. Each function is for columns of
/// the types it names. What it returns is borrowed for the call that lent the row.
/// @throws SchemaError if the column is NULL or holds another type.
class RowView {
public:
    explicit RowView(const pg_result* row) noexcept : row_{row} {}

    [[nodiscard]] bool is_null(int column) const noexcept;
    [[nodiscard]] std::string_view text(int column) const;  ///< text, varchar
    [[nodiscard]] std::string_view json(int column) const;  ///< jsonb
    [[nodiscard]] std::int64_t integer(int column) const;   ///< bigint
    [[nodiscard]] bool boolean(int column) const;           ///< boolean
    [[nodiscard]] std::string uuid(int column) const;       ///< uuid, as PostgreSQL prints it
    /// timestamptz, in microseconds since 2000-01-01; the ends of the range are infinity.
    [[nodiscard]] std::int64_t time(int column) const { return integer(column); }

private:
    const pg_result* row_;
};

/// Looks at a row; false: no more.
using RowTaker = std::function<bool(const RowView&)>;

}  // namespace radd::db
