#include "post.hpp"

#include <chrono>
#include <optional>
#include <variant>

#include "letter.hpp"
#include "notices.hpp"
#include "sql.hpp"
#include <radd/mail_attempt.hpp>

namespace notify {
namespace {

using namespace std::chrono_literals;
using Outcome = radd::AttemptResult::Outcome;

constexpr std::int32_t relay_connections_max = 4;
constexpr auto relay_rests = 1min;

/// A mail, or why there is none to send.
using Prepared = std::variant<radd::Mail, std::string>;

/// What a delivery is of: {"notice": 7} or {"digest": 7}.
struct Subject {
    std::int64_t id = 0;
    bool is_digest = false;
};

Subject subject_of(const radd::Delivery& delivery) {
    const auto payload = radd::json::parse(delivery.payload_text);
    const bool is_digest = payload.contains("digest");
    return {.id = payload.at(is_digest ? "digest" : "notice").get<std::int64_t>(),
            .is_digest = is_digest};
}

/// Why a row is not mailed though it is there. What was given up is tried again only by a replay,
/// and what went out is not mailed again by anybody.
std::optional<std::string> why_not(const radd::Row& row, bool is_replay) {
    if (row.boolean("is_sent")) return "it has been sent";
    if (row.boolean("is_finished") && !is_replay) return "it was finished before";
    if (row.is_null("email")) return "there is no address any more";
    return std::nullopt;
}

Addressee addressee_of(const radd::Row& row, const std::string& public_url) {
    return {.email = row.text("email"), .name = row.text("name"), .public_url = public_url};
}

}  // namespace

Post::Post(radd::Services& host)
    : database_{host.database()},
      mailer_{host.get<radd::Mailer>()},
      public_url_{host.public_url()},
      kinds_{host} {}

radd::AttemptResult Post::attempt(const radd::Delivery& delivery) {
    const auto subject = subject_of(delivery);
    const bool is_replay = delivery.replay_of.has_value();
    const auto prepared = database_.transact([&](radd::Transaction& tx) -> Prepared {
        const auto row = subject.is_digest ? tx.query_one(sql::select_digest, subject.id)
                                           : tx.query_one(sql::select_letter, subject.id);
        if (!row) return "the item or the account is gone";
        if (auto reason = why_not(*row, is_replay)) return *std::move(reason);
        const auto to = addressee_of(*row, public_url_);
        if (!subject.is_digest) return letter(told_of(*row), kinds_, to);

        std::vector<Told> lines;
        std::int64_t total = 0;
        for (const auto line : tx.query(sql::select_digest_lines, subject.id, digest_lines_max)) {
            lines.push_back(told_of(line));
            total = line.integer("total");
        }
        if (lines.empty()) return "all that it told of is gone";
        return digest_letter(subject.id, row->text("day"), lines, total, kinds_, to);
    });
    if (const auto* reason = std::get_if<std::string>(&prepared))
        return radd::AttemptResult::cancelled(*reason);
    return radd::mail_attempt(mailer_, std::get<radd::Mail>(prepared));
}

void Post::settled(radd::Transaction& tx,
                   const radd::Delivery& delivery,
                   const radd::Settled& settled) {
    if (!settled.is_final) return;
    const auto subject = subject_of(delivery);
    const bool is_sent = settled.result.outcome == Outcome::delivered;
    const std::string_view outcome = is_sent ? "sent" : settled.is_dead ? "given_up" : "cancelled";
    tx.execute(subject.is_digest ? sql::finish_digest : sql::finish_mail,
               subject.id,
               outcome,
               settled.result.detail);
}

radd::DeliveryQueueSpec post_queue() {
    return {.name = std::string{queue_name},
            .schedule =
                [](radd::Services&) {
                    return std::vector<std::chrono::seconds>{1min, 5min, 30min};
                },
            .jitter = 0,
            .timeout = 45s,
            .concurrency = relay_connections_max + relay_connections_max / 2,
            .lane_concurrency = relay_connections_max,
            .breaker_after = 1,
            .breaker_for = relay_rests,
            .make = [](radd::Services& host) { return std::make_unique<Post>(host); }};
}

}  // namespace notify
