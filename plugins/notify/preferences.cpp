#include "preferences.hpp"

#include "digest.hpp"
#include "local_time.hpp"
#include "sql.hpp"

namespace notify {
namespace {

constexpr std::int64_t hour_max = 23;

void check(const PreferencesPatch& patch, const Kinds& kinds) {
    for (const auto& [name, ways] : patch.kinds) {
        if (kinds.find(name) == nullptr)
            throw radd::InvalidInput{"kinds." + name,
                                     "is no kind of notice here; the preferences list them"};
    }
    if (patch.digest_hour && (*patch.digest_hour < 0 || *patch.digest_hour > hour_max))
        throw radd::InvalidInput{"digest.hour",
                                 std::to_string(*patch.digest_hour) + " is not within 0 to 23"};
    if (patch.digest_zone && !is_zone(*patch.digest_zone))
        throw radd::InvalidInput{
            "digest.zone", "there is no '" + *patch.digest_zone + "'; write it like Europe/Berlin"};
}

}  // namespace

Preferences preferences_of(radd::Transaction& tx,
                           const radd::Services& host,
                           const PersonId& person) {
    Preferences found{.digest_zone = host.settings().text("digest_zone"),
                      .digest_hour = host.settings().integer("digest_hour")};
    if (const auto row = tx.query_one(sql::select_person, person)) {
        found.email = row->optional_text("email");
        found.digest_zone = row->optional_text("zone").value_or(found.digest_zone);
        found.digest_hour = row->optional_integer("digest_hour").value_or(found.digest_hour);
        found.last_digest_on = row->optional_text("last_digest_on");
        if (const auto at = row->optional_integer("next_digest_us"))
            found.next_digest_at = radd::Timestamp{std::chrono::microseconds{*at}};
    }
    for (const auto row : tx.query(sql::select_preferences, person))
        found.kinds[row.text("kind")] = {.inbox = row.boolean("inbox"),
                                         .mail = row.boolean("mail"),
                                         .digest = row.boolean("digest")};
    return found;
}

void change_preferences(radd::Transaction& tx,
                        radd::Services& host,
                        const PersonId& person,
                        const PreferencesPatch& patch) {
    check(patch, Kinds{host});
    for (const auto& [name, ways] : patch.kinds)
        tx.execute(sql::set_preference, person, name, ways.inbox, ways.mail, ways.digest);
    if (!patch.digest_zone && !patch.digest_hour) return;

    const auto before = preferences_of(tx, host, person);
    const auto zone = patch.digest_zone.value_or(before.digest_zone);
    const auto hour = patch.digest_hour.value_or(before.digest_hour);
    const auto next = next_hour(zone, static_cast<int>(hour), database_now(tx));
    tx.execute(sql::set_digest_time, person, zone, hour, next.time_since_epoch().count());
}

}  // namespace notify
