#include "contract_preamble.hpp"

struct Ring {
    const char* tune = "";

    static consteval auto fields() { return std::tuple{radd::field("tune", &Ring::tune)}; }
};
consteval auto event_contracts(Desk) {
    return radd::Contracts{radd::Contract<Desk::rang, Ring>{.entity_type = Thing::order}};
}
auto refused(const radd::Event& event) {
    return radd::payload_of<Desk::rang>(event);
}
