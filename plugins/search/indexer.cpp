#include "indexer.hpp"

#include <charconv>
#include <string>

#include <items/events.hpp>

namespace search {
namespace {

std::optional<std::int64_t> id_in(std::string_view text) {
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error != std::errc{} || end != text.data() + text.size() || id < 1) return std::nullopt;
    return id;
}

/// Of the item that a comment is on: `payload.item.id`, which SQL may have written as anything.
std::optional<std::int64_t> item_in(const radd::json& payload) {
    const auto item = payload.find("item");
    if (item == payload.end() || !item->is_object()) return std::nullopt;
    const auto id = item->find("id");
    if (id == item->end() || !id->is_number_integer()) return std::nullopt;
    return id->get<std::int64_t>();
}

}  // namespace

std::optional<std::int64_t> item_of(const radd::Event& event) {
    if (event.about(items::ItemEntity::item)) return id_in(event.entity_id);
    if (event.about(items::ItemEntity::comment)) return item_in(event.payload());
    return std::nullopt;
}

Indexer::Indexer(radd::Services& host)
    : index_{host.settings().text("configuration")},
      entities_{host.settings().text("configuration"), host.catalog()},
      log_{host.log()} {}

void Indexer::project(radd::Transaction& tx, const radd::Event& event) {
    if (!event.about(items::ItemEntity::item) && !event.about(items::ItemEntity::comment))
        return entities_.refresh(tx, event);
    const auto item = item_of(event);
    if (!item) return;
    if (event.is(items::ItemEvent::deleted)) return index_.remove(tx, *item);
    if (index_.refresh(tx, *item, event.id) == Indexed::shortened)
        log_.warn("index: item " + std::to_string(*item) +
                  " has more words than a vector holds; the beginning of its texts was indexed");
}

}  // namespace search
