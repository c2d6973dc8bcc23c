#include "alarm.hpp"

#include <exception>
#include <string>
#include <utility>

namespace sla {

bool Alarm::tick() {
    const bool refreshed = refresh_one();
    const auto told =
        database_.transact([this](radd::Transaction& tx) { return tell(tx, place_); });
    place_ = told.next.value_or(Place{});
    return refreshed || told.next.has_value();
}

bool Alarm::refresh_one() {
    try {
        return refresh(database_, log_);
    } catch (const radd::Unavailable&) {
        throw;
    } catch (const std::exception& error) {
        log_.warn(std::string{"clocks: what rules have changed for is not computed anew: "} +
                  error.what() + "; it is with the next look");
        return false;
    }
}

}  // namespace sla
