#pragma once

/// What becomes of a satisfaction survey. Both are about the item, and neither has an actor: a
/// requester is no person of this instance. Automations start from them all the same.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include <items/events.hpp>
#include <radd/contract.hpp>

namespace csat {

enum class CsatEvent : std::uint8_t {
    requested,  ///< The survey is on its way to whoever asked for the item.
    responded,  ///< It was answered.
};

inline constexpr std::int64_t score_min = 1;
inline constexpr std::int64_t score_max = 5;

struct Response {
    std::int64_t score = score_min;
    std::optional<std::string> comment{};

    static consteval auto fields() {
        return std::tuple{radd::field("score", &Response::score).between(score_min, score_max),
                          radd::field("comment", &Response::comment)};
    }
};

consteval auto event_names(CsatEvent) {
    return std::array{
        radd::Named{CsatEvent::requested, "csat.requested"},
        radd::Named{CsatEvent::responded, "csat.responded"},
    };
}

consteval auto event_contracts(CsatEvent) {
    using items::ItemEntity;
    return radd::Contracts{
        radd::Contract<CsatEvent::requested>{.entity_type = ItemEntity::item,
                                             .subjects = {ItemEntity::item}},
        radd::Contract<CsatEvent::responded, Response>{.entity_type = ItemEntity::item,
                                                       .subjects = {ItemEntity::item}},
    };
}

}  // namespace csat
