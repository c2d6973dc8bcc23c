#pragma once

/// Telling people of something: the rows from which inbox, mails and digests are made.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinds.hpp"
#include "watches.hpp"
#include <radd/delivery.hpp>
#include <radd/transaction.hpp>

namespace notify {

/// The queue of mails that go out at once, and of digests.
inline constexpr std::string_view queue_name = "notify.mail";
/// There is one relay, and it has one lane: if it is away, it is away for everybody.
inline constexpr std::string_view relay_lane = "relay";

/// What there is to tell.
struct News {
    std::optional<std::int64_t> event_id{};  ///< Empty: it may be told again.
    ItemId item = 0;
    std::optional<std::int64_t> comment{};
    std::optional<PersonId> actor{};         ///< Never told.
    std::optional<std::string> automated{};  ///< The cause, if it was no person.
    radd::json detail = radd::json::object();
};

/// Whom it concerns, and as what.
struct Recipient {
    PersonId person;
    std::string kind;
    radd::NotificationDefaults defaults{};
    bool can_mute = true;  ///< Nothing, to who has muted the item.
};

struct Limits {
    std::int64_t mails_per_hour;  ///< To one person. What is more is in the digest.
    std::string digest_zone;      ///< Of who has not said.
    std::int64_t digest_hour;
};

class Notices {
public:
    explicit Notices(radd::Services& host);

    /// Writes one notice each, and queues the mails, all in `tx`. Leaves out the actor, whoever has
    /// no account in force, whoever wants it by no way, and whoever was told of this event before.
    /// How many were told.
    std::int64_t tell(radd::Transaction& tx,
                      const News& news,
                      const std::vector<Recipient>& recipients);

    /// What was told of it is taken back; mails that still wait are not sent.
    static void forget_item(radd::Transaction& tx, ItemId item);
    static void forget_comment(radd::Transaction& tx, std::int64_t comment);

private:
    radd::DeliveryQueue& queue_;
    const Limits limits_;
};

}  // namespace notify
