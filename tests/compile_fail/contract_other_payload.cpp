#include "contract_preamble.hpp"

void refused(radd::Transaction& tx) {
    tx.emit(radd::NewEventOf<Shop::paid>{.entity_id = 1, .payload = Refund{.amount = 2}});
}
