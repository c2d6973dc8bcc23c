// Projects. Whoever adds an item to one holds its row, and so does whoever deletes it.

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "directory.hpp"
#include "refusals.hpp"
#include "rows.hpp"
#include "sql.hpp"
#include "text.hpp"

namespace items {
namespace {

constexpr Length name_length{.min = 1, .max = name_length_max};

template <ProjectEvent event>
void emit_project(radd::Transaction& tx,
                  ProjectId id,
                  const Act& act,
                  radd::ChangesOf<event> changes = {}) {
    tx.emit(radd::NewEventOf<event>{.entity_id = id,
                                    .actor_id = act.actor,
                                    .changes = std::move(changes),
                                    .occurred_at = act.at,
                                    .project_id = id});
}

/// By item; an item without a parent has none.
using Parents = std::map<ItemId, std::optional<ItemId>>;

std::size_t depth_of(const Parents& parents, ItemId id) {
    std::size_t depth = 0;
    // A ring, which only foreign hands can make, is no reason to walk for ever.
    for (auto at = parents.find(id); at != parents.end() && at->second && depth < parents.size();
         ++depth)
        at = parents.find(*at->second);
    return depth;
}

std::vector<ItemId> children_first(const Parents& parents) {
    std::vector<std::pair<std::size_t, ItemId>> by_depth;
    for (const auto& [id, parent] : parents) by_depth.emplace_back(depth_of(parents, id), id);
    std::ranges::stable_sort(
        by_depth, std::ranges::greater{}, [](const auto& entry) { return entry.first; });
    std::vector<ItemId> ids;
    for (const auto& [depth, id] : by_depth) ids.push_back(id);
    return ids;
}

[[noreturn]] void refuse_too_many(const std::string& what) {
    throw InUse{"items",
                "more than " + std::to_string(removal_items_max) + " " + what +
                    ", which is too much for one deletion of a project; delete some first"};
}

/// Refuses unless the items of the locked project may be deleted or there are none.
void check_count(radd::Transaction& tx, const Project& project, const ProjectRemoval& removal) {
    const auto count = tx.query_one(sql::count_items_of_project, project.id, removal_items_max + 1)
                           ->integer("items");
    if (count > static_cast<std::int64_t>(removal_items_max))
        refuse_too_many("are in " + project.key);
    if (count > 0 && !removal.with_items)
        throw InUse{"items",
                    project.key + " has " + std::to_string(count) +
                        (count == 1 ? " item" : " items") +
                        "; with_items=true deletes what is in it as well"};
}

/// Those of the locked project, locked, and so are their children in others.
Parents lock_items(radd::Transaction& tx, const Project& project) {
    Parents parents;
    std::vector<std::string> ids;
    for (const auto& row : tx.query(sql::lock_items_of_project, project.id)) {
        parents.emplace(row.integer("id"), row.optional_integer("parent_id"));
        ids.push_back(row.text("id"));
    }
    const auto left = removal_items_max - parents.size();
    const auto elsewhere =
        tx.query(sql::lock_children_elsewhere, project.id, radd::text_array(ids), left + 1);
    if (elsewhere.size() > left)
        refuse_too_many("are in " + project.key + " or have one of its items as their parent");
    return parents;
}

}  // namespace

Project SqlDirectory::create_project(radd::Transaction& tx,
                                     const NewProject& project,
                                     const Act& act) {
    check_project_key("key", project.key);
    check_text("name", project.name, name_length);

    const auto row = tx.query_one(sql::insert_project, project.key, project.name);
    if (!row) throw Taken{"key", "'" + project.key + "' is another project's; choose one"};
    const ProjectId id = row->integer("id");
    emit_project<ProjectEvent::created>(tx, id, act);
    return {.id = id, .key = project.key, .name = project.name};
}

bool SqlDirectory::rename_project(radd::Transaction& tx,
                                  ProjectId id,
                                  std::string_view name,
                                  const Act& act) {
    check_text("name", name, name_length);

    const auto row = tx.query_one(sql::lock_project, id);
    if (!row) throw Missing{"project", std::to_string(id) + " does not exist"};
    const std::string before = row->text("name");
    if (before == name) return false;
    tx.execute(sql::rename_project, id, name);
    emit_project<ProjectEvent::updated>(
        tx, id, act, std::vector{radd::change("name", before, std::string{name})});
    return true;
}

std::size_t SqlDirectory::delete_project(radd::Transaction& tx,
                                         ProjectId id,
                                         const ProjectRemoval& removal,
                                         const Act& act) {
    // With the row locked no item comes any more, and each that came is seen by what is read next.
    const auto row = tx.query_one(sql::lock_project, id);
    if (!row) throw Missing{"project", std::to_string(id) + " does not exist"};
    const Project project = project_of(*row);
    check_count(tx, project, removal);
    const auto items = children_first(lock_items(tx, project));

    for (const ItemId item : items) delete_item(tx, item, act);
    // While the row is there, as in delete_item().
    emit_project<ProjectEvent::deleted>(tx, id, act);
    tx.execute(sql::delete_project, id);
    return items.size();
}

std::optional<Project> SqlDirectory::find_project(radd::Transaction& tx, std::string_view key) {
    const auto row = tx.query_one(sql::select_project_by_key, key);
    if (!row) return std::nullopt;
    return project_of(*row);
}

std::vector<Project> SqlDirectory::list_projects(radd::Transaction& tx,
                                                 const Page<std::string>& page) {
    const auto limit = std::min(page.limit, list_rows_max);
    std::vector<Project> projects;
    for (const auto& row : tx.query(sql::list_projects, page.after.value_or(""), limit))
        projects.push_back(project_of(row));
    return projects;
}

}  // namespace items
