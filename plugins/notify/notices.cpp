#include "notices.hpp"

#include "sql.hpp"

namespace notify {
namespace {

/// The recipients, column by column, as the statement takes them.
struct Columns {
    explicit Columns(const std::vector<Recipient>& recipients) {
        const auto text = [](bool value) { return std::string{value ? "t" : "f"}; };
        for (const auto& [person, kind, defaults, can_mute] : recipients) {
            people.push_back(person);
            kinds.push_back(kind);
            inbox.push_back(text(defaults.inbox));
            mail.push_back(text(defaults.mail));
            digest.push_back(text(defaults.digest));
            mutable_ones.push_back(text(can_mute));
        }
    }

    std::vector<std::string> people{};
    std::vector<std::string> kinds{};
    std::vector<std::string> inbox{};
    std::vector<std::string> mail{};
    std::vector<std::string> digest{};
    std::vector<std::string> mutable_ones{};
};

}  // namespace

Notices::Notices(radd::Services& host)
    : queue_{host.deliveries(queue_name)},
      limits_{.mails_per_hour = host.settings().integer("mails_per_hour"),
              .digest_zone = host.settings().text("digest_zone"),
              .digest_hour = host.settings().integer("digest_hour")} {}

std::int64_t Notices::tell(radd::Transaction& tx,
                           const News& news,
                           const std::vector<Recipient>& recipients) {
    if (recipients.empty()) return 0;

    const Columns columns{recipients};
    const auto told = tx.query(sql::insert_notices,
                               news.event_id,
                               news.item,
                               news.comment,
                               news.actor,
                               news.automated,
                               news.detail.dump(),
                               radd::text_array(columns.people),
                               radd::text_array(columns.kinds),
                               radd::text_array(columns.inbox),
                               radd::text_array(columns.mail),
                               radd::text_array(columns.digest),
                               radd::text_array(columns.mutable_ones),
                               limits_.mails_per_hour);
    std::vector<std::string> people;
    std::vector<radd::NewDelivery> mails;
    for (const auto notice : told) {
        people.push_back(notice.text("person_id"));
        if (!notice.boolean("mail")) continue;
        mails.push_back({.lane = std::string{relay_lane},
                         .payload = radd::json{{"notice", notice.integer("id")}},
                         .event_id = news.event_id,
                         .key = "notice/" + notice.text("id")});
    }
    if (people.empty()) return 0;
    tx.execute(
        sql::ensure_people, radd::text_array(people), limits_.digest_zone, limits_.digest_hour);
    if (!mails.empty()) queue_.enqueue(tx, mails);
    return static_cast<std::int64_t>(people.size());
}

void Notices::forget_item(radd::Transaction& tx, ItemId item) {
    tx.execute(sql::delete_notices_of_item, item);
}

void Notices::forget_comment(radd::Transaction& tx, std::int64_t comment) {
    tx.execute(sql::delete_notices_of_comment, comment);
}

}  // namespace notify
