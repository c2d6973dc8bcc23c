#include "sender.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "judge.hpp"
#include "signature.hpp"
#include "sql.hpp"
#include <radd/secrets.hpp>
#include <webhooks/events.hpp>

namespace webhooks {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using Outcome = radd::AttemptResult::Outcome;

struct Target {
    std::string url;
    bool enabled;
    std::string secret;
    std::optional<std::string> old_secret;
};

std::optional<Target> target_of(radd::Services& host, std::int64_t id) {
    return host.database().transact([&](radd::Transaction& tx) -> std::optional<Target> {
        const auto row = tx.query_one(sql::endpoint_to_call, id);
        if (!row) return std::nullopt;
        return Target{.url = row->text("url"),
                      .enabled = row->boolean("enabled"),
                      .secret = row->text("secret"),
                      .old_secret = row->optional_text("old_secret")};
    });
}

std::int64_t endpoint_of(const radd::Delivery& delivery) {
    return std::stoll(delivery.lane);
}

std::string note_of(int status, milliseconds took) {
    return std::to_string(status) + " " + std::to_string(took.count());
}

std::string_view name_of(Outcome outcome, bool is_dead) {
    if (outcome == Outcome::delivered) return "delivered";
    if (outcome == Outcome::cancelled) return "cancelled";
    return is_dead ? "dead" : "failed";
}

}  // namespace

Sender::Sender(radd::Services& host)
    : host_{host}, endpoints_{host}, disable_after_{host.settings().duration("disable_after")} {}

radd::AttemptResult Sender::attempt(const radd::Delivery& delivery) {
    const auto id = endpoint_of(delivery);
    const auto target = target_of(host_, id);
    if (!target) return radd::AttemptResult::cancelled("endpoint deleted");
    if (!target->enabled) return radd::AttemptResult::cancelled("endpoint disabled");

    const auto payload = radd::json::parse(delivery.payload_text);
    radd::HttpCall call{
        .url = target->url, .body = payload.at("body").get<std::string>(), .timeout = timeout};
    const auto timestamp =
        duration_cast<std::chrono::seconds>(host_.clock().now().time_since_epoch()).count();
    const auto sign = [&](const std::string& sealed) {
        const auto secret = host_.secrets().open(Endpoints::purpose(id), sealed);
        return signature(secret, delivery.uid, timestamp, call.body);
    };
    std::string signatures = sign(target->secret);
    if (target->old_secret) signatures += ' ' + sign(*target->old_secret);
    call.headers = {{"Content-Type", payload.at("content_type").get<std::string>()},
                    {"webhook-id", delivery.uid},
                    {"webhook-timestamp", std::to_string(timestamp)},
                    {"webhook-signature", signatures}};

    const auto began_at = host_.clock().steady_now();
    const auto took = [&] {
        return duration_cast<milliseconds>(host_.clock().steady_now() - began_at);
    };
    radd::AttemptResult result;
    int status = 0;
    try {
        const auto answer = host_.http_client().call(call);
        status = answer.status;
        result = judge(answer);
    } catch (const radd::AddressNotAllowed& refused) {
        result = radd::AttemptResult::failed(refused.what());
    } catch (const radd::Unavailable& failure) {
        result = radd::AttemptResult::unreachable(failure.what());
    }
    result.note = note_of(status, took());
    return result;
}

void Sender::settled(radd::Transaction& tx,
                     const radd::Delivery& delivery,
                     const radd::Settled& settled) {
    const auto id = endpoint_of(delivery);
    const auto& result = settled.result;
    const auto space = result.note.find(' ');
    const int status = space == std::string::npos ? 0 : std::stoi(result.note);
    const std::int64_t took_ms =
        space == std::string::npos ? 0 : std::stoll(result.note.substr(space + 1));
    tx.execute(sql::insert_attempt,
               id,
               delivery.id,
               delivery.attempt,
               name_of(result.outcome, settled.is_dead),
               status == 0 ? std::nullopt : std::optional{status},
               result.detail,
               took_ms);
    if (result.outcome == Outcome::delivered) {
        tx.execute(sql::note_success, id);
        return;
    }
    if (result.outcome == Outcome::cancelled) return;
    tx.execute(sql::note_failure, id);
    if (!settled.is_dead) return;

    // Not of deliveries that tell of webhooks: two dead endpoints would tell each other for ever.
    const auto payload = radd::json::parse(delivery.payload_text);
    if (!payload.value("ours", false)) {
        tx.emit(
            {.type = WebhookEvent::delivery_dead,
             .entity = WebhookEntity::endpoint,
             .entity_id = id,
             .actor_id = std::string{radd::system_actor},
             .payload = radd::json{
                 {"delivery_id", delivery.id},
                 {"event_id", delivery.event_id ? radd::json(*delivery.event_id) : radd::json()},
                 {"attempts", delivery.attempt},
                 {"detail", result.detail}}});
    }
    if (status == gone) {
        endpoints_.disable(tx, id, "its receiver answered 410 Gone");
    } else if (tx.query_one(sql::has_failed_for, id, disable_after_.count())) {
        endpoints_.disable(tx, id, "no attempt has succeeded for too long: " + result.detail);
    }
}

}  // namespace webhooks
