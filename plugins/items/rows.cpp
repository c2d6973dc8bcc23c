#include "rows.hpp"

#include <string>

#include "refusals.hpp"
#include "sql.hpp"
#include "text.hpp"

namespace items {
namespace {

radd::Timestamp time_of(std::int64_t microseconds) {
    return radd::Timestamp{std::chrono::microseconds{microseconds}};
}

Category category_of(std::string_view name) {
    for (const auto category : {Category::todo, Category::doing, Category::done}) {
        if (name == name_of(category)) return category;
    }
    throw radd::SchemaError{"items.states: unknown category '" + std::string{name} + "'"};
}

std::optional<PersonName> optional_person(const radd::Row& row,
                                          std::string_view id,
                                          std::string_view name) {
    if (row.is_null(id)) return std::nullopt;
    return PersonName{.id = row.text(id), .name = row.text(name)};
}

std::optional<Contact> optional_contact(const radd::Row& row) {
    if (row.is_null("contact_email")) return std::nullopt;
    return Contact{.email = row.text("contact_email"), .name = row.optional_text("contact_name")};
}

std::optional<ItemName> optional_parent(const radd::Row& row) {
    if (row.is_null("parent_id")) return std::nullopt;
    return ItemName{.id = row.integer("parent_id"), .key = row.text("parent_key")};
}

}  // namespace

Item item_of(const radd::Row& row) {
    Item item{.id = row.integer("id"),
              .project = {.id = row.integer("project_id"),
                          .key = row.text("project_key"),
                          .name = row.text("project_name")},
              .key = row.text("key"),
              .type = row.text("type"),
              .title = row.text("title"),
              .description = row.text("description"),
              .state = {.name = row.text("state"), .category = category_of(row.text("category"))},
              .priority = row.optional_text("priority"),
              .reporter = optional_person(row, "reporter_id", "reporter_name"),
              .assignee = optional_person(row, "assignee_id", "assignee_name"),
              .contact = optional_contact(row),
              .parent = optional_parent(row),
              .labels = radd::json::parse(row.text("labels")),
              .created_at = time_of(row.integer("created_us")),
              .updated_at = time_of(row.integer("updated_us"))};
    if (const auto resolved = row.optional_integer("resolved_us"))
        item.resolved_at = time_of(*resolved);
    return item;
}

Project project_of(const radd::Row& row) {
    return {.id = row.integer("id"), .key = row.text("key"), .name = row.text("name")};
}

Person person_of(const radd::Row& row) {
    return {.id = row.text("id"), .name = row.text("name"), .email = row.optional_text("email")};
}

State state_of(const radd::Row& row) {
    return {.name = row.text("name"), .category = category_of(row.text("category"))};
}

Comment comment_of(const radd::Row& row) {
    return {.id = row.integer("id"),
            .item = {.id = row.integer("item_id"), .key = row.text("item_key")},
            .author = optional_person(row, "author_id", "author_name"),
            .body = row.text("body"),
            .created_at = time_of(row.integer("created_us")),
            .updated_at = time_of(row.integer("updated_us"))};
}

std::optional<std::int64_t> microseconds(const std::optional<radd::Timestamp>& at) {
    if (!at) return std::nullopt;
    return at->time_since_epoch().count();
}

Item locked_item(radd::Transaction& tx, ItemId id) {
    // Two statements, because the second one then sees what the holder of the lock committed.
    const bool found = static_cast<bool>(tx.query_one(sql::lock_item, id));
    if (found) {
        const auto row = tx.query_one(sql::select_item, id, nullptr, nullptr, nullptr);
        return item_of(*row);
    }
    throw Missing{"item", std::to_string(id) + " does not exist; it may be deleted"};
}

PersonName person_named(radd::Transaction& tx, std::string_view field, const PersonId& id) {
    if (!is_uuid(id))
        throw radd::InvalidInput{std::string{field}, "'" + id + "' is no uuid of a person"};
    const auto row = tx.query_one(sql::select_person, id);
    if (!row) throw radd::InvalidInput{std::string{field}, "person " + id + " does not exist"};
    return {.id = row->text("id"), .name = row->text("name")};
}

}  // namespace items
