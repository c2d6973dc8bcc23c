#pragma once

/// JSON Schemas of what the routes of an entity take and give; they are the API's document.

#include <vector>

#include <host/entities/model.hpp>
#include <radd/http.hpp>

namespace radd::entities::schema {

[[nodiscard]] json row(const Model& model, const Entity& entity);
/// {"<plural>":[row…],"next":{"after":id}|null}
[[nodiscard]] json page(const Model& model, const Entity& entity);
[[nodiscard]] json new_row(const Entity& entity);
[[nodiscard]] json patch(const Entity& entity);
/// `limit`, `after`, and one parameter for each field that is short.
[[nodiscard]] std::vector<QueryParameter> list_query(const Entity& entity);

}  // namespace radd::entities::schema
