#include "digest.hpp"

#include <string>
#include <utility>

#include "local_time.hpp"
#include "notices.hpp"
#include "sql.hpp"

namespace notify {

radd::Timestamp database_now(radd::Transaction& tx) {
    const auto now_us = tx.query_one(sql::select_now)->integer("now_us");
    return radd::Timestamp{std::chrono::microseconds{now_us}};
}

Digest::Digest(radd::Services& host, NowOf now_of)
    : database_{host.database()},
      queue_{host.deliveries(queue_name)},
      now_of_{std::move(now_of)},
      log_{host.log()} {}

bool Digest::tick() {
    return database_.transact([&](radd::Transaction& tx) {
        const auto now = now_of_(tx);
        const auto claimed =
            tx.query(sql::claim_people, now.time_since_epoch().count(), people_per_tick_max);
        for (const auto person : claimed) {
            const auto& id = person.text("person_id");
            std::string zone = person.text("zone");
            if (!is_zone(zone)) {
                log_.warn("digest: tzdata of this host has no zone '" + zone +
                          "', which a person has chosen; UTC is taken");
                zone = "UTC";
            }
            if (person.boolean("is_due")) send(tx, id, local_day(zone, now));
            const auto hour = static_cast<int>(person.integer("digest_hour"));
            tx.execute(
                sql::set_next_digest, id, next_hour(zone, hour, now).time_since_epoch().count());
        }
        return claimed.size() == people_per_tick_max;
    });
}

void Digest::send(radd::Transaction& tx, const std::string& person, const std::string& day) {
    const auto digest = tx.query_one(sql::insert_digest, person, day);
    if (!digest) return;
    const auto id = digest->integer("id");
    tx.execute(sql::fill_digest, person, id, notices_max);
    queue_.enqueue(tx,
                   {.lane = std::string{relay_lane},
                    .payload = radd::json{{"digest", id}},
                    .key = "digest/" + std::to_string(id)});
}

}  // namespace notify
