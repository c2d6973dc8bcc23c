#include "contract_preamble.hpp"

struct Ring {
    std::int64_t times = 0;

    static constexpr std::int32_t version = 2;
    static consteval auto fields() { return std::tuple{radd::field("times", &Ring::times)}; }
};
consteval auto event_contracts(Desk) {
    return radd::Contracts{radd::Contract<Desk::rang, Ring>{.entity_type = Thing::order}};
}
auto refused() {
    return radd::event_spec<Desk::rang>({.label = "Rang"});
}
