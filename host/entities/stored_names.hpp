#pragma once

/// The two things that come from the compiler everywhere else and at run time here.

#include <string_view>

#include <radd/sql.hpp>
#include <radd/vocabulary.hpp>

namespace radd::detail {

/// Names that a manifest brings. Each is kept until the process ends, as one of a library is.
class StoredNames {
public:
    /// "milestone.created". The host checks before that it is well formed. [any-thread]
    [[nodiscard]] static EventType event(std::string_view name);
    [[nodiscard]] static EntityType entity(std::string_view name);
};

/// Statements about declared tables.
class BuiltSql {
public:
    /// `text` is lent to the result. It holds checked names, quoted, and `$1` for each value.
    [[nodiscard]] static Sql of(std::string_view text) noexcept { return Sql{BuiltSql{}, text}; }
};

}  // namespace radd::detail
