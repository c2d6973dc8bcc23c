#pragma once

/// What PostgreSQL refuses, by what the host does about it; and how a commit can fail, beside
/// the errors of the SDK.

#include <string>
#include <string_view>

#include <radd/commit_in_doubt.hpp>
#include <radd/error.hpp>

namespace radd::db {

/// PostgreSQL answered COMMIT with ROLLBACK: an earlier error had been swallowed. Nothing landed.
class CommitFailed : public Error {
public:
    using Error::Error;
};

/// The server or the way to it is away, or takes no writes for now: another connection, later,
/// may succeed. Classes 08 and 53, 57P01 to 57P05, and 25006 after a switch-over.
[[nodiscard]] bool means_unavailable(std::string_view sqlstate) noexcept;

/// The same work may succeed when it is done again: 40001, 40P01, 55P03, 57014.
[[nodiscard]] bool means_contention(std::string_view sqlstate) noexcept;

/// @throws Unavailable, Contention or SqlError, whichever `sqlstate` means. `message` must hold
///         neither PostgreSQL's detail nor a bound value: it ends up in logs.
[[noreturn]] void raise_sql_error(std::string_view sqlstate, const std::string& message);

}  // namespace radd::db
