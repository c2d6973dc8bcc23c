#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include <host/config/scalars.hpp>
#include <host/entities/column.hpp>
#include <host/entities/field_value.hpp>
#include <host/entities/statements.hpp>
#include <host/entities/store.hpp>
#include <host/entities/stored_names.hpp>

namespace radd::entities {
namespace {

using detail::BuiltSql;

std::optional<std::int64_t> id_in(std::string_view text) {
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error != std::errc{} || end != text.data() + text.size() || id < 1) return std::nullopt;
    return id;
}

Row row_of(const Entity& entity, const radd::Row& row) {
    Row result{.id = row.integer("id"),
               .version = row.integer("version"),
               .created_at = row.text("created_at"),
               .updated_at = row.text("updated_at"),
               .values = {}};
    for (const FieldSpec& field : entity.spec.fields)
        result.values.push_back(row.optional_text(field.name));
    return result;
}

std::vector<std::size_t> fields_in(const Given& given) {
    std::vector<std::size_t> fields;
    for (const auto& [field, value] : given) fields.push_back(field);
    return fields;
}

/// Runs `statement` with `first` and the values of `given`.
Rows run(Transaction& tx,
         const std::string& statement,
         const std::vector<Param>& first,
         const Given& given) {
    std::vector<Param> params = first;
    for (const auto& [field, value] : given) params.emplace_back(value);
    return tx.query(BuiltSql::of(statement), std::span<const Param>{params});
}

/// Rows of those of `ids` that can be ids, by id.
std::map<std::string, Row> rows_of(const Entity& entity,
                                   Transaction& tx,
                                   std::span<const std::string> ids) {
    std::vector<std::string> asked;
    for (const auto& id : ids) {
        if (id_in(id)) asked.push_back(id);
    }
    std::map<std::string, Row> rows;
    const std::string statement = sql::select_rows(entity);
    for (const auto row : tx.query(BuiltSql::of(statement), text_array(asked)))
        rows.emplace(row.text("id"), row_of(entity, row));
    return rows;
}

json shown(const Model& model, const FieldSpec& field, const std::optional<std::string>& value) {
    return shown_value(field, value, model.is_foreign_key(field));
}

std::vector<Change> diff(const Model& model, const Entity& entity, const Row& from, const Row& to) {
    std::vector<Change> changes;
    for (std::size_t i = 0; i < to.values.size(); ++i) {
        const FieldSpec& field = entity.spec.fields[i];
        if (from.values[i] == to.values[i]) continue;
        changes.push_back(is_short(field) ? radd::change(field.name,
                                                         shown(model, field, from.values[i]),
                                                         shown(model, field, to.values[i]))
                                          : hidden_change(field.name));
    }
    return changes;
}

}  // namespace

std::optional<Row> Store::find(const Entity& entity, std::int64_t id) {
    const std::string statement = sql::select_row(entity, false);
    const auto row = tx_.query_one(BuiltSql::of(statement), id);
    if (!row) return std::nullopt;
    return row_of(entity, *row);
}

std::vector<Row> Store::list(const Entity& entity,
                             const Given& filters,
                             std::int64_t after,
                             std::size_t limit) {
    std::vector<Row> rows;
    const auto statement = sql::list_rows(entity, fields_in(filters));
    for (const auto row : run(tx_, statement, {Param{after}, Param{limit}}, filters))
        rows.push_back(row_of(entity, row));
    return rows;
}

Row Store::locked(const Entity& entity, std::int64_t id, std::optional<std::int64_t> version) {
    const std::string statement = sql::select_row(entity, true);
    const auto found = tx_.query_one(BuiltSql::of(statement), id);
    if (!found)
        throw Missing{entity.spec.key, std::to_string(id) + " does not exist; it may be deleted"};
    Row row = row_of(entity, *found);
    if (version && *version != row.version)
        throw Conflict{"version",
                       "is " + std::to_string(row.version) + " and not " +
                           std::to_string(*version) +
                           ": somebody has changed it; read it again, then repeat your change"};
    return row;
}

/// What `id` is called where it is kept; two spellings of one id would be two parents.
std::string Store::existing(const FieldSpec& field, const std::string& id) {
    const std::string missing = "there is no " + field.references + ' ' + config::shown(id);
    if (const Entity* target = model_.find(field.references)) {
        const auto number = id_in(id);
        if (!number || !find(*target, *number)) throw InvalidInput{field.name, missing};
        return std::to_string(*number);
    }
    const Model::RefOf* ref_of = model_.ref_of(field.references);
    if (ref_of == nullptr)
        throw ConfigError{"entity '" + field.references + "' is described by no loaded plugin"};
    tx_.query(sql::hold_named, field.references, id);
    const auto refs = (*ref_of)(tx_, std::span{&id, 1});
    if (refs.size() != 1 || !refs.front()) throw InvalidInput{field.name, missing};
    const json ref = json::parse(refs.front()->text(), nullptr, false);
    const auto own = ref.is_object() ? ref.find("id") : ref.end();
    if (!ref.is_object() || own == ref.end()) return id;
    if (own->is_number_integer()) return own->dump();
    return own->is_string() ? own->get<std::string>() : id;
}

Given Store::resolved(const Entity& entity, const Given& given) {
    Given result = given;
    for (auto& [index, value] : result) {
        const FieldSpec& field = entity.spec.fields[index];
        if (field.type == FieldType::reference && value) value = existing(field, *value);
    }
    return result;
}

Row Store::create(const Entity& entity, const Given& given) {
    for (std::size_t i = 0; i < entity.spec.fields.size(); ++i) {
        const FieldSpec& field = entity.spec.fields[i];
        const bool is_given = std::ranges::find(given, i, &Given::value_type::first) != given.end();
        if (!is_given && !field.nullable && !field.default_value)
            throw InvalidInput{field.name, "is missing"};
    }
    const Given values = resolved(entity, given);
    const Rows rows = run(tx_, sql::insert_row(entity, fields_in(values)), {}, values);
    Row row = row_of(entity, rows[0]);
    emit(entity.created, entity, row, std::nullopt);
    return row;
}

Row Store::change(const Entity& entity,
                  std::int64_t id,
                  const Given& given,
                  std::optional<std::int64_t> version) {
    const Row before = locked(entity, id, version);
    Given changed;
    for (const auto& [field, value] : given) {
        if (before.values[field] != value) changed.emplace_back(field, value);
    }
    changed = resolved(entity, changed);
    std::erase_if(changed, [&](const auto& one) { return before.values[one.first] == one.second; });
    if (changed.empty()) return before;
    const Rows rows = run(tx_, sql::update_row(entity, fields_in(changed)), {Param{id}}, changed);
    Row row = row_of(entity, rows[0]);
    emit(entity.updated, entity, row, diff(model_, entity, before, row));
    return row;
}

void Store::emit(EventType type,
                 const Entity& entity,
                 const Row& row,
                 std::optional<std::vector<Change>> changes) {
    NewEvent event{.type = type,
                   .entity = entity.type,
                   .entity_id = row.id,
                   .actor_id = actor_,
                   .changes = std::move(changes)};
    for (const std::size_t index : subject_fields(entity)) {
        const auto& id = row.values[index];
        const std::string& key = entity.spec.fields[index].references;
        if (!id) continue;
        event.subjects.push_back({detail::StoredNames::entity(key), EntityId{*id}});
        if (key == project_key) event.project_id = id_in(*id);
    }
    tx_.emit(event);
}

std::vector<std::size_t> subject_fields(const Entity& entity) {
    std::map<std::string_view, std::vector<std::size_t>> by_key;
    for (std::size_t i = 0; i < entity.spec.fields.size(); ++i) {
        const FieldSpec& field = entity.spec.fields[i];
        if (field.type == FieldType::reference) by_key[field.references].push_back(i);
    }
    std::vector<std::size_t> fields;
    for (const auto& [key, indexes] : by_key) {
        // A payload has one place for each entity type, and the entity itself has the one of its
        // own.
        if (indexes.size() == 1 && key != entity.spec.key) fields.push_back(indexes.front());
    }
    return fields;
}

std::vector<std::optional<JsonText>> refs_of(const Model& model,
                                             const Entity& entity,
                                             Transaction& tx,
                                             std::span<const std::string> ids) {
    const auto rows = rows_of(entity, tx, ids);
    std::vector<std::optional<JsonText>> refs;
    for (const auto& id : ids) {
        const auto found = rows.find(id);
        if (found == rows.end()) {
            refs.emplace_back();
            continue;
        }
        json ref{{"id", found->second.id}};
        for (std::size_t i = 0; i < entity.spec.fields.size(); ++i) {
            const FieldSpec& field = entity.spec.fields[i];
            if (is_short(field)) ref[field.name] = shown(model, field, found->second.values[i]);
        }
        refs.emplace_back(JsonText{ref});
    }
    return refs;
}

std::vector<std::optional<SearchDocument>> documents_of(const Entity& entity,
                                                        Transaction& tx,
                                                        std::span<const std::string> ids) {
    const auto rows = rows_of(entity, tx, ids);
    std::vector<std::optional<SearchDocument>> documents;
    for (const auto& id : ids) {
        const auto found = rows.find(id);
        if (found == rows.end()) {
            documents.emplace_back();
            continue;
        }
        SearchDocument document;
        for (const std::string& name : entity.spec.searchable) {
            const FieldSpec* field = entity.field(name);
            const auto index = static_cast<std::size_t>(field - entity.spec.fields.data());
            const auto& value = found->second.values[index];
            if (&name == &entity.spec.searchable.front())
                document.title = value.value_or("");
            else if (value)
                document.text += *value + '\n';
        }
        documents.emplace_back(std::move(document));
    }
    return documents;
}

json row_json(const Model& model, const Entity& entity, const Row& row) {
    json result{{"id", row.id},
                {"version", row.version},
                {"created_at", row.created_at},
                {"updated_at", row.updated_at}};
    for (std::size_t i = 0; i < entity.spec.fields.size(); ++i) {
        const FieldSpec& field = entity.spec.fields[i];
        result[field.name] = shown(model, field, row.values[i]);
    }
    return result;
}

}  // namespace radd::entities
