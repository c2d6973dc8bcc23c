#include <host/entities/table_reader.hpp>

namespace radd::entities {
namespace {

constexpr Sql select_table = R"sql(
    SELECT c.oid::text AS oid, coalesce(obj_description(c.oid, 'pg_class'), '') AS comment
      FROM pg_catalog.pg_class c
     WHERE c.relname = $2 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
       AND c.relnamespace = CASE WHEN $1 = 'pg_temp' THEN pg_my_temp_schema()
                                 ELSE (SELECT n.oid FROM pg_catalog.pg_namespace n
                                        WHERE n.nspname = $1) END)sql";

constexpr Sql select_columns = R"sql(
    SELECT a.attname::text AS name, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull,
           coalesce(pg_get_expr(d.adbin, d.adrelid), '') AS default_text
      FROM pg_catalog.pg_attribute a
      LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
     WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped)sql";

constexpr Sql select_constraints = R"sql(
    SELECT o.conname::text AS name, o.contype::text AS type, pg_get_constraintdef(o.oid) AS text,
           coalesce(n.nspname || '.' || f.relname, '') AS target
      FROM pg_catalog.pg_constraint o
      LEFT JOIN pg_catalog.pg_class f ON f.oid = o.confrelid
      LEFT JOIN pg_catalog.pg_namespace n ON n.oid = f.relnamespace
     WHERE o.conrelid = $1::oid AND o.contype IN ('c', 'f'))sql";

constexpr Sql select_indexes = R"sql(
    SELECT c.relname::text AS name, i.indisunique
      FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
     WHERE i.indrelid = $1::oid AND i.indisvalid)sql";

constexpr Sql select_schema =
    "SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1) AS exists";

constexpr Sql select_commented = R"sql(
    SELECT c.relname::text AS name, obj_description(c.oid, 'pg_class') AS comment
      FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relkind = 'r'
       AND starts_with(obj_description(c.oid, 'pg_class'), $2))sql";

}  // namespace

Table read_table(db::Session& session, std::string_view schema, std::string_view table) {
    Table result;
    const Rows found = session.query(select_table, schema, table);
    if (found.empty()) return result;
    const std::string oid = found[0].text("oid");
    result.exists = true;
    result.comment = found[0].text("comment");
    for (const auto row : session.query(select_columns, oid))
        result.columns[row.text("name")] = {.type = row.text("type"),
                                            .not_null = row.boolean("attnotnull"),
                                            .default_text = row.text("default_text")};
    for (const auto row : session.query(select_constraints, oid)) {
        if (row.text("type") == "c")
            result.checks[row.text("name")] = row.text("text");
        else
            result.foreign_keys[row.text("name")] = row.text("target");
    }
    for (const auto row : session.query(select_indexes, oid))
        result.indexes[row.text("name")] = row.boolean("indisunique");
    return result;
}

bool schema_exists(db::Session& session, std::string_view schema) {
    return session.query(select_schema, schema)[0].boolean("exists");
}

std::map<std::string, std::string> commented_tables(db::Session& session,
                                                    std::string_view schema,
                                                    std::string_view beginning) {
    std::map<std::string, std::string> tables;
    for (const auto row : session.query(select_commented, schema, beginning))
        tables[row.text("name")] = row.text("comment");
    return tables;
}

}  // namespace radd::entities
