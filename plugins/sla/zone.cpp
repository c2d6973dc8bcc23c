#include "zone.hpp"

#include <stdexcept>

#include <date/tz.h>

namespace sla {

bool Zone::is_known(const std::string& name) {
    try {
        return date::locate_zone(name) != nullptr;
    } catch (const std::runtime_error&) {
        return false;
    }
}

Zone::Zone(const std::string& name) {
    try {
        zone_ = date::locate_zone(name);
    } catch (const std::runtime_error&) {
        throw radd::InvalidInput{
            "zone", "there is no zone '" + name + "' on this machine; write it like Europe/Berlin"};
    }
}

radd::Timestamp Zone::instant_of(WallTime wall) const {
    const date::local_time<std::chrono::minutes> local{wall.time_since_epoch()};
    const auto info = zone_->get_info(local);
    if (info.result == date::local_info::nonexistent) return info.first.end;
    return radd::Timestamp{local.time_since_epoch() - info.first.offset};
}

std::chrono::local_days Zone::day_of(radd::Timestamp instant) const {
    const auto local = instant.time_since_epoch() + zone_->get_info(instant).offset;
    return std::chrono::local_days{std::chrono::floor<std::chrono::days>(local)};
}

}  // namespace sla
