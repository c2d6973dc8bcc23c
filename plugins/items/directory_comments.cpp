// Comments and watchers. Each takes the row lock of the item first: what hangs on an item has its
// place in the order of that item's events.

#include <algorithm>
#include <string>

#include "directory.hpp"
#include "item_diff.hpp"
#include "refusals.hpp"
#include "rows.hpp"
#include "sql.hpp"
#include "text.hpp"

namespace items {
namespace {

constexpr Length body_length{.min = 1, .max = text_length_max};

template <CommentEvent event>
void emit_comment(radd::Transaction& tx,
                  CommentId id,
                  const Item& item,
                  const Act& act,
                  radd::ChangesOf<event> changes = {}) {
    tx.emit(radd::NewEventOf<event>{.entity_id = id,
                                    .actor_id = act.actor,
                                    .subjects = {{ItemEntity::item, item.id}},
                                    .changes = std::move(changes),
                                    .occurred_at = act.at,
                                    .project_id = item.project.id});
}

struct StoredComment {
    Item item;
    std::string body;
};

/// The comment and its item, both locked. A comment never moves to another item, so the first,
/// unlocked look at its item_id is as good as any.
StoredComment locked_comment(radd::Transaction& tx, CommentId id) {
    const auto owner = tx.query_one(sql::select_comment_item, id);
    if (owner) {
        Item item = locked_item(tx, owner->integer("item_id"));
        const auto row = tx.query_one(sql::lock_comment, id);
        if (row) return {.item = std::move(item), .body = row->text("body")};
    }
    throw Missing{"comment", std::to_string(id) + " does not exist; it may be deleted"};
}

void emit_watchers(radd::Transaction& tx, const Item& item, radd::Change change, const Act& act) {
    emit_item<ItemEvent::updated>(tx, item, act, std::vector{std::move(change)});
}

}  // namespace

Comment SqlDirectory::add_comment(radd::Transaction& tx,
                                  ItemId item_id,
                                  std::string_view body,
                                  const Act& act,
                                  const std::optional<SourceId>& source) {
    check_text("body", body, body_length);
    std::optional<PersonName> author;
    if (act.actor) author = person_named(tx, "author", *act.actor);
    std::optional<std::string> source_name;
    std::optional<std::string> source_id;
    if (source) {
        check_text("source", source->source, {.min = 1, .max = source_length_max});
        check_text("source_id", source->id, {.min = 1, .max = source_length_max});
        source_name = source->source;
        source_id = source->id;
    }

    const Item item = locked_item(tx, item_id);
    const auto row = tx.query_one(sql::insert_comment,
                                  item_id,
                                  act.actor,
                                  body,
                                  source_name,
                                  source_id,
                                  microseconds(act.at));
    const CommentId id = row->integer("id");
    emit_comment<CommentEvent::created>(tx, id, item, act);
    const radd::Timestamp at{std::chrono::microseconds{row->integer("created_us")}};
    return {.id = id,
            .item = {.id = item_id, .key = item.key},
            .author = std::move(author),
            .body = std::string{body},
            .created_at = at,
            .updated_at = at};
}

bool SqlDirectory::update_comment(radd::Transaction& tx,
                                  CommentId id,
                                  std::string_view body,
                                  const Act& act) {
    check_text("body", body, body_length);

    const auto before = locked_comment(tx, id);
    if (before.body == body) return false;
    tx.execute(sql::update_comment, id, body, microseconds(act.at));
    emit_comment<CommentEvent::updated>(
        tx, id, before.item, act, std::vector{radd::hidden_change("body")});
    return true;
}

void SqlDirectory::delete_comment(radd::Transaction& tx, CommentId id, const Act& act) {
    const auto before = locked_comment(tx, id);
    // While the row is there, as in delete_item().
    emit_comment<CommentEvent::deleted>(tx, id, before.item, act);
    tx.execute(sql::delete_comment, id);
}

std::optional<Comment> SqlDirectory::find_comment(radd::Transaction& tx, const SourceId& source) {
    const auto row = tx.query_one(sql::select_comment, nullptr, source.source, source.id);
    if (!row) return std::nullopt;
    return comment_of(*row);
}

std::optional<Comment> SqlDirectory::find_comment(radd::Transaction& tx, CommentId id) {
    const auto row = tx.query_one(sql::select_comment, id, nullptr, nullptr);
    if (!row) return std::nullopt;
    return comment_of(*row);
}

std::vector<Comment> SqlDirectory::list_comments(radd::Transaction& tx,
                                                 ItemId item,
                                                 const Page<CommentId>& page) {
    const auto limit = std::min(page.limit, list_rows_max);
    if (page.after && !tx.query_one(sql::has_comment, item, *page.after))
        throw radd::InvalidInput{
            "after",
            "comment " + std::to_string(*page.after) + " is not there any more; start again"};
    std::vector<Comment> comments;
    for (const auto& row : tx.query(sql::list_comments, item, page.after, limit))
        comments.push_back(comment_of(row));
    return comments;
}

bool SqlDirectory::watch(radd::Transaction& tx,
                         ItemId item_id,
                         const PersonId& person,
                         const Act& act) {
    const auto watcher = person_named(tx, "person", person);
    const Item item = locked_item(tx, item_id);
    if (tx.execute(sql::insert_watcher, item_id, person) == 0) return false;
    emit_watchers(tx,
                  item,
                  radd::list_change(
                      "watchers", radd::json::array({person_value(watcher)}), radd::json::array()),
                  act);
    return true;
}

bool SqlDirectory::unwatch(radd::Transaction& tx,
                           ItemId item_id,
                           const PersonId& person,
                           const Act& act) {
    const auto watcher = person_named(tx, "person", person);
    const Item item = locked_item(tx, item_id);
    if (tx.execute(sql::delete_watcher, item_id, person) == 0) return false;
    emit_watchers(tx,
                  item,
                  radd::list_change(
                      "watchers", radd::json::array(), radd::json::array({person_value(watcher)})),
                  act);
    return true;
}

std::vector<PersonName> SqlDirectory::list_watchers(radd::Transaction& tx, ItemId item) {
    std::vector<PersonName> watchers;
    for (const auto& row : tx.query(sql::list_watchers, item, list_rows_max))
        watchers.push_back({.id = row.text("id"), .name = row.text("name")});
    return watchers;
}

}  // namespace items
