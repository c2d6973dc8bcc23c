#include "zone.hpp"

#include <map>

#include "sql.hpp"

namespace importer {

Zone database_zone(radd::Database& database, const std::string& name) {
    const bool known = database.transact([&name](radd::Transaction& tx) {
        return static_cast<bool>(tx.query_one(sql::select_zone, name));
    });
    if (!known)
        throw radd::InvalidInput{"zone", "there is no '" + name + "'; write it like Europe/Berlin"};

    return [&database, name, seen = std::map<WallTime, Instant>{}](WallTime wall) mutable {
        if (const auto found = seen.find(wall); found != seen.end()) return found->second;
        const auto instant = database.transact([&](radd::Transaction& tx) {
            const auto row =
                tx.query_one(sql::select_instant, wall.time_since_epoch().count(), name);
            const auto note = row->boolean("skipped")    ? WallNote::skipped
                              : row->boolean("repeated") ? WallNote::repeated
                                                         : WallNote::exact;
            const std::chrono::microseconds at{row->integer("at_us")};
            return Instant{.at = radd::Timestamp{at}, .note = note};
        });
        seen.emplace(wall, instant);
        return instant;
    };
}

}  // namespace importer
