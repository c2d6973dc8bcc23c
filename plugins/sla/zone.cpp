#include "zone.hpp"

#include <stdexcept>

#include <date/tz.h>

namespace sla {
namespace {

namespace chrono = std::chrono;

/// The last year whose transitions every zone file lists. The rule behind them stands in the file
/// as well, and the library does not read it.
constexpr chrono::year listed_last{2037};

chrono::sys_days first_of_march(chrono::year year) {
    return year / chrono::March / 1;
}

/// How much later than the listed day that is like it a day is: rules go by days of the week, and
/// turn clocks between March and December, so a year is like any whose March begins on the same.
/// Of the last eleven that are listed there is one for each.
chrono::days beyond_listed(chrono::days since_1970) {
    const chrono::year_month_day date{chrono::sys_days{since_1970}};
    const auto year = date.month() < chrono::March ? date.year() - chrono::years{1} : date.year();
    if (year <= listed_last) return {};
    const chrono::weekday begins{first_of_march(year)};
    auto like = listed_last;
    while (chrono::weekday{first_of_march(like)} != begins) --like;
    return first_of_march(year) - first_of_march(like);
}

/// Whether a file goes on: where clocks follow the moon, every transition is listed for long.
bool lists_more(const date::time_zone& zone) {
    const auto info = zone.get_info(date::sys_days{date::year{2038} / date::March / 1});
    return info.end < date::sys_days{date::year{2200} / date::January / 1};
}

}  // namespace

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
        lists_more_ = lists_more(*zone_);
    } catch (const std::runtime_error&) {
        throw radd::InvalidInput{
            "zone", "there is no zone '" + name + "' on this machine; write it like Europe/Berlin"};
    }
}

chrono::days Zone::later(chrono::days since_1970) const {
    return lists_more_ ? chrono::days{} : beyond_listed(since_1970);
}

radd::Timestamp Zone::instant_of(WallTime wall) const {
    const auto later_by = later(chrono::floor<chrono::days>(wall.time_since_epoch()));
    const date::local_time<chrono::minutes> local{wall.time_since_epoch() - later_by};
    const auto info = zone_->get_info(local);
    if (info.result == date::local_info::nonexistent) return info.first.end + later_by;
    return radd::Timestamp{local.time_since_epoch() - info.first.offset} + later_by;
}

chrono::local_days Zone::day_of(radd::Timestamp instant) const {
    const auto later_by = later(chrono::floor<chrono::days>(instant.time_since_epoch()));
    const auto offset = zone_->get_info(instant - later_by).offset;
    const auto local = instant.time_since_epoch() + offset;
    return std::chrono::local_days{std::chrono::floor<std::chrono::days>(local)};
}

}  // namespace sla
