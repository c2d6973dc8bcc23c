#include "contract_preamble.hpp"

void refused(radd::Transaction& tx) {
    tx.emit(radd::NewEventOf<Shop::opened>{.entity_id = 1, .subjects = {{Thing::person, 1}}});
}
