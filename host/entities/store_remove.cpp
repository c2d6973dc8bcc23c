// Deleting, with what refers to the deleted: the database itself deletes nothing that nobody would
// hear of.

#include <string>

#include <host/entities/column.hpp>
#include <host/entities/statements.hpp>
#include <host/entities/store.hpp>
#include <host/entities/stored_names.hpp>

namespace radd::entities {
namespace {

using detail::BuiltSql;

constexpr std::size_t shown_ids_max = 5;
/// Rows that refer to one parent, read at a time.
constexpr std::size_t slice_rows = 200;

constexpr std::string_view unique_violation = "23505";
constexpr std::string_view foreign_key_violation = "23503";

std::vector<std::int64_t> referring(Transaction& tx,
                                    const Referrer& referrer,
                                    const std::string& parent_id,
                                    std::size_t limit) {
    std::vector<std::int64_t> ids;
    const std::string statement = sql::select_referring(*referrer.entity, referrer.field);
    for (const auto row : tx.query(BuiltSql::of(statement), parent_id, limit))
        ids.push_back(row.integer("id"));
    return ids;
}

[[noreturn]] void refuse_kept(const Referrer& referrer, const std::vector<std::int64_t>& ids) {
    const FieldSpec& field = referrer.entity->spec.fields[referrer.field];
    std::string text = referrer.entity->spec.plural + " refer to it by '" + field.name + "' (id ";
    for (std::size_t i = 0; i < ids.size() && i < shown_ids_max; ++i)
        text += (i > 0 ? ", " : "") + std::to_string(ids[i]);
    if (ids.size() > shown_ids_max) text += ", …";
    throw Conflict{field.references, text + "); change or delete them first"};
}

}  // namespace

void Store::count(const Entity& entity, Removal& removal) {
    if (++removal.rows <= removal_rows_max || !removal.is_bounded) return;
    throw Conflict{entity.spec.key,
                   "more than " + std::to_string(removal_rows_max) +
                       " rows hang on it, which is too much for one request; delete some first"};
}

void Store::release(const Referrer& referrer, const std::string& parent_id, Removal& removal) {
    const Entity& entity = *referrer.entity;
    const FieldSpec& field = entity.spec.fields[referrer.field];
    if (field.on_delete == OnDelete::keep) {
        const auto ids = referring(tx_, referrer, parent_id, shown_ids_max + 1);
        // What is being deleted itself will refer to nothing.
        for (const auto id : ids) {
            if (!removal.deleted.contains({&entity, id})) refuse_kept(referrer, ids);
        }
        return;
    }
    for (std::size_t met = slice_rows; met == slice_rows;) {
        const auto ids = referring(tx_, referrer, parent_id, slice_rows);
        met = ids.size();
        bool is_stuck = true;
        for (const auto id : ids) {
            if (removal.deleted.contains({&entity, id})) continue;
            is_stuck = false;
            if (field.on_delete == OnDelete::cascade) {
                remove(entity, locked(entity, id, {}), removal);
            } else {
                count(entity, removal);
                (void)change(entity, id, {{referrer.field, std::nullopt}}, {});
            }
        }
        if (is_stuck) return;
    }
}

void Store::remove(const Entity& entity, const Row& row, Removal& removal) {
    removal.deleted.emplace(&entity, row.id);
    count(entity, removal);
    const std::string id = std::to_string(row.id);
    for (const Referrer& referrer : model_.referrers(entity.spec.key))
        release(referrer, id, removal);
    // While the row is there: its ref is the last thing anybody will learn about it.
    emit(entity.deleted, entity, row, std::nullopt);
    const std::string statement = sql::delete_row(entity);
    tx_.execute(BuiltSql::of(statement), row.id);
}

void Store::remove(const Entity& entity, std::int64_t id, std::optional<std::int64_t> version) {
    Removal removal;
    remove(entity, locked(entity, id, version), removal);
}

void Store::sweep(const Referrer& referrer, std::string_view parent_id) {
    const FieldSpec& field = referrer.entity->spec.fields[referrer.field];
    tx_.query(sql::await_namers, field.references, parent_id);
    Removal removal{.is_bounded = false};
    release(referrer, std::string{parent_id}, removal);
}

void rethrow_conflict(const Entity& entity, const SqlError& error) {
    const std::string_view text = error.what();
    for (const FieldSpec& field : entity.spec.fields) {
        if (error.sqlstate() == unique_violation &&
            text.find('"' + unique_name(entity, field) + '"') != std::string_view::npos)
            throw Conflict{field.name,
                           "is taken by another " + entity.spec.key + "; choose another"};
    }
    if (error.sqlstate() == foreign_key_violation)
        throw Conflict{entity.spec.key,
                       "something that it refers to, or that refers to it, was changed at the same "
                       "time; read it again"};
    throw;
}

}  // namespace radd::entities
