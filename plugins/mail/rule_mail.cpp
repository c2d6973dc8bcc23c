#include "rule_mail.hpp"

#include <chrono>
#include <memory>
#include <string>

#include "message.hpp"
#include <radd/mail_attempt.hpp>
#include <radd/services.hpp>

namespace mail {
namespace {

using namespace std::chrono_literals;
using radd::json;

constexpr std::int32_t relay_connections_max = 4;
constexpr auto relay_rests = 1min;
/// There is one relay.
constexpr const char* lane = "relay";

constexpr const char* arguments_schema = R"json({
    "type": "object",
    "properties": {
        "to": {"type": "string", "minLength": 3, "maxLength": 254, "description": "One address"},
        "subject": {"type": "string", "minLength": 1, "maxLength": 200},
        "text": {"type": "string", "minLength": 1, "maxLength": 20000}
    },
    "required": ["to", "subject", "text"],
    "additionalProperties": false
})json";

class Post final : public radd::DeliveryHandler {
public:
    explicit Post(radd::Services& host) : mailer_{host.get<radd::Mailer>()} {}

    radd::AttemptResult attempt(const radd::Delivery& delivery) override {
        const auto mail = json::parse(delivery.payload_text);
        return radd::mail_attempt(mailer_,
                                  {.to = mail.at("to").get<std::string>(),
                                   .subject = mail.at("subject").get<std::string>(),
                                   .text = mail.at("text").get<std::string>(),
                                   .idempotency_key = "mail.rules/" + delivery.uid});
    }

private:
    radd::Mailer& mailer_;
};

radd::ActionPlan plan(radd::Transaction&, radd::Services&, const radd::ActionCall& call) {
    auto mail = json::parse(call.arguments.text());
    const auto to = mail.at("to").get<std::string>();
    const auto subject = mail.at("subject").get<std::string>();
    check_address("to", to);
    mail["event_id"] = call.event == nullptr ? json() : json(call.event->id);
    return {.summary = "mail " + to + ": " + subject, .details = std::move(mail)};
}

void apply(radd::Transaction& tx, radd::Services& host, const radd::ActionPlan& plan) {
    auto mail = json::parse(plan.details.text());
    radd::NewDelivery delivery{.lane = lane};
    if (mail.at("event_id").is_number_integer())
        delivery.event_id = mail.at("event_id").get<std::int64_t>();
    mail.erase("event_id");
    delivery.payload = std::move(mail);
    host.deliveries(queue_name).enqueue(tx, delivery);
}

}  // namespace

radd::DeliveryQueueSpec rule_queue() {
    return {.name = std::string{queue_name},
            .schedule = [](radd::Services& host) { return host.retry_schedule(); },
            .timeout = 45s,
            .concurrency = relay_connections_max + relay_connections_max / 2,
            .lane_concurrency = relay_connections_max,
            .breaker_after = 1,
            .breaker_for = relay_rests,
            .make = [](radd::Services& host) { return std::make_unique<Post>(host); }};
}

std::vector<radd::ActionSpec> actions() {
    return {{.name = "mail.send",
             .label = "Send a mail",
             .arguments = arguments_schema,
             .plan = plan,
             .apply = apply}};
}

}  // namespace mail
