#pragma once

/// One value on its way from JSON to the table and back.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <radd/entity.hpp>
#include <radd/error.hpp>

namespace radd::entities {

/// As manifests and documents write the types, in the order of FieldType.
inline constexpr std::array<std::string_view, 8> field_type_names{
    "text", "integer", "decimal", "boolean", "date", "timestamp", "enum", "reference"};

[[nodiscard]] constexpr std::string_view name_of(FieldType type) {
    return field_type_names[static_cast<std::size_t>(type)];
}

/// What the table holds of `value`, as PostgreSQL reads and the statements print it: equal values
/// are equal texts. Empty for null.
/// @throws InvalidInput naming the field, the value and what to write instead.
[[nodiscard]] std::optional<std::string> stored_value(const FieldSpec& field, const json& value);

/// The same for a value in a query: `?done=true`. Never null. @throws as stored_value().
[[nodiscard]] std::string stored_query_value(const FieldSpec& field, std::string_view text);

/// `stored` as JSON gives it back. A reference is a number where `is_number`.
[[nodiscard]] json shown_value(const FieldSpec& field,
                               const std::optional<std::string>& stored,
                               bool is_number);

/// Whether it may stand in an event: a long text would crowd out everything else.
[[nodiscard]] inline bool is_short(const FieldSpec& field) {
    return field.type != FieldType::text || field.max <= short_text_max;
}

}  // namespace radd::entities
