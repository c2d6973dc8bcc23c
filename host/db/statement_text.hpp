#pragma once

/// What can be told from the text of a statement without asking PostgreSQL.

#include <cstddef>
#include <string_view>

namespace radd::db {

/// True for what would open or end a transaction, or change the session for whoever borrows it
/// next: BEGIN, COMMIT, ROLLBACK without TO, PREPARE, SET without LOCAL or CONSTRAINTS, RESET,
/// DISCARD, DEALLOCATE. SAVEPOINT, RELEASE and ROLLBACK TO are not among them.
[[nodiscard]] bool controls_session(std::string_view sql) noexcept;

/// The line, from 1, on which statement number `index` (from 0) of a script begins. Knows
/// quotes, dollar quotes and comments. The last line if there are fewer statements.
[[nodiscard]] int statement_line(std::string_view script, std::size_t index) noexcept;

/// The line, from 1, of the character at `position` (from 1, in characters as PostgreSQL counts).
[[nodiscard]] int line_at(std::string_view script, std::size_t position) noexcept;

}  // namespace radd::db
