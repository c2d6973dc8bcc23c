#pragma once

/// What libpq answers with. Private to this folder: nobody else's headers know libpq.

#include <memory>
#include <string>
#include <string_view>

#include <libpq-fe.h>
#include <radd/sql.hpp>

namespace radd::db {

using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

[[nodiscard]] Result own(PGresult* result);

/// Empty if the server did not say, or there is no result.
[[nodiscard]] std::string error_field(const PGresult* result, int code);

/// libpq follows each message with advice for somebody at a psql prompt.
[[nodiscard]] std::string_view first_line(std::string_view text);

[[nodiscard]] bool is_success(const PGresult* result);
[[nodiscard]] bool is_copy(const PGresult* result);
[[nodiscard]] Rows to_rows(const PGresult* result);

}  // namespace radd::db
