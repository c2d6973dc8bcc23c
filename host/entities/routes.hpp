#pragma once

/// Rows of a declared entity over HTTP.

#include <memory>
#include <vector>

#include <host/entities/model.hpp>
#include <radd/http.hpp>

namespace radd::entities {

/// List, add, show, change, delete, for every member. The handlers hold the model, whose entity
/// `key` must stay in it.
[[nodiscard]] std::vector<RouteSpec> routes_of(std::shared_ptr<const Model> model,
                                               const Entity& entity);

}  // namespace radd::entities
