#pragma once

/// Least privilege: roles for those who emit, those who read, and the host itself.

#include <string_view>

#include <host/db/session.hpp>

namespace radd::db {

/// The statements of grant_roles(), for whoever wants to read them first or run them by hand.
[[nodiscard]] std::string_view role_statements();

/// Makes `radd_emitter`, `radd_reader` and `radd_host` if they are missing, and gives each exactly
/// its rights on the schemas of core and of every plugin that was ever migrated here. All or
/// nothing; may be run again at any time, and must be after migrations that made tables.
/// @throws ConfigError with the remedy if this role may not create roles, or does not own the
///         schema; Unavailable.
void grant_roles(Session& session);

}  // namespace radd::db
