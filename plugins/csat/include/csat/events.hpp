#pragma once

/// What becomes of a satisfaction survey. Both are about the item, and neither has an actor: a
/// requester is no person of this instance. Automations start from them all the same.

#include <array>
#include <cstdint>

#include <radd/vocabulary.hpp>

namespace csat {

enum class CsatEvent : std::uint8_t {
    requested,  ///< The survey is on its way to whoever asked for the item.
    responded,  ///< It was answered: `score`, 1 to 5, and maybe a `comment`.
};

consteval auto event_names(CsatEvent) {
    return std::array{
        radd::Named{CsatEvent::requested, "csat.requested"},
        radd::Named{CsatEvent::responded, "csat.responded"},
    };
}

}  // namespace csat
