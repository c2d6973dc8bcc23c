#include "contract_preamble.hpp"

struct Ring {
    std::int64_t times = 0;
};
consteval auto event_contracts(Desk) {
    return radd::Contracts{radd::Contract<Desk::rang, Ring>{.entity_type = Thing::order}};
}
