#include "follower.hpp"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "clocks.hpp"
#include "sql.hpp"
#include <items/events.hpp>

namespace sla {
namespace {

using items::CommentEvent;
using items::ItemEvent;

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

struct StateName {
    std::string name;
    std::string category;
};

std::optional<StateName> state_in(const radd::json& change, const char* side) {
    const auto state = change.find(side);
    if (state == change.end() || !state->is_object()) return std::nullopt;
    const auto name = state->find("name");
    const auto category = state->find("category");
    if (name == state->end() || !name->is_string() || category == state->end() ||
        !category->is_string())
        return std::nullopt;
    return StateName{.name = name->get<std::string>(), .category = category->get<std::string>()};
}

/// Whether the event holds a change of state that can be read, which is then kept.
bool keep_state_change(radd::Transaction& tx, std::int64_t item_id, const radd::Event& event) {
    const radd::json* change = event.change_of("state");
    if (change == nullptr) return false;
    const auto from = state_in(*change, "from");
    const auto to = state_in(*change, "to");
    if (!from || !to) return false;
    tx.execute(sql::insert_state_change,
               item_id,
               event.id,
               event.occurred_at.time_since_epoch().count(),
               from->name,
               from->category,
               to->name,
               to->category);
    return true;
}

/// What decides which policy an item fits, and whose comment is a response.
bool changes_policy(const radd::Event& event) {
    for (const char* field : {"type", "priority", "labels", "reporter"}) {
        if (event.change_of(field) != nullptr) return true;
    }
    return false;
}

void remove_all(radd::Transaction& tx, std::int64_t item_id) {
    tx.execute(sql::delete_clocks, item_id);
    tx.execute(sql::delete_state_changes, item_id);
    tx.execute(sql::delete_history, item_id);
}

void take_in(radd::Transaction& tx,
             radd::Log& log,
             std::int64_t item_id,
             const radd::Event& event) {
    const bool is_new = event.is(ItemEvent::created);
    std::optional<std::int64_t> imported_us;
    if (is_new && event.silent) imported_us = event.recorded_at.time_since_epoch().count();
    if (!tx.query_one(sql::touch_history, item_id, imported_us, event.id)) return;
    if (keep_state_change(tx, item_id, event) || is_new)
        compute(tx, log, item_id, Cause::state);
    else if (changes_policy(event))
        compute(tx, log, item_id, Cause::other);
}

}  // namespace

void Follower::project(radd::Transaction& tx, const radd::Event& event) {
    const bool is_comment = event.about(items::ItemEntity::comment);
    const auto item_id = is_comment ? item_in(event.payload()) : id_in(event.entity_id);
    if (!item_id) return;
    tx.execute(sql::computing);
    if (is_comment) return compute(tx, log_, *item_id, Cause::other);
    if (event.is(ItemEvent::deleted)) return remove_all(tx, *item_id);
    take_in(tx, log_, *item_id, event);
}

}  // namespace sla
