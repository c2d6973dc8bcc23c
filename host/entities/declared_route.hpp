#pragma once

/// What entities there are without code, for whoever makes forms of them.

#include <host/entities/model.hpp>
#include <radd/http.hpp>

namespace radd::entities {

/// `GET /api/v1/entities`, for every member: each declared entity with its fields in their order.
/// The document is made here, once: the model is fixed by then.
[[nodiscard]] RouteSpec declared_route(const Model& model);

}  // namespace radd::entities
