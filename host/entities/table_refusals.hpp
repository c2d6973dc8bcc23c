#pragma once

/// What keeps a table from becoming what is declared, looked up in its rows.

#include <cstdint>
#include <string>

#include <host/db/session.hpp>
#include <host/entities/model.hpp>

namespace radd::entities {

/// Rows of the table for which `condition` holds, and which they are.
struct Obstacle {
    std::int64_t rows = 0;
    std::string shown;  ///< "3 rows (id 1, 2, 7)"

    [[nodiscard]] explicit operator bool() const noexcept { return rows > 0; }
};

/// `condition` is SQL made of checked names. Reads the whole table.
[[nodiscard]] Obstacle rows_where(db::Session& session,
                                  const std::string& table,
                                  const std::string& condition);

/// Values that more than one row has: "2 values ('a' in id 1, 2; 'b' in id 3, 4)".
[[nodiscard]] Obstacle values_twice(db::Session& session,
                                    const std::string& table,
                                    const std::string& column);

}  // namespace radd::entities
