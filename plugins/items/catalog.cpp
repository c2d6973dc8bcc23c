#include "catalog.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>

#include "sql.hpp"
#include "text.hpp"
#include <items/events.hpp>
#include <radd/typed_event.hpp>

namespace items {
namespace {

using Refs = std::vector<std::optional<radd::JsonText>>;

/// One query for all ids. Ids come from whoever emits or reads, so one that cannot be an id is a
/// row that is not there, and no error of the whole statement.
Refs refs(radd::Transaction& tx,
          radd::Sql statement,
          std::span<const std::string> ids,
          bool (*well_formed)(std::string_view)) {
    std::vector<std::string> asked;
    for (const auto& id : ids) {
        if (well_formed(id)) asked.push_back(id);
    }
    std::map<std::string, std::string> found;
    for (const auto& row : tx.query(statement, radd::text_array(asked)))
        found.emplace(row.text("id"), row.text("ref"));

    Refs result;
    for (const auto& id : ids) {
        const auto ref = found.find(id);
        if (ref == found.end()) {
            result.emplace_back();
        } else {
            result.emplace_back(radd::JsonText{ref->second});
        }
    }
    return result;
}

}  // namespace

std::vector<radd::EventTypeSpec> event_types() {
    const std::string items = "Items";
    const std::string people = "Projects and people";
    return {
        radd::event_spec<ItemEvent::created>(
            {.label = "Item created", .group = items, .item_scoped = true}),
        radd::event_spec<ItemEvent::updated>(
            {.label = "Item changed", .group = items, .item_scoped = true}),
        radd::event_spec<ItemEvent::deleted>({.label = "Item deleted", .group = items}),
        radd::event_spec<CommentEvent::created>(
            {.label = "Comment added", .group = items, .item_scoped = true}),
        radd::event_spec<CommentEvent::updated>(
            {.label = "Comment changed", .group = items, .item_scoped = true}),
        radd::event_spec<CommentEvent::deleted>(
            {.label = "Comment deleted", .group = items, .item_scoped = true}),
        radd::event_spec<ProjectEvent::created>({.label = "Project created", .group = people}),
        radd::event_spec<ProjectEvent::updated>({.label = "Project renamed", .group = people}),
        radd::event_spec<ProjectEvent::deleted>({.label = "Project deleted", .group = people}),
        radd::event_spec<PersonEvent::created>({.label = "Person added", .group = people}),
        radd::event_spec<PersonEvent::updated>({.label = "Person changed", .group = people}),
    };
}

std::vector<radd::EntityRefSpec> entity_refs() {
    using Ids = std::span<const std::string>;
    return {
        {.entity_type = ItemEntity::item,
         .label = "Item",
         .ref = [](radd::Transaction& tx,
                   Ids ids) { return refs(tx, sql::select_item_refs, ids, is_id); },
         .url = "/items/{id}"},
        {.entity_type = ItemEntity::comment,
         .label = "Comment",
         .ref = [](radd::Transaction& tx,
                   Ids ids) { return refs(tx, sql::select_comment_refs, ids, is_id); }},
        {.entity_type = ItemEntity::project,
         .label = "Project",
         .ref = [](radd::Transaction& tx,
                   Ids ids) { return refs(tx, sql::select_project_refs, ids, is_id); },
         .url = "/projects/{id}"},
        {.entity_type = ItemEntity::person,
         .label = "Person",
         .ref = [](radd::Transaction& tx,
                   Ids ids) { return refs(tx, sql::select_person_refs, ids, is_uuid); },
         .url = "/people/{id}"},
    };
}

}  // namespace items
