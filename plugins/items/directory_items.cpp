// Items: each function checks, locks, writes, emits, in this order.

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

constexpr Length name_length{.min = 1, .max = name_length_max};

void check_contact(const std::optional<Contact>& contact) {
    if (!contact) return;
    check_email("contact", contact->email);
    if (contact->name) check_text("contact", *contact->name, name_length);
}

/// As they are stored: sorted, none twice, so that two lists compare as the sets they are.
std::vector<std::string> checked_labels(std::vector<std::string> labels) {
    if (labels.size() > labels_max)
        throw radd::InvalidInput{
            "labels",
            std::to_string(labels.size()) + " given; allowed are " + std::to_string(labels_max)};
    for (const auto& label : labels)
        check_text("labels", label, {.min = 1, .max = label_length_max});
    std::ranges::sort(labels);
    const auto repeated = std::ranges::unique(labels);
    labels.erase(repeated.begin(), repeated.end());
    return labels;
}

void check_item(const NewItem& item) {
    check_text("title", item.title, {.min = 1, .max = title_length_max});
    check_text("description", item.description, {.min = 0, .max = text_length_max});
    check_text("type", item.type, name_length);
    if (item.priority) check_text("priority", *item.priority, name_length);
    check_contact(item.contact);
    if (item.number && *item.number < 1)
        throw radd::InvalidInput{"number", std::to_string(*item.number) + " is below 1"};
    if (!item.source) return;
    check_text("source", item.source->source, {.min = 1, .max = source_length_max});
    check_text("source_id", item.source->id, {.min = 1, .max = source_length_max});
}

void check_patch(const ItemPatch& patch) {
    if (patch.title) check_text("title", *patch.title, {.min = 1, .max = title_length_max});
    if (patch.description)
        check_text("description", *patch.description, {.min = 0, .max = text_length_max});
    if (patch.type) check_text("type", *patch.type, name_length);
    if (patch.priority && *patch.priority) check_text("priority", **patch.priority, name_length);
    if (patch.contact) check_contact(*patch.contact);
}

State state_named(radd::Transaction& tx, Directory& directory, const std::string& name) {
    check_text("state", name, name_length);
    const auto state = directory.find_state(tx, name);
    if (!state) throw radd::InvalidInput{"state", "there is no state '" + name + "'"};
    return *state;
}

State first_state(radd::Transaction& tx) {
    const auto row = tx.query_one(sql::select_first_state);
    if (!row) throw radd::InvalidInput{"state", "there is none of category todo; name one"};
    return state_of(*row);
}

struct Number {
    std::string key;
    std::int64_t value;
};

Number allocate_number(radd::Transaction& tx,
                       ProjectId project,
                       std::optional<std::int64_t> wanted) {
    if (wanted) {
        const auto row = tx.query_one(sql::reserve_number, project, *wanted);
        if (row) return {.key = row->text("key"), .value = *wanted};
    }
    const auto row = tx.query_one(sql::take_number, project);
    if (!row)
        throw radd::InvalidInput{"project",
                                 std::to_string(project) + " does not exist; it may be deleted"};
    return {.key = row->text("key"), .value = row->integer("number")};
}

/// Which stays there until the commit.
ItemName parent_named(radd::Transaction& tx, ItemId id) {
    const auto row = tx.query_one(sql::hold_item, id);
    if (!row) throw radd::InvalidInput{"parent", std::to_string(id) + " does not exist"};
    return {.id = id, .key = row->text("key")};
}

/// The new parent of `item`, when it may be one.
ItemName checked_parent(radd::Transaction& tx, const Item& item, ItemId parent) {
    if (parent == item.id)
        throw radd::InvalidInput{"parent", item.key + " cannot be its own parent"};
    tx.query(sql::lock_parents);
    const auto chain = tx.query(sql::select_ancestors, parent, parents_deep_max);
    for (const auto& row : chain) {
        if (row.integer("id") == item.id)
            throw radd::InvalidInput{"parent", item.key + " would become its own ancestor"};
    }
    if (chain.size() >= parents_deep_max)
        throw radd::InvalidInput{
            "parent", "the chain would be longer than " + std::to_string(parents_deep_max)};
    return parent_named(tx, parent);
}

std::optional<PersonName> optional_person(radd::Transaction& tx,
                                          std::string_view field,
                                          const std::optional<PersonId>& id) {
    if (!id) return std::nullopt;
    return person_named(tx, field, *id);
}

/// `item` with the patch applied and every name in it resolved.
Item patched(radd::Transaction& tx, Directory& directory, Item item, const ItemPatch& patch) {
    if (patch.title) item.title = *patch.title;
    if (patch.description) item.description = *patch.description;
    if (patch.type) item.type = *patch.type;
    if (patch.state) item.state = state_named(tx, directory, *patch.state);
    if (patch.priority) item.priority = *patch.priority;
    if (patch.reporter) item.reporter = optional_person(tx, "reporter", *patch.reporter);
    if (patch.assignee) item.assignee = optional_person(tx, "assignee", *patch.assignee);
    if (patch.contact) item.contact = *patch.contact;
    if (patch.labels) item.labels = checked_labels(*patch.labels);
    if (patch.parent && !*patch.parent) item.parent.reset();
    if (patch.parent && *patch.parent && (!item.parent || item.parent->id != **patch.parent))
        item.parent = checked_parent(tx, item, **patch.parent);
    return item;
}

void write(radd::Transaction& tx, const Item& item, const Act& act) {
    const auto id_of = [](const auto& named) {
        return named ? std::optional{named->id} : std::nullopt;
    };
    std::optional<std::string> email;
    std::optional<std::string> name;
    if (item.contact) {
        email = item.contact->email;
        name = item.contact->name;
    }
    tx.execute(sql::update_item,
               item.id,
               item.type,
               item.title,
               item.description,
               item.state.name,
               item.priority,
               id_of(item.reporter),
               id_of(item.assignee),
               email,
               name,
               id_of(item.parent),
               radd::text_array(item.labels),
               microseconds(act.at));
}

std::optional<Item> first_item(const radd::OnlyRow& row) {
    if (!row) return std::nullopt;
    return item_of(*row);
}

}  // namespace

Item SqlDirectory::create_item(radd::Transaction& tx, const NewItem& item, const Act& act) {
    check_item(item);
    const auto labels = checked_labels(item.labels);
    const State state = item.state ? state_named(tx, *this, *item.state) : first_state(tx);
    if (item.reporter) (void)person_named(tx, "reporter", *item.reporter);
    if (item.assignee) (void)person_named(tx, "assignee", *item.assignee);
    const Number number = allocate_number(tx, item.project_id, item.number);
    if (item.parent) (void)parent_named(tx, *item.parent);

    std::optional<std::string> contact_email;
    std::optional<std::string> contact_name;
    if (item.contact) {
        contact_email = item.contact->email;
        contact_name = item.contact->name;
    }
    std::optional<std::string> source;
    std::optional<std::string> source_id;
    if (item.source) {
        source = item.source->source;
        source_id = item.source->id;
    }
    const auto row = tx.query_one(sql::insert_item,
                                  item.project_id,
                                  number.value,
                                  number.key + "-" + std::to_string(number.value),
                                  item.title,
                                  item.description,
                                  item.type,
                                  state.name,
                                  item.priority,
                                  item.reporter,
                                  item.assignee,
                                  contact_email,
                                  contact_name,
                                  item.parent,
                                  radd::text_array(labels),
                                  source,
                                  source_id,
                                  microseconds(act.at),
                                  microseconds(item.updated_at),
                                  microseconds(item.resolved_at));
    Item created = *find_item(tx, row->integer("id"));
    emit_item<ItemEvent::created>(tx, created, act);
    return created;
}

std::vector<radd::Change> SqlDirectory::update_item(radd::Transaction& tx,
                                                    ItemId id,
                                                    const ItemPatch& patch,
                                                    const Act& act) {
    check_patch(patch);

    if (patch.parent) tx.query(sql::hold_project_of, id);
    const Item before = locked_item(tx, id);
    const Item after = patched(tx, *this, before, patch);
    auto changes = diff(before, after);
    if (changes.empty()) return changes;
    write(tx, after, act);

    const auto told = [&patch](const radd::Change& change) {
        return std::ranges::find(patch.told, change.field) != patch.told.end();
    };
    std::vector<radd::Change> news;
    std::ranges::remove_copy_if(changes, std::back_inserter(news), told);
    if (!news.empty()) emit_item<ItemEvent::updated>(tx, after, act, std::move(news));
    return changes;
}

void SqlDirectory::record_change(radd::Transaction& tx,
                                 ItemId id,
                                 std::vector<radd::Change> changes,
                                 const Act& act) {
    const Item item = locked_item(tx, id);
    emit_item<ItemEvent::updated>(tx, item, act, std::move(changes));
}

void SqlDirectory::delete_item(radd::Transaction& tx, ItemId id, const Act& act) {
    tx.query(sql::hold_project_of, id);
    const Item item = locked_item(tx, id);
    const auto children = tx.query(sql::lock_children, id);
    for (const auto& child : children)
        (void)update_item(tx, child.integer("id"), {.parent = std::optional<ItemId>{}}, act);
    // While the row is there: its ref is the last thing anybody will learn about it.
    emit_item<ItemEvent::deleted>(tx, item, act);
    tx.execute(sql::delete_item, id);
}

std::optional<Item> SqlDirectory::find_item(radd::Transaction& tx, ItemId id) {
    return first_item(tx.query_one(sql::select_item, id, nullptr, nullptr, nullptr));
}

std::optional<Item> SqlDirectory::find_item(radd::Transaction& tx, std::string_view key) {
    return first_item(tx.query_one(sql::select_item, nullptr, key, nullptr, nullptr));
}

std::optional<Item> SqlDirectory::find_item(radd::Transaction& tx, const SourceId& source) {
    return first_item(tx.query_one(sql::select_item, nullptr, nullptr, source.source, source.id));
}

std::vector<Item> SqlDirectory::list_items(radd::Transaction& tx, const ItemFilter& filter) {
    const auto limit = std::min(filter.limit, list_rows_max);
    std::vector<Item> items;
    for (const auto& row :
         tx.query(sql::list_items, filter.project_id, filter.after.value_or(0), limit))
        items.push_back(item_of(row));
    return items;
}

}  // namespace items
