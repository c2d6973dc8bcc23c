#pragma once

/// What a request gives: a body's fields, a query's filters, a version.

#include <cstddef>
#include <cstdint>
#include <optional>

#include <host/entities/store.hpp>
#include <radd/http.hpp>

namespace radd::entities {

/// Fields of the body, in the entity's order. @throws InvalidInput naming the one that does not
/// fit.
[[nodiscard]] Given given_in_body(const Entity& entity, const HttpRequest& request);

/// Fields by which a list is narrowed. @throws InvalidInput naming the parameter.
[[nodiscard]] Given given_in_query(const Entity& entity, const HttpRequest& request);

[[nodiscard]] std::int64_t after_in_query(const HttpRequest& request);
[[nodiscard]] std::size_t limit_in_query(const HttpRequest& request);

/// Of `If-Match: "3"`; empty without the header or for `*`.
/// @throws InvalidInput naming If-Match if it is no ETag of a row.
[[nodiscard]] std::optional<std::int64_t> version_in(const HttpRequest& request);

/// @throws HttpError 404 unless it is the id of a row that there could be.
[[nodiscard]] std::int64_t id_in_path(const Entity& entity, const HttpRequest& request);

}  // namespace radd::entities
