#pragma once

/// What makes a table and what stands beside it. Each statement ends with a semicolon.

#include <string>
#include <string_view>

#include <host/entities/model.hpp>

namespace radd::entities {

/// Begins the comment of a table that the host has made; the key follows.
inline constexpr std::string_view entity_mark = "radd entity ";

/// What stands between the parentheses of CREATE TABLE: columns and the rules of their values.
[[nodiscard]] std::string definitions(const Model& model, const Entity& entity);
[[nodiscard]] std::string comment_of(const Entity& entity);
[[nodiscard]] std::string comment_statement(const Entity& entity);
[[nodiscard]] std::string index_statement(const Entity& entity, const FieldSpec& field);
[[nodiscard]] std::string foreign_key_statement(const Entity& entity,
                                                const FieldSpec& field,
                                                const Entity& target);

}  // namespace radd::entities
