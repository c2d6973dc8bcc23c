#pragma once

/// From rows to values, and the steps that every change begins and ends with.

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <items/events.hpp>
#include <items/service.hpp>
#include <radd/transaction.hpp>
#include <radd/typed_event.hpp>

namespace items {

[[nodiscard]] Item item_of(const radd::Row& row);
[[nodiscard]] Project project_of(const radd::Row& row);
[[nodiscard]] Person person_of(const radd::Row& row);
[[nodiscard]] State state_of(const radd::Row& row);
[[nodiscard]] Comment comment_of(const radd::Row& row);

/// As the statements want it.
[[nodiscard]] std::optional<std::int64_t> microseconds(const std::optional<radd::Timestamp>& at);

/// The item, locked until the transaction ends. @throws radd::InvalidInput if there is none.
[[nodiscard]] Item locked_item(radd::Transaction& tx, ItemId id);

/// @throws radd::InvalidInput naming `field` if there is no such person.
[[nodiscard]] PersonName person_named(radd::Transaction& tx,
                                      std::string_view field,
                                      const PersonId& id);

/// Emits an event about `item`, whose row lock the caller holds.
template <ItemEvent event>
void emit_item(radd::Transaction& tx,
               const Item& item,
               const Act& act,
               radd::ChangesOf<event> changes = {}) {
    tx.emit(radd::NewEventOf<event>{.entity_id = item.id,
                                    .actor_id = act.actor,
                                    .changes = std::move(changes),
                                    .occurred_at = act.at,
                                    .project_id = item.project.id});
}

}  // namespace items
