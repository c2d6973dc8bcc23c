#include "entities.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>

#include "sql.hpp"
#include <radd/percent.hpp>

namespace search {
namespace {

std::string url_of(const radd::EntityRefSpec& spec, const std::string& id) {
    constexpr std::string_view place = "{id}";
    const auto at = spec.url.find(place);
    if (at == std::string::npos) return spec.url;
    return std::string{spec.url}.replace(at, place.size(), radd::percent_encoded(id));
}

}  // namespace

Documents documents_of(radd::Transaction& tx,
                       const radd::EntityRefSpec& spec,
                       const std::vector<std::string>& ids) {
    auto documents = spec.document(tx, ids);
    documents.resize(ids.size());
    return documents;
}

void EntityIndex::write(radd::Transaction& tx,
                        std::string_view type,
                        std::string_view id,
                        const radd::SearchDocument& document,
                        std::int64_t as_of) const {
    tx.execute(sql::index_entity, type, id, document.title, document.text, configuration_, as_of);
}

void EntityIndex::refresh(radd::Transaction& tx, const radd::Event& event) const {
    const auto* spec = catalog_.entity(event.entity_type);
    if (spec == nullptr || !spec->document) return;
    if (tx.query_one(
            sql::select_entity, event.entity_type, event.entity_id, event.id, configuration_))
        return;
    // Before the document is read: whatever is settled now is in it.
    const auto settled = tx.query_one(sql::select_settled)->integer("settled");
    const auto documents = documents_of(tx, *spec, {event.entity_id});
    if (documents.front())
        write(tx,
              event.entity_type,
              event.entity_id,
              *documents.front(),
              std::max(settled, event.id));
    else
        tx.execute(sql::delete_entity, event.entity_type, event.entity_id);
}

std::int64_t EntityIndex::rebuild(radd::Transaction& tx, std::string& type, std::string& id) const {
    const auto settled = tx.query_one(sql::select_settled)->integer("settled");
    std::map<std::string, std::vector<std::string>> chunk;
    std::map<std::pair<std::string, std::string>, std::int64_t> as_of;
    std::int64_t count = 0;
    for (const auto& row : tx.query(sql::select_entities, type, id, chunk_entities)) {
        type = row.text("entity_type");
        id = row.text("entity_id");
        chunk[type].push_back(id);
        // What the index has seen is in the document too, which is read after it.
        as_of[{type, id}] = std::max(settled, row.integer("as_of"));
        ++count;
    }
    for (const auto& [name, ids] : chunk) {
        const auto* spec = catalog_.entity(name);
        // Of a plugin that is not loaded: it stays until that is back.
        if (spec == nullptr || !spec->document) continue;
        const auto documents = documents_of(tx, *spec, ids);
        for (std::size_t i = 0; i < ids.size(); ++i) {
            if (documents[i])
                write(tx, name, ids[i], *documents[i], as_of.at({name, ids[i]}));
            else
                tx.execute(sql::delete_entity, name, ids[i]);
        }
    }
    return count;
}

std::vector<EntityHit> EntityIndex::find(radd::Transaction& tx,
                                         const std::string& text,
                                         std::size_t limit) const {
    std::vector<std::string> types;
    for (const auto& entity : catalog_.entities()) {
        if (entity.spec->document) types.emplace_back(entity.spec->entity_type.name());
    }
    std::vector<EntityHit> hits;
    if (types.empty()) return hits;
    for (const auto& row : tx.query(sql::search_entities,
                                    configuration_,
                                    text,
                                    radd::text_array(types),
                                    static_cast<std::int64_t>(limit)))
        hits.push_back({.type = row.text("entity_type"),
                        .id = row.text("entity_id"),
                        .label = {},
                        .title = {},
                        .url = {},
                        .rank = row.text("rank")});
    describe(tx, text, hits);
    return hits;
}

/// Takes out what is gone and was not heard of yet.
void EntityIndex::describe(radd::Transaction& tx,
                           const std::string& text,
                           std::vector<EntityHit>& hits) const {
    std::map<std::string, std::vector<std::string>> ids;
    for (const EntityHit& hit : hits) ids[hit.type].push_back(hit.id);
    std::map<std::pair<std::string, std::string>, radd::SearchDocument> documents;
    for (const auto& [type, of_type] : ids) {
        const auto found = documents_of(tx, *catalog_.entity(type), of_type);
        for (std::size_t i = 0; i < of_type.size(); ++i) {
            if (found[i]) documents.emplace(std::pair{type, of_type[i]}, *found[i]);
        }
    }
    std::erase_if(hits, [&](const EntityHit& hit) {
        return !documents.contains({hit.type, hit.id});
    });
    std::vector<std::string> texts;
    for (EntityHit& hit : hits) {
        const auto* spec = catalog_.entity(hit.type);
        auto& document = documents.at({hit.type, hit.id});
        hit.label = spec->label;
        hit.url = url_of(*spec, hit.id);
        hit.title = std::move(document.title);
        texts.push_back(std::move(document.text));
    }
    if (hits.empty()) return;
    for (const auto& row : tx.query(
             sql::text_snippets, configuration_, text, radd::text_array(texts), snippet_text_max)) {
        const auto at = static_cast<std::size_t>(row.integer("place") - 1);
        hits.at(at).snippet = pieces_of(row.text("snippet"));
    }
}

}  // namespace search
