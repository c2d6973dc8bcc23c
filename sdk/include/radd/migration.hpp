#pragma once

/// Changes of the schema, compiled in.

#include <string_view>
#include <vector>

namespace radd {

/// One `NNNN_what_it_does.sql`. Append-only: a file that has been applied anywhere never changes,
/// and the host refuses to run when it did (it keeps the SHA-256 of what it applied).
struct Migration {
    std::string_view name;  ///< "0001_surveys", without the suffix.
    std::string_view sql;   ///< Any number of statements; run in one transaction.
};

/// The files of the folder given to `radd_add_plugin(… MIGRATIONS folder)`, in order of name.
/// Defined by the build in each plugin that has any.
[[nodiscard]] std::vector<Migration> plugin_migrations();

}  // namespace radd
