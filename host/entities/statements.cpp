#include <host/entities/column.hpp>
#include <host/entities/statements.hpp>

namespace radd::entities::sql {
namespace {

/// As canonical_timestamp() writes it, whatever the session is set to.
std::string instant(const std::string& column) {
    return "to_char(" + column + R"( AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))";
}

/// Each column under its own name, as stored_value() writes it.
std::string columns_of(const Entity& entity) {
    std::string text = "id, version, " + instant("created_at") + " AS created_at, " +
                       instant("updated_at") + " AS updated_at";
    for (const FieldSpec& field : entity.spec.fields) {
        const std::string column = identifier(field.name);
        text += ", ";
        if (field.type == FieldType::timestamp)
            text += instant(column);
        else if (field.type == FieldType::date)
            text += "to_char(" + column + ", 'YYYY-MM-DD')";
        else
            text += column + "::text";
        text += " AS " + column;
    }
    return text;
}

std::string select(const Entity& entity) {
    return "SELECT " + columns_of(entity) + " FROM " + table_name(entity);
}

std::string column(const Entity& entity, std::size_t field) {
    return identifier(entity.spec.fields[field].name);
}

std::string parameter(std::size_t number) {
    return '$' + std::to_string(number);
}

}  // namespace

std::string select_row(const Entity& entity, bool locks) {
    return select(entity) + " WHERE id = $1" + (locks ? " FOR UPDATE" : "");
}

std::string select_rows(const Entity& entity) {
    return select(entity) + " WHERE id = ANY ($1::bigint[])";
}

std::string list_rows(const Entity& entity, const std::vector<std::size_t>& filters) {
    std::string text = select(entity) + " WHERE id > $1";
    std::size_t number = 3;
    for (const std::size_t field : filters)
        text += " AND " + column(entity, field) + " = " + parameter(number++);
    return text + " ORDER BY id LIMIT $2";
}

std::string select_referring(const Entity& entity, std::size_t field) {
    return "SELECT id FROM " + table_name(entity) + " WHERE " + column(entity, field) +
           " = $1 ORDER BY id LIMIT $2 FOR UPDATE";
}

std::string insert_row(const Entity& entity, const std::vector<std::size_t>& fields) {
    std::string names;
    std::string values;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        names += (i > 0 ? ", " : "") + column(entity, fields[i]);
        values += (i > 0 ? ", " : "") + parameter(i + 1);
    }
    const std::string given =
        fields.empty() ? " DEFAULT VALUES" : " (" + names + ") VALUES (" + values + ')';
    return "INSERT INTO " + table_name(entity) + given + " RETURNING " + columns_of(entity);
}

std::string update_row(const Entity& entity, const std::vector<std::size_t>& fields) {
    std::string text = "UPDATE " + table_name(entity) +
                       " SET version = version + 1, updated_at = clock_timestamp()";
    for (std::size_t i = 0; i < fields.size(); ++i)
        text += ", " + column(entity, fields[i]) + " = " + parameter(i + 2);
    return text + " WHERE id = $1 RETURNING " + columns_of(entity);
}

std::string delete_row(const Entity& entity) {
    return "DELETE FROM " + table_name(entity) + " WHERE id = $1";
}

}  // namespace radd::entities::sql
