#include <host/entities/column.hpp>
#include <host/entities/field_value.hpp>

namespace radd::entities {

std::string identifier(std::string_view name) {
    std::string text = "\"";
    for (const char c : name) {
        if (c == '"') text += '"';
        text += c;
    }
    return text += '"';
}

std::string literal(std::string_view text) {
    // Whatever standard_conforming_strings says.
    std::string result = text.find('\\') == std::string_view::npos ? "'" : "E'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') result += c;
        result += c;
    }
    return result += '\'';
}

std::string table_name(const Entity& entity) {
    return identifier(entity.schema) + '.' + identifier(entity.table);
}

std::string column_type(const Model& model, const FieldSpec& field) {
    switch (field.type) {
        case FieldType::text:
            return "character varying(" + std::to_string(field.max) + ')';
        case FieldType::integer:
            return "bigint";
        case FieldType::decimal:
            return "numeric(" + std::to_string(field.precision) + ',' +
                   std::to_string(field.scale) + ')';
        case FieldType::boolean:
            return "boolean";
        case FieldType::date:
            return "date";
        case FieldType::timestamp:
            return "timestamp with time zone";
        case FieldType::enumeration:
            return "text";
        case FieldType::reference:
            return model.is_foreign_key(field) ? "bigint" : "text";
    }
    return "text";
}

std::string column_definition(const Model& model, const FieldSpec& field) {
    std::string text = identifier(field.name) + ' ' + column_type(model, field);
    if (field.default_value) {
        const auto value = stored_value(field, json::parse(field.default_value->text()));
        if (value) text += " DEFAULT " + literal(*value);
    }
    if (!field.nullable) text += " NOT NULL";
    return text;
}

std::string allowed_values(const FieldSpec& field) {
    if (field.type != FieldType::enumeration) return {};
    std::string text = identifier(field.name) + " IN (";
    for (const std::string& value : field.values)
        text += (text.ends_with('(') ? "" : ", ") + literal(value);
    return text += ')';
}

std::string check_name(const FieldSpec& field) {
    return field.name + "_allowed";
}

std::string foreign_key_name(const FieldSpec& field) {
    return field.name + "_exists";
}

std::string unique_name(const Entity& entity, const FieldSpec& field) {
    return entity.table + '_' + field.name + "_key";
}

std::string index_name(const Entity& entity, const FieldSpec& field) {
    return entity.table + '_' + field.name + "_idx";
}

bool wants_index(const FieldSpec& field) {
    return !field.unique && (field.index || field.type == FieldType::reference);
}

}  // namespace radd::entities
