#include <host/entities/column.hpp>
#include <host/entities/table_statements.hpp>

namespace radd::entities {
namespace {

// Of every entity, in front of its fields.
constexpr std::string_view own_columns =
    "id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "
    "version bigint NOT NULL DEFAULT 1, "
    "created_at timestamptz NOT NULL DEFAULT clock_timestamp(), "
    "updated_at timestamptz NOT NULL DEFAULT clock_timestamp()";

}  // namespace

std::string definitions(const Model& model, const Entity& entity) {
    std::string text{own_columns};
    for (const FieldSpec& field : entity.spec.fields) {
        text += ", " + column_definition(model, field);
        if (const auto allowed = allowed_values(field); !allowed.empty())
            text += ", CONSTRAINT " + identifier(check_name(field)) + " CHECK (" + allowed + ')';
    }
    return text;
}

std::string comment_of(const Entity& entity) {
    return std::string{entity_mark} + entity.spec.key;
}

std::string comment_statement(const Entity& entity) {
    return "COMMENT ON TABLE " + table_name(entity) + " IS " + literal(comment_of(entity)) + ";\n";
}

std::string index_statement(const Entity& entity, const FieldSpec& field) {
    return std::string{"CREATE "} + (field.unique ? "UNIQUE " : "") + "INDEX " +
           identifier(field.unique ? unique_name(entity, field) : index_name(entity, field)) +
           " ON " + table_name(entity) + " (" + identifier(field.name) + ");\n";
}

std::string foreign_key_statement(const Entity& entity,
                                  const FieldSpec& field,
                                  const Entity& target) {
    return "ALTER TABLE " + table_name(entity) + " ADD CONSTRAINT " +
           identifier(foreign_key_name(field)) + " FOREIGN KEY (" + identifier(field.name) +
           ") REFERENCES " + table_name(target) + " (id);\n";
}

}  // namespace radd::entities
