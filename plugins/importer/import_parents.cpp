// The second pass: parents, when every issue that the file holds is there.

#include <algorithm>
#include <map>

#include "import.hpp"
#include <radd/error.hpp>

namespace importer {
namespace {

Problem unlinked(const Issue& issue, const std::string& why) {
    return {.key = issue.key, .field = "parent", .text = why + "; imported without it"};
}

}  // namespace

std::set<std::string> ids_on_rings(const std::vector<Issue>& issues) {
    std::map<std::string, std::string> parents;
    for (const auto& issue : issues) {
        if (issue.parent) parents[issue.id] = issue.parent->id;
    }
    std::set<std::string> on_rings;
    for (const auto& [id, parent] : parents) {
        // At most as many steps as there are issues: a ring that `id` only leads to has no end.
        std::string above = parent;
        for (std::size_t step = 0; step < parents.size() && above != id; ++step) {
            const auto next = parents.find(above);
            if (next == parents.end()) break;
            above = next->second;
        }
        if (above == id) on_rings.insert(id);
    }
    return on_rings;
}

void Import::import_parents(const Transactor& transact, std::size_t first, std::size_t count) {
    transact_part(transact, [&](radd::Transaction& tx, Report& part) {
        for (std::size_t at = first; at < first + count; ++at) link(tx, imported_[at], part);
    });
}

std::optional<items::ItemId> Import::parent_of(radd::Transaction& tx,
                                               const Issue& issue,
                                               Report& part) {
    if (!issue.parent) return std::nullopt;
    const auto refuse = [&](const std::string& why) {
        part.warnings.push_back(unlinked(issue, why));
        return std::nullopt;
    };
    if (issue.parent->id == issue.id) return refuse("is the issue itself");
    if (rings_.contains(issue.id)) return refuse(issue.parent->key + " is also its descendant");
    const auto parent = directory_.find_item(tx, source_id(issue.parent->id));
    if (!parent) return refuse(issue.parent->key + " is neither in the file nor imported before");
    return parent->id;
}

void Import::link(radd::Transaction& tx, const Imported& imported, Report& part) {
    const Issue& issue = *imported.issue;
    const auto parent = parent_of(tx, issue, part);
    if (parent == imported.parent) return;

    items::Act act{.at = issue.updated};
    if (imported.created) act = {.actor = person(issue.creator), .at = issue.created};
    try {
        (void)tx.in_savepoint([&] {
            return directory_.update_item(
                tx, imported.id, {.parent = parent, .told = imported.told}, act);
        });
    } catch (const radd::InvalidInput& error) {
        part.warnings.push_back(unlinked(issue, error.what()));
        return;
    }
    const bool told = std::ranges::find(imported.told, "parent") != imported.told.end();
    if (!told) ++part.events;
    if (imported.changed) return;
    --part.unchanged;
    ++part.updated;
}

}  // namespace importer
