#include "inbox.hpp"

#include "sql.hpp"

namespace notify {
namespace {

radd::json nullable(const auto& value) {
    return value ? radd::json(*value) : radd::json();
}

/// In one word, what mail has to do with it.
std::string mail_state(const Notice& notice) {
    if (notice.mail_outcome) return *notice.mail_outcome;
    if (notice.mail || notice.digest_id) return "waiting";
    return notice.in_digest ? "in_digest" : "none";
}

radd::json actor_json(const Told& told) {
    if (!told.actor_id) return {};
    return {{"id", *told.actor_id}, {"name", nullable(told.actor_name)}};
}

}  // namespace

radd::json to_json(const Notice& notice, const Kinds& kinds) {
    const Told& told = notice.told;
    const Kind* known = kinds.find(told.kind);
    return {{"id", told.id},
            {"kind", told.kind},
            {"label", known != nullptr ? known->label : told.kind},
            {"text", sentence(told, kinds)},
            {"item",
             {{"id", told.item_id},
              {"key", told.item_key},
              {"title", told.item_title},
              {"muted", notice.muted}}},
            {"actor", actor_json(told)},
            {"automated", nullable(told.automated)},
            {"excerpt", nullable(told.excerpt)},
            {"event_id", nullable(notice.event_id)},
            {"created_at", notice.created_at},
            {"read_at", nullable(notice.read_at)},
            {"archived_at", nullable(notice.archived_at)},
            {"mail",
             {{"state", mail_state(notice)},
              {"at", nullable(notice.emailed_at)},
              {"detail", nullable(notice.mail_detail)}}}};
}

std::vector<Notice> list_inbox(radd::Transaction& tx,
                               const PersonId& person,
                               const InboxQuery& query) {
    std::vector<Notice> notices;
    for (const auto row : tx.query(
             sql::list_inbox, person, query.archived, query.unread, query.before, query.limit)) {
        notices.push_back({.told = told_of(row),
                           .event_id = row.optional_integer("event_id"),
                           .muted = row.boolean("muted"),
                           .created_at = row.text("created_at"),
                           .read_at = row.optional_text("read_at"),
                           .archived_at = row.optional_text("archived_at"),
                           .mail = row.boolean("mail"),
                           .in_digest = row.boolean("in_digest"),
                           .digest_id = row.optional_integer("digest_id"),
                           .emailed_at = row.optional_text("emailed_at"),
                           .mail_outcome = row.optional_text("mail_outcome"),
                           .mail_detail = row.optional_text("mail_detail")});
    }
    return notices;
}

std::int64_t count_unread(radd::Transaction& tx, const PersonId& person) {
    return tx.query_one(sql::count_unread, person, unread_max)->integer("unread");
}

bool mark(radd::Transaction& tx,
          const PersonId& person,
          std::int64_t notice,
          std::optional<bool> read,
          std::optional<bool> archived) {
    return static_cast<bool>(tx.query_one(sql::mark_notice, person, notice, read, archived));
}

std::int64_t mark_read_through(radd::Transaction& tx, const PersonId& person, std::int64_t notice) {
    return tx.execute(sql::mark_read_through, person, notice);
}

}  // namespace notify
