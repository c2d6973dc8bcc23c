#include "preamble.hpp"

void control() {
    (void)radd::EventType{csat::CsatEvent::requested};
    (void)radd::EventType{Half::first};
    (void)radd::EntityType{items::ItemEntity::item};
    (void)radd::Sql{"SELECT 1"};
}
