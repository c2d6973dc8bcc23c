#pragma once

/// How a declaration is spelled in SQL.

#include <string>
#include <string_view>

#include <host/entities/model.hpp>

namespace radd::entities {

/// "name", so that a word of SQL is one like any other.
[[nodiscard]] std::string identifier(std::string_view name);
/// 'text'
[[nodiscard]] std::string literal(std::string_view text);
/// "milestones"."milestones"
[[nodiscard]] std::string table_name(const Entity& entity);

/// As format_type() prints it: "character varying(200)".
[[nodiscard]] std::string column_type(const Model& model, const FieldSpec& field);
/// `"state" text DEFAULT 'planned' NOT NULL`
[[nodiscard]] std::string column_definition(const Model& model, const FieldSpec& field);
/// `"state" IN ('planned', 'active')`; empty if the type says it all.
[[nodiscard]] std::string allowed_values(const FieldSpec& field);

// Names of what stands beside the columns. The prefix of a table keeps those of two tables apart.
[[nodiscard]] std::string check_name(const FieldSpec& field);
[[nodiscard]] std::string foreign_key_name(const FieldSpec& field);
[[nodiscard]] std::string unique_name(const Entity& entity, const FieldSpec& field);
[[nodiscard]] std::string index_name(const Entity& entity, const FieldSpec& field);

/// Whether filters and deletions look it up: `index`, or a reference.
[[nodiscard]] bool wants_index(const FieldSpec& field);

}  // namespace radd::entities
