#pragma once

/// What an item's clocks tell: each once per item, policy, target and life.

#include <array>
#include <cstdint>

#include <radd/vocabulary.hpp>

namespace sla {

/// About the item. Payload: `policy` {id, name}, `target`, `due_at`, `life_began_at`.
enum class SlaEvent : std::uint8_t {
    due_soon,  ///< Never after `breached` of the same clock.
    breached,
};

consteval auto event_names(SlaEvent) {
    return std::array{
        radd::Named{SlaEvent::due_soon, "sla.due_soon"},
        radd::Named{SlaEvent::breached, "sla.breached"},
    };
}

}  // namespace sla
