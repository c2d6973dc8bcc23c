#pragma once

/// What a person was told, as they read it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "letter.hpp"
#include "watches.hpp"
#include <radd/transaction.hpp>

namespace notify {

inline constexpr std::int64_t unread_max = 1000;  ///< More are counted as so many.

/// Times are RFC 3339, in UTC.
struct Notice {
    Told told;
    std::optional<std::int64_t> event_id{};
    bool muted = false;  ///< Its item is, by now.
    std::string created_at;
    std::optional<std::string> read_at{};
    std::optional<std::string> archived_at{};
    bool mail = false;       ///< Told by a mail of its own, or to be.
    bool in_digest = false;  ///< In a digest, or to be, unless it was mailed.
    std::optional<std::int64_t> digest_id{};
    std::optional<std::string> emailed_at{};    ///< Mail is finished with it.
    std::optional<std::string> mail_outcome{};  ///< "sent", "given_up", "cancelled"
    std::optional<std::string> mail_detail{};
};

[[nodiscard]] radd::json to_json(const Notice& notice, const Kinds& kinds);

struct InboxQuery {
    bool archived = false;  ///< Those instead of the others.
    bool unread = false;    ///< Only those.
    std::optional<std::int64_t> before{};
    std::int64_t limit = 50;
};

/// The latest first.
[[nodiscard]] std::vector<Notice> list_inbox(radd::Transaction& tx,
                                             const PersonId& person,
                                             const InboxQuery& query);

/// At most unread_max.
[[nodiscard]] std::int64_t count_unread(radd::Transaction& tx, const PersonId& person);

/// Empty leaves it as it is. Archiving marks as read. False if the person has no such notice.
bool mark(radd::Transaction& tx,
          const PersonId& person,
          std::int64_t notice,
          std::optional<bool> read,
          std::optional<bool> archived);

/// All up to this one, so that what came in unseen since stays unread. How many.
std::int64_t mark_read_through(radd::Transaction& tx, const PersonId& person, std::int64_t notice);

}  // namespace notify
