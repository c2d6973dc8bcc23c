#pragma once

/// JSON Schemas of accounts and tokens, and what their routes have in common.

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <host/accounts/accounts.hpp>
#include <host/api/query.hpp>
#include <radd/http.hpp>

namespace radd::api {

/// Rows of one page: `limit`, at most accounts::list_rows_max.
/// @throws InvalidInput naming the parameter.
[[nodiscard]] std::int64_t page_rows(const HttpRequest& request);

/// For the log: name and id of whoever is signed in.
[[nodiscard]] std::string who_asks(const HttpRequest& request);

/// {"<name>":[row…],"next":{"after":id}|null}
template <typename T>
[[nodiscard]] HttpResponse page_response(const char* name, const accounts::Page<T>& page) {
    auto rows = nlohmann::ordered_json::array();
    for (const T& row : page.rows) rows.push_back(to_json(row));
    nlohmann::ordered_json next;
    if (page.next_after) next["after"] = *page.next_after;
    return response({{name, std::move(rows)}, {"next", std::move(next)}});
}

namespace schema {

[[nodiscard]] json account();
[[nodiscard]] json made_account();
[[nodiscard]] json link();
[[nodiscard]] json token();
[[nodiscard]] json made_token();
[[nodiscard]] json listing(const char* name, const json& entry);

[[nodiscard]] json account_request();
[[nodiscard]] json account_change();
[[nodiscard]] json token_request();
[[nodiscard]] json nothing();  ///< An empty object.
/// @param noun What the parameter `after` is the id of.
[[nodiscard]] std::vector<QueryParameter> listing_query(const std::string& noun);

}  // namespace schema
}  // namespace radd::api
