#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <host/entities/column.hpp>
#include <host/entities/table_plan.hpp>
#include <host/entities/table_reader.hpp>
#include <host/entities/table_refusals.hpp>
#include <host/entities/table_statements.hpp>

namespace radd::entities {
namespace {

/// The declaration as a table, so that PostgreSQL itself says how it spells it.
constexpr std::string_view wanted_table = "radd_wanted";

/// The number in "character varying(200)", and the first of "numeric(18,2)".
std::optional<std::int64_t> room_of(std::string_view type, std::string_view prefix) {
    if (!type.starts_with(prefix)) return std::nullopt;
    std::int64_t room = 0;
    const char* begin = type.data() + prefix.size();
    const auto [end, error] = std::from_chars(begin, type.data() + type.size(), room);
    return error == std::errc{} ? std::optional{room} : std::nullopt;
}

/// Whether every value of `from` is one of `to`, and PostgreSQL need not look at any.
bool only_widens(std::string_view from, std::string_view to) {
    constexpr std::string_view text = "character varying(";
    constexpr std::string_view decimal = "numeric(";
    const auto tail = [](std::string_view type) { return type.substr(type.find(',') + 1); };
    if (const auto before = room_of(from, text), after = room_of(to, text); before && after)
        return *before < *after;
    if (const auto before = room_of(from, decimal), after = room_of(to, decimal); before && after)
        return *before < *after && tail(from) == tail(to);
    return false;
}

class Planner {
public:
    Planner(db::Session& session, const Model& model, std::string plugin, std::string file)
        : session_{session}, model_{model}, plugin_{std::move(plugin)}, file_{std::move(file)} {}

    std::vector<db::PlannedMigration> run() {
        for (const auto& entity : model_.entities()) {
            if (entity->schema == plugin_) plan(*entity);
        }
        // When every table is there: two may refer to each other.
        for (const auto& entity : model_.entities()) {
            if (entity->schema == plugin_) plan_foreign_keys(*entity);
        }
        refuse_forgotten_tables();
        if (!refused_.empty()) throw ChangesRefused{std::move(refused_)};
        return std::move(planned_);
    }

private:
    void plan(const Entity& entity);
    void create(const Entity& entity);
    [[nodiscard]] Table wanted(const Entity& entity);
    void compare(const Entity& entity, const FieldSpec& field, const Table& live, const Table& to);
    void add_column(const Entity& entity, const FieldSpec& field);
    void compare_type(const Entity& entity,
                      const FieldSpec& field,
                      const Column& is,
                      const Column& to);
    void compare_null(const Entity& entity, const FieldSpec& field, const Column& is);
    void compare_check(const Entity& entity,
                       const FieldSpec& field,
                       const Table& live,
                       const Table& to);
    void compare_indexes(const Entity& entity, const FieldSpec& field, const Table& live);
    void plan_foreign_keys(const Entity& entity);
    void refuse_dropped(const Entity& entity, const Table& live, const Table& to);
    void refuse_forgotten_tables();

    void add(std::string what, std::string sql) {
        planned_.push_back({.what = std::move(what), .sql = std::move(sql)});
    }
    void refuse(const std::string& what, const std::string& problem, const std::string& sql) {
        refused_.push_back({.code = "E74",
                            .plugin = plugin_,
                            .file = file_,
                            .message = what + ": " + problem,
                            .hint = "Take the change back, or run: " + sql});
    }
    void refuse(const Entity& entity,
                const FieldSpec& field,
                const std::string& problem,
                const std::string& sql) {
        refuse("field '" + entity.spec.key + '.' + field.name + "'", problem, sql);
    }
    [[nodiscard]] static std::string alter(const Entity& entity) {
        return "ALTER TABLE " + table_name(entity) + ' ';
    }
    [[nodiscard]] static std::string alter(const Entity& entity, const FieldSpec& field) {
        return alter(entity) + "ALTER COLUMN " + identifier(field.name) + ' ';
    }
    [[nodiscard]] static std::string step(const Entity& entity,
                                          const std::string& verb,
                                          const FieldSpec& field) {
        return entity.table + '_' + verb + '_' + field.name;
    }

    db::Session& session_;
    const Model& model_;
    std::string plugin_;
    std::string file_;
    bool makes_schema_ = false;
    std::vector<db::PlannedMigration> planned_;
    config::Problems refused_;
};

void Planner::plan(const Entity& entity) {
    const Table live = read_table(session_, entity.schema, entity.table);
    if (!live.exists) return create(entity);
    const std::string what = "entity '" + entity.spec.key + "'";
    if (live.comment != comment_of(entity)) {
        const bool is_ours = live.comment.starts_with(entity_mark);
        return refuse(
            what,
            "table " + table_name(entity) +
                (is_ours ? " is of entity '" + live.comment.substr(entity_mark.size()) + "'"
                         : std::string{" is there already and was not made for it"}),
            is_ours ? comment_statement(entity)
                    : alter(entity) + "RENAME TO " + identifier(entity.table + "_before") + ';');
    }
    const Table to = wanted(entity);
    for (const FieldSpec& field : entity.spec.fields) compare(entity, field, live, to);
    refuse_dropped(entity, live, to);
}

void Planner::create(const Entity& entity) {
    std::string sql;
    if (!makes_schema_ && !schema_exists(session_, entity.schema)) {
        makes_schema_ = true;
        sql = "CREATE SCHEMA " + identifier(entity.schema) + ";\n";
    }
    sql += "CREATE TABLE " + table_name(entity) + " (" + definitions(model_, entity) + ");\n" +
           comment_statement(entity);
    for (const FieldSpec& field : entity.spec.fields) {
        if (field.unique || wants_index(field)) sql += index_statement(entity, field);
    }
    add("create_" + entity.table, std::move(sql));
}

Table Planner::wanted(const Entity& entity) {
    const std::string name = identifier(wanted_table);
    session_.run_script("CREATE TEMPORARY TABLE " + name + " (" + definitions(model_, entity) +
                        ')');
    Table table = read_table(session_, "pg_temp", wanted_table);
    session_.run_script("DROP TABLE pg_temp." + name);
    return table;
}

void Planner::compare(const Entity& entity,
                      const FieldSpec& field,
                      const Table& live,
                      const Table& to) {
    const auto is = live.columns.find(field.name);
    if (is == live.columns.end()) {
        add_column(entity, field);
        compare_indexes(entity, field, live);
        return;
    }
    const Column& want = to.columns.at(field.name);
    compare_type(entity, field, is->second, want);
    if (is->second.default_text != want.default_text)
        add(step(entity, "default", field),
            alter(entity, field) +
                (want.default_text.empty() ? "DROP DEFAULT" : "SET DEFAULT " + want.default_text) +
                ";\n");
    if (is->second.not_null != want.not_null) compare_null(entity, field, is->second);
    compare_check(entity, field, live, to);
    compare_indexes(entity, field, live);
}

void Planner::add_column(const Entity& entity, const FieldSpec& field) {
    std::string sql = alter(entity) + "ADD COLUMN " + column_definition(model_, field);
    if (const auto allowed = allowed_values(field); !allowed.empty())
        sql += ", ADD CONSTRAINT " + identifier(check_name(field)) + " CHECK (" + allowed + ')';
    sql += ";\n";
    if (field.nullable || field.default_value) return add(step(entity, "add", field), sql);
    const auto rows = rows_where(session_, table_name(entity), "true");
    if (!rows) return add(step(entity, "add", field), sql);
    FieldSpec empty = field;
    empty.nullable = true;
    refuse(entity,
           field,
           "is new, not nullable and without a default, and the table has " + rows.shown,
           alter(entity) + "ADD COLUMN " + column_definition(model_, empty) + "; UPDATE " +
               table_name(entity) + " SET " + identifier(field.name) + " = …; " +
               alter(entity, field) + "SET NOT NULL;");
}

void Planner::compare_type(const Entity& entity,
                           const FieldSpec& field,
                           const Column& is,
                           const Column& to) {
    if (is.type == to.type) return;
    const std::string change = alter(entity, field) + "TYPE " + to.type;
    if (only_widens(is.type, to.type)) return add(step(entity, "widen", field), change + ";\n");
    const std::string column = identifier(field.name);
    const bool narrows = only_widens(to.type, is.type) && field.type == FieldType::text;
    const auto rows =
        rows_where(session_,
                   table_name(entity),
                   narrows ? "char_length(" + column + ") > " + std::to_string(field.max)
                           : column + " IS NOT NULL");
    refuse(entity,
           field,
           "is " + is.type + " and would become " + to.type + ", and " + rows.shown +
               (narrows ? " have more characters" : " have a value"),
           change + " USING " + column + "::" + to.type + ';');
}

void Planner::compare_null(const Entity& entity, const FieldSpec& field, const Column& is) {
    if (is.not_null)
        return add(step(entity, "allow_null", field), alter(entity, field) + "DROP NOT NULL;\n");
    const std::string column = identifier(field.name);
    const auto rows = rows_where(session_, table_name(entity), column + " IS NULL");
    if (!rows) return add(step(entity, "require", field), alter(entity, field) + "SET NOT NULL;\n");
    refuse(entity,
           field,
           "is not to be null any more, and is in " + rows.shown,
           "UPDATE " + table_name(entity) + " SET " + column + " = " +
               (field.default_value ? "DEFAULT" : "…") + " WHERE " + column + " IS NULL;");
}

void Planner::compare_check(const Entity& entity,
                            const FieldSpec& field,
                            const Table& live,
                            const Table& to) {
    const std::string name = check_name(field);
    const auto is = live.checks.find(name);
    const auto want = to.checks.find(name);
    const bool has = is != live.checks.end();
    if (want == to.checks.end()) {
        if (has && live.columns.at(field.name).type == to.columns.at(field.name).type)
            refuse(entity,
                   field,
                   "was an enum and is not one any more",
                   alter(entity) + "DROP CONSTRAINT " + identifier(name) + ';');
        return;
    }
    if (has && is->second == want->second) return;
    if (live.columns.at(field.name).type != to.columns.at(field.name).type) return;  // Told.
    const std::string allowed = allowed_values(field);
    const auto rows = rows_where(session_, table_name(entity), "NOT (" + allowed + ')');
    const std::string drop = has ? "DROP CONSTRAINT " + identifier(name) + ", " : "";
    if (!rows)
        return add(step(entity, "allow", field),
                   alter(entity) + drop + "ADD CONSTRAINT " + identifier(name) + " CHECK (" +
                       allowed + ");\n");
    refuse(entity,
           field,
           "loses a value that " + rows.shown + " have",
           "UPDATE " + table_name(entity) + " SET " + identifier(field.name) + " = " +
               literal(field.values.front()) + " WHERE NOT (" + allowed + ");");
}

void Planner::compare_indexes(const Entity& entity, const FieldSpec& field, const Table& live) {
    const std::string unique = unique_name(entity, field);
    const std::string index = index_name(entity, field);
    const auto drop = [&](const std::string& name) {
        add(step(entity, "drop_index", field),
            "DROP INDEX " + identifier(entity.schema) + '.' + identifier(name) + ";\n");
    };
    if (field.unique && !live.indexes.contains(unique)) {
        const bool is_new = !live.columns.contains(field.name);
        const auto twice = is_new
                               ? Obstacle{}
                               : values_twice(session_, table_name(entity), identifier(field.name));
        if (!twice)
            add(step(entity, "unique", field), index_statement(entity, field));
        else
            refuse(entity,
                   field,
                   "is to be unique, and of some value there are several: " + twice.shown,
                   "UPDATE or DELETE all but one of each");
    }
    if (wants_index(field) && !live.indexes.contains(index))
        add(step(entity, "index", field), index_statement(entity, field));
    if (!field.unique && live.indexes.contains(unique)) drop(unique);
    if (!wants_index(field) && live.indexes.contains(index)) drop(index);
}

void Planner::plan_foreign_keys(const Entity& entity) {
    const Table live = read_table(session_, entity.schema, entity.table);
    if (live.exists && live.comment != comment_of(entity)) return;  // Refused.
    for (const FieldSpec& field : entity.spec.fields) {
        if (!model_.is_foreign_key(field)) continue;
        const Entity& target = *model_.find(field.references);
        const std::string name = foreign_key_name(field);
        const auto is = live.foreign_keys.find(name);
        const std::string statement = foreign_key_statement(entity, field, target);
        if (is != live.foreign_keys.end()) {
            if (is->second != target.schema + '.' + target.table)
                refuse(entity,
                       field,
                       "refers to " + is->second + " and would refer to " + target.schema + '.' +
                           target.table,
                       alter(entity) + "DROP CONSTRAINT " + identifier(name) + "; UPDATE " +
                           table_name(entity) + " SET " + identifier(field.name) + " = …;");
            continue;
        }
        const auto column = live.columns.find(field.name);
        const bool has_values = column != live.columns.end() &&
                                column->second.type == column_type(model_, field) &&
                                read_table(session_, target.schema, target.table).exists;
        const auto lost =
            has_values
                ? rows_where(session_,
                             table_name(entity),
                             identifier(field.name) + " IS NOT NULL AND NOT EXISTS (SELECT FROM " +
                                 table_name(target) + " t WHERE t.id = " +
                                 identifier(entity.table) + '.' + identifier(field.name) + ')')
                : Obstacle{};
        if (!lost)
            add(step(entity, "refer", field), statement);
        else
            refuse(entity,
                   field,
                   "names what does not exist in " + lost.shown,
                   "UPDATE " + table_name(entity) + " SET " + identifier(field.name) + " = … ;");
    }
}

void Planner::refuse_dropped(const Entity& entity, const Table& live, const Table& to) {
    for (const auto& [name, column] : live.columns) {
        if (to.columns.contains(name)) continue;
        const auto rows =
            rows_where(session_, table_name(entity), identifier(name) + " IS NOT NULL");
        refuse("entity '" + entity.spec.key + "'",
               "column " + identifier(name) + " is no field any more, and has a value in " +
                   rows.shown,
               alter(entity) + "DROP COLUMN " + identifier(name) + ';');
    }
}

void Planner::refuse_forgotten_tables() {
    for (const auto& [table, comment] : commented_tables(session_, plugin_, entity_mark)) {
        const auto is_declared = [&, &name = table](const auto& entity) {
            return entity->schema == plugin_ && entity->table == name;
        };
        if (std::ranges::any_of(model_.entities(), is_declared)) continue;
        const std::string full = identifier(plugin_) + '.' + identifier(table);
        const auto rows = rows_where(session_, full, "true");
        refuse("entity '" + comment.substr(entity_mark.size()) + "'",
               "is not declared any more, and its table " + full + " has " + rows.shown,
               "DROP TABLE " + full + ';');
    }
}

std::string listed(const config::Problems& problems) {
    std::string text;
    for (const auto& problem : problems) text += config::to_text(problem) + '\n';
    return text;
}

}  // namespace

ChangesRefused::ChangesRefused(config::Problems problems)
    : ConfigError{listed(problems)}, problems_{std::move(problems)} {}

db::PlannedMigrations table_migrations(const Model& model,
                                       const std::string& plugin,
                                       const std::string& file) {
    return {.owner = plugin + ".entities", .plan = [&model, plugin, file](db::Session& session) {
                return Planner{session, model, plugin, file}.run();
            }};
}

}  // namespace radd::entities
