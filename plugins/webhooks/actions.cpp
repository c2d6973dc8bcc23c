#include "actions.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <string>

#include "endpoints.hpp"
#include "sql.hpp"
#include <radd/services.hpp>

namespace webhooks {
namespace {

using radd::json;

constexpr const char* arguments_schema = R"json({
    "type": "object",
    "properties": {
        "endpoint": {"type": "string", "minLength": 1, "description": "Its name, or its id"},
        "payload": {"type": "object", "description": "What its receiver reads in data.payload"}
    },
    "required": ["endpoint", "payload"],
    "additionalProperties": false
})json";

/// By its name, or else by its id. @throws radd::InvalidInput, field "endpoint".
Endpoint endpoint_called(radd::Transaction& tx, radd::Services& host, const std::string& called) {
    const auto all = Endpoints{host}.list(tx);
    auto found = std::ranges::find(all, called, [](const auto& one) { return one.draft.name; });
    if (found == all.end())
        found =
            std::ranges::find(all, called, [](const auto& one) { return std::to_string(one.id); });
    if (found == all.end())
        throw radd::InvalidInput{
            "endpoint", "there is no endpoint '" + called + "'; `radd webhooks list` shows them"};
    return *found;
}

radd::ActionPlan plan_call(radd::Transaction& tx,
                           radd::Services& host,
                           const radd::ActionCall& call) {
    const auto arguments = json::parse(call.arguments.text());
    const auto endpoint = endpoint_called(tx, host, arguments.at("endpoint").get<std::string>());
    const bool is_on = endpoint.draft.enabled;
    return {.summary = is_on ? "call endpoint " + endpoint.draft.name
                             : "endpoint " + endpoint.draft.name + " is off",
            .details = json{{"endpoint_id", endpoint.id},
                            {"payload", arguments.at("payload")},
                            {"event_id", call.event == nullptr ? json() : json(call.event->id)}},
            .has_effect = is_on};
}

std::string unique_id(radd::Random& random) {
    std::array<char, 16> digits{};
    constexpr int hexadecimal = 16;
    const auto end =
        std::to_chars(digits.data(), digits.data() + digits.size(), random.bits(), hexadecimal).ptr;
    return "call-" + std::string{digits.data(), end};
}

void apply_call(radd::Transaction& tx, radd::Services& host, const radd::ActionPlan& plan) {
    const auto details = json::parse(plan.details.text());
    const auto id = details.at("endpoint_id").get<std::int64_t>();
    const auto endpoint = Endpoints{host}.find(tx, id);
    if (!endpoint) return;  // Since it was planned.
    const std::chrono::microseconds now{tx.query_one(sql::select_time)->integer("now_us")};
    Call call{.id = unique_id(host.random()),
              .at = radd::Timestamp{now},
              .payload = details.at("payload")};
    if (details.at("event_id").is_number_integer())
        call.event_id = details.at("event_id").get<std::int64_t>();
    const auto format = endpoint->draft.format;
    host.deliveries(queue_name)
        .enqueue(
            tx,
            radd::NewDelivery{.lane = std::to_string(id),
                              .payload = json{{"type", call_type},
                                              {"ours", false},
                                              {"content_type", content_type_of(format)},
                                              {"body", body_of(call, format, host.public_url())}},
                              .event_id = call.event_id});
}

}  // namespace

std::vector<radd::ActionSpec> actions() {
    return {{.name = "webhooks.call",
             .label = "Call a webhook",
             .arguments = arguments_schema,
             .plan = plan_call,
             .apply = apply_call}};
}

}  // namespace webhooks
