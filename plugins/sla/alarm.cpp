#include "alarm.hpp"

#include <utility>

namespace sla {

bool Alarm::tick() {
    if (database_.transact([](radd::Transaction& tx) { return refresh(tx); })) return true;
    const auto told =
        database_.transact([this](radd::Transaction& tx) { return tell(tx, place_); });
    place_ = told.next.value_or(Place{});
    return told.next.has_value();
}

}  // namespace sla
