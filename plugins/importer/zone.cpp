#include "zone.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "sql.hpp"

namespace importer {
namespace {

/// Most days have one offset, and asking for it once is enough for every time of the day.
class DayZone {
public:
    DayZone(radd::Database& database, std::string name)
        : database_{database}, name_{std::move(name)} {}

    Instant instant(WallTime wall) {
        if (const auto offset = offset_of(std::chrono::floor<std::chrono::days>(wall)))
            return {.at = radd::Timestamp{wall.time_since_epoch() - *offset}};
        // Kept as well: who asks again may be inside a transaction, where nothing can be asked.
        if (const auto found = instants_.find(wall); found != instants_.end()) return found->second;
        const auto instant = database_.transact([&](radd::Transaction& tx) {
            const auto row =
                tx.query_one(sql::select_instant, wall.time_since_epoch().count(), name_);
            const auto note = row->boolean("skipped")    ? WallNote::skipped
                              : row->boolean("repeated") ? WallNote::repeated
                                                         : WallNote::exact;
            const std::chrono::microseconds at{row->integer("at_us")};
            return Instant{.at = radd::Timestamp{at}, .note = note};
        });
        instants_.emplace(wall, instant);
        return instant;
    }

private:
    using Offset = std::optional<std::chrono::microseconds>;

    /// Empty on a day that has two. The years that times are read in are the bound of the map.
    Offset offset_of(std::chrono::local_days day) {
        const auto found = offsets_.find(day);
        if (found != offsets_.end()) return found->second;
        const std::chrono::microseconds start = day.time_since_epoch();
        const auto offset = database_.transact([&](radd::Transaction& tx) -> Offset {
            const auto row = tx.query_one(sql::select_offset, start.count(), name_);
            if (!row->boolean("is_steady")) return std::nullopt;
            return std::chrono::microseconds{row->integer("offset_us")};
        });
        return offsets_.emplace(day, offset).first->second;
    }

    radd::Database& database_;
    std::string name_;
    std::map<std::chrono::local_days, Offset> offsets_;
    std::map<WallTime, Instant> instants_;  // Of days with two offsets.
};

}  // namespace

Zone database_zone(radd::Database& database, const std::string& name) {
    const bool known = database.transact([&name](radd::Transaction& tx) {
        return static_cast<bool>(tx.query_one(sql::select_zone, name));
    });
    if (!known)
        throw radd::InvalidInput{"zone", "there is no '" + name + "'; write it like Europe/Berlin"};

    return [zone = std::make_shared<DayZone>(database, name)](WallTime wall) {
        return zone->instant(wall);
    };
}

}  // namespace importer
