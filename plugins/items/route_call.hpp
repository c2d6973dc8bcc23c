#pragma once

/// What the handlers of all routes have in common.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "to_json.hpp"
#include <items/service.hpp>
#include <radd/http.hpp>
#include <radd/services.hpp>

namespace items {

/// One request, in its transaction.
struct Call {
    const radd::HttpRequest& request;
    Directory& directory;
    radd::Transaction& tx;
};

using Handler = std::function<radd::HttpResponse(const radd::HttpRequest&, radd::Services&)>;

/// Runs `work` in one transaction. What the directory says is Missing becomes 404, and what it says
/// is Taken or InUse 409; whatever else it refuses is a radd::InvalidInput, 422.
[[nodiscard]] Handler in_transaction(std::function<radd::HttpResponse(const Call&)> work);

/// As whom the caller acts, made a person if there is none of this uuid yet.
[[nodiscard]] Act acting(const Call& call);

/// @throws radd::HttpError 403 unless the caller is this person or an admin.
void require_self_or_admin(const Call& call, const std::optional<PersonId>& person);

/// What a path parameter names. @throws radd::HttpError 404 if there is no such thing.
[[nodiscard]] Project project_in_path(const Call& call);
[[nodiscard]] Person person_in_path(const Call& call);
[[nodiscard]] Item item_in_path(const Call& call);
[[nodiscard]] Comment comment_in_path(const Call& call);

/// A whole number in the query. @throws radd::InvalidInput naming it if it is none or below 1.
[[nodiscard]] std::optional<std::int64_t> query_number(const radd::HttpRequest& request,
                                                       std::string_view name);
/// @throws radd::InvalidInput naming "limit" unless it is 1 to schema::page_rows_max.
[[nodiscard]] std::size_t query_limit(const radd::HttpRequest& request);

/// {"<name>":[…],"next":{"after":…}}; `next` is null on the last page. `entries` may hold one more
/// than the page does: its sign that there is another.
template <typename T, typename KeyOf>
[[nodiscard]] radd::HttpResponse page_response(const char* name,
                                               std::vector<T> entries,
                                               std::size_t limit,
                                               KeyOf key_of) {
    const bool more = entries.size() > limit;
    if (more) entries.resize(limit, entries.back());
    radd::json body{{name, list_json(entries)}, {"next", nullptr}};
    if (more) body["next"] = {{"after", key_of(entries.back())}};
    return radd::json_response(body);
}

/// 201 with the new thing and where it is.
[[nodiscard]] radd::HttpResponse created_response(const radd::json& body,
                                                  const std::string& location);

}  // namespace items
