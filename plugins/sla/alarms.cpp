// Telling of clocks, once each.

#include "clocks.hpp"
#include "sql.hpp"
#include <items/events.hpp>
#include <sla/events.hpp>

namespace sla {
namespace {

using items::ItemEvent;

/// The types of events that clocks are computed from and that name the item itself.
std::string item_event_types() {
    std::vector<std::string> names;
    for (const radd::EventType type :
         {radd::EventType{ItemEvent::created}, radd::EventType{ItemEvent::updated}})
        names.emplace_back(type.name());
    return radd::text_array(names);
}

/// Under the item's lock, which also makes the order of its events the order of their commits.
/// Empty: not now.
std::optional<std::int64_t> project_if_ready(radd::Transaction& tx, const radd::Row& clock) {
    const auto item_id = clock.integer("item_id");
    const auto item = tx.query_one(sql::lock_item, item_id);
    if (!item) return std::nullopt;
    constexpr radd::EntityType item_entity = items::ItemEntity::item;
    if (!tx.query_one(sql::is_read_to_the_end,
                      item_id,
                      item_entity.name(),
                      item_event_types(),
                      clock.integer("policy_id"),
                      clock.text("target"),
                      clock.integer("life"),
                      radd::system_actor))
        return std::nullopt;
    return item->integer("project_id");
}

void emit(radd::Transaction& tx,
          radd::EventType type,
          const radd::Row& clock,
          std::int64_t project_id) {
    tx.emit({.type = type,
             .entity = items::ItemEntity::item,
             .entity_id = clock.integer("item_id"),
             .payload = radd::json{{"policy",
                                    {{"id", clock.integer("policy_id")},
                                     {"name", clock.text("policy_name")}}},
                                   {"target", clock.text("target")},
                                   {"due_at", clock.text("due_at")},
                                   {"life_began_at", clock.text("began_at")}},
             .project_id = project_id});
}

void mark(radd::Transaction& tx, radd::Sql statement, const radd::Row& clock) {
    tx.execute(statement,
               clock.integer("item_id"),
               clock.integer("policy_id"),
               clock.text("target"),
               clock.integer("life"));
}

Place place_at(const radd::Row& clock) {
    return {.alarm_us = clock.integer("alarm_us"),
            .item_id = clock.integer("item_id"),
            .policy_id = clock.integer("policy_id"),
            .target = clock.text("target"),
            .life = clock.integer("life")};
}

}  // namespace

Told tell(radd::Transaction& tx, const Place& place) {
    const auto due = tx.query(sql::take_due,
                              place.alarm_us,
                              place.item_id,
                              place.policy_id,
                              place.target,
                              place.life,
                              alarms_taken);
    Told told{.taken = static_cast<std::int64_t>(due.size())};
    for (const auto clock : due) {
        const auto project_id = project_if_ready(tx, clock);
        if (!project_id) continue;
        const bool is_breach = clock.boolean("is_breach");
        mark(tx, is_breach ? sql::set_breach_sent : sql::set_due_soon_sent, clock);
        if (is_breach)
            emit(tx, SlaEvent::breached, clock, *project_id);
        else
            emit(tx, SlaEvent::due_soon, clock, *project_id);
        ++(is_breach ? told.breached : told.due_soon);
    }
    if (told.taken == alarms_taken) told.next = place_at(due[due.size() - 1]);
    return told;
}

}  // namespace sla
