#include "local_time.hpp"

#include <stdexcept>

#include <date/tz.h>
#include <radd/error.hpp>

namespace notify {
namespace {

const date::time_zone& zone_named(std::string_view name) {
    try {
        return *date::locate_zone(std::string{name});
    } catch (const std::runtime_error&) {
        throw radd::InvalidInput{
            "zone", "there is no '" + std::string{name} + "'; write it like Europe/Berlin"};
    }
}

date::local_days day_in(const date::time_zone& zone, radd::Timestamp now) {
    return date::floor<date::days>(zone.to_local(now));
}

/// A skipped hour is the moment of the leap, and of two equal ones the first counts.
radd::Timestamp at_hour(const date::time_zone& zone,
                        date::local_days day,
                        std::chrono::hours hour) {
    const auto wall = date::local_seconds{day} + hour;
    const auto info = zone.get_info(wall);
    if (info.result == date::local_info::nonexistent) return info.first.end;
    return date::sys_seconds{wall.time_since_epoch()} - info.first.offset;
}

}  // namespace

bool is_zone(std::string_view name) {
    try {
        (void)zone_named(name);
        return true;
    } catch (const radd::InvalidInput&) {
        return false;
    }
}

std::string time_text(radd::Timestamp at) {
    return date::format("%FT%TZ", date::floor<std::chrono::seconds>(at));
}

std::string local_day(std::string_view zone, radd::Timestamp now) {
    return date::format("%F", day_in(zone_named(zone), now));
}

radd::Timestamp next_hour(std::string_view zone, int hour, radd::Timestamp now) {
    const auto& place = zone_named(zone);
    // Yesterday too: where clocks go back over midnight, its hour may still come.
    auto day = day_in(place, now) - date::days{1};
    for (;; day += date::days{1}) {
        const auto at = at_hour(place, day, std::chrono::hours{hour});
        if (at > now) return at;
    }
}

}  // namespace notify
