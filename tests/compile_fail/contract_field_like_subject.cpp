#include "contract_preamble.hpp"

struct Ring {
    std::int64_t person = 0;

    static consteval auto fields() { return std::tuple{radd::field("person", &Ring::person)}; }
};
consteval auto event_contracts(Desk) {
    return radd::Contracts{
        radd::Contract<Desk::rang, Ring>{.entity_type = Thing::order, .subjects = {Thing::person}}};
}
auto refused() {
    return radd::event_spec<Desk::rang>({.label = "Rang"});
}
