#pragma once

/// JSON Schemas of what the routes take and give; they are the API's document.

#include <string>
#include <vector>

#include <radd/http.hpp>

namespace items::schema {

// What is given.
[[nodiscard]] radd::json project();
[[nodiscard]] radd::json person();
[[nodiscard]] radd::json person_name();
[[nodiscard]] radd::json state();
[[nodiscard]] radd::json item();
[[nodiscard]] radd::json comment();

/// {"<name>":[entry…],"next":{"after":key}|null}; without a key all are given at once and there is
/// no next.
[[nodiscard]] radd::json list(const char* name, const radd::json& entry);
[[nodiscard]] radd::json page(const char* name, const radd::json& entry, const radd::json& key);

// What is taken.
[[nodiscard]] radd::json new_project();
[[nodiscard]] radd::json project_patch();
[[nodiscard]] radd::json new_person();
[[nodiscard]] radd::json person_patch();
[[nodiscard]] radd::json new_item();
[[nodiscard]] radd::json item_patch();
[[nodiscard]] radd::json comment_text();

inline constexpr std::size_t page_rows = 100;      ///< Unless `limit` says otherwise.
inline constexpr std::size_t page_rows_max = 500;  ///< Less than list_rows_max: one more is read.
/// `limit` and `after` of a list.
[[nodiscard]] std::vector<radd::QueryParameter> paging(const radd::json& key);
[[nodiscard]] radd::json id();
[[nodiscard]] radd::json uuid();

}  // namespace items::schema
