// The second pass: parents, when every issue that the file holds is there.

#include <map>

#include "import.hpp"
#include <radd/error.hpp>

namespace importer {
namespace {

Problem unlinked(const std::string& key, const std::string& why) {
    return {.key = key, .field = "parent", .text = why + "; imported without it"};
}

}  // namespace

std::set<std::string> ids_on_rings(const std::map<std::string, std::string>& parents) {
    std::set<std::string> on_rings;
    // Which walk an id was met on. One that meets its own traces has walked into a ring; one that
    // meets another's knows that the other has been where it would go.
    std::map<std::string, std::size_t> walks;
    std::size_t walk = 0;
    for (const auto& [start, parent_of_start] : parents) {
        ++walk;
        std::string id = start;
        auto above = parents.find(id);
        while (above != parents.end() && walks.try_emplace(id, walk).second) {
            id = above->second;
            above = parents.find(id);
        }
        if (above == parents.end() || walks.at(id) != walk) continue;
        for (const auto ring = id; on_rings.insert(id).second && parents.at(id) != ring;)
            id = parents.at(id);
    }
    return on_rings;
}

void Import::import_parents(const Transactor& transact, std::size_t first, std::size_t count) {
    transact_part(transact, [&](radd::Transaction& tx, Part& part) {
        for (std::size_t at = first; at < first + count; ++at) link(tx, children_[at], part);
    });
}

std::optional<items::ItemId> Import::parent_of(radd::Transaction& tx,
                                               const Child& child,
                                               Part& part) {
    if (!child.wanted) return std::nullopt;
    const auto refuse = [&](const std::string& why) {
        part.warnings.push_back(unlinked(child.key, why));
        return std::nullopt;
    };
    if (child.wanted->id == child.id) return refuse("is the issue itself");
    if (rings_.contains(child.id)) return refuse(child.wanted->key + " is also its descendant");
    const auto parent = directory_.find_item(tx, source_id(child.wanted->id));
    if (!parent) return refuse(child.wanted->key + " is neither in the file nor imported before");
    return parent->id;
}

void Import::link(radd::Transaction& tx, const Child& child, Part& part) {
    const auto parent = parent_of(tx, child, part);
    if (parent == child.parent) return;

    items::ItemPatch patch{.parent = parent};
    if (child.is_told) patch.told = {"parent"};
    try {
        (void)tx.in_savepoint(
            [&] { return directory_.update_item(tx, child.item, patch, child.act); });
    } catch (const radd::InvalidInput& error) {
        part.warnings.push_back(unlinked(child.key, error.what()));
        return;
    }
    if (child.created && parent) {
        journal_->set_parent(tx, child.item, *parent);
    } else {
        const radd::json before{
            {"parent", child.parent ? radd::json(*child.parent) : radd::json()}};
        const radd::json after{{"parent", parent ? radd::json(*parent) : radd::json()}};
        part.writes.push_back({.kind = "item",
                               .entity_id = std::to_string(child.item),
                               .item = child.item,
                               .before = before,
                               .after = digests(after)});
    }
    if (!child.is_told) ++part.events;
    if (child.changed) return;
    --part.unchanged;
    ++part.updated;
}

}  // namespace importer
