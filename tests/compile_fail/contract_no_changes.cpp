#include "contract_preamble.hpp"

void refused(radd::Transaction& tx) {
    tx.emit(radd::NewEventOf<Shop::moved>{.entity_id = 1});
}
