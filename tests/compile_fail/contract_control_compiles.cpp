#include "contract_preamble.hpp"

void control(radd::Transaction& tx, const radd::Event& event) {
    tx.emit(radd::NewEventOf<Shop::opened>{.entity_id = 1, .subjects = {{Thing::order, 1}}});
    tx.emit(radd::NewEventOf<Shop::paid>{.entity_id = 1, .payload = Payment{.amount = 2}});
    tx.emit(radd::NewEventOf<Shop::moved>{.entity_id = 1, .changes = std::vector<radd::Change>{}});
    (void)radd::event_spec<Shop::paid>({.label = "Paid"});
    (void)radd::payload_of<Shop::paid>(event).amount;
}
