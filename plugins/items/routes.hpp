#pragma once

/// `/api/v1/projects`, `/people`, `/states`, `/items` and `/comments`.
///
/// Who may: every member reads everything, and writes items, comments and watchers. A comment is
/// changed and deleted by its author and by admins; a person by that person and by admins; a
/// project by admins.
///
/// Whoever writes does so as the person of the same uuid as the account, made at the first write;
/// see Directory::ensure_person().

#include <vector>

#include <radd/manifest.hpp>

namespace items {

[[nodiscard]] std::vector<radd::RouteSpec> routes();

// Its parts, one for each thing that has routes.
[[nodiscard]] std::vector<radd::RouteSpec> project_routes();
[[nodiscard]] std::vector<radd::RouteSpec> people_routes();
[[nodiscard]] std::vector<radd::RouteSpec> item_routes();
[[nodiscard]] std::vector<radd::RouteSpec> comment_routes();
[[nodiscard]] std::vector<radd::RouteSpec> watcher_routes();

}  // namespace items
