#pragma once

/// The plugin webhooks with a database, a queue and receivers that are real.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <host/delivery/outbound.hpp>
#include <items/events.hpp>
#include <plugins/webhooks/endpoints.hpp>
#include <plugins/webhooks/signature.hpp>
#include <radd/testing/fixture_host.hpp>
#include <tests/pg/delivery_bench.hpp>
#include <tests/support/http_receiver.hpp>
#include <tests/support/lent_services.hpp>
#include <webhooks/events.hpp>

namespace radd::testing {

struct WebhookBench : QueueBench {
    WebhookBench() {
        db::Session session{database.options()};
        db::migrate(session, {{"core", db::core_migrations()}, {"webhooks", plugin.migrations}});
        for (const auto& type : plugin.event_types) catalog.add(type, "webhooks");
        for (const auto& ref : plugin.entity_refs) catalog.add(ref, "webhooks");
        lent.fakes.values = FakeSettings{plugin.settings};
        lent.fakes.retries = schedule;
        lent.client = &client;
        lent.offer(std::string{webhooks::queue_name}, hooks);
        lent.fakes.time.set_wall(std::chrono::time_point_cast<std::chrono::microseconds>(
            std::chrono::system_clock::now()));
        fan_out = plugin.consumers.at(0).make(lent);
        sender = plugin.delivery_queues.at(0).make(lent);
        spec = plugin.delivery_queues.at(0);
        spec.jitter = 0;
    }

    std::int64_t endpoint(const std::string& url,
                          std::vector<std::string> types = {},
                          webhooks::Format format = webhooks::Format::cloudevents) {
        return transactions.transact([&](Transaction& tx) {
            auto made = endpoints.create(
                tx,
                {.name = "one", .url = url, .format = format, .event_types = std::move(types)},
                secret,
                std::nullopt);
            return made.id;
        });
    }

    void offer(const Event& event) {
        transactions.transact([&](Transaction& tx) { fan_out->offer(tx, event); });
    }
    /// `count` updates of items, each of its own.
    void happen(int count = 1, const JsonText& payload = {}) {
        for (int i = 0; i < count; ++i) {
            ++last_event;
            offer(an_event{items::ItemEvent::updated}
                      .with_id(last_event)
                      .about(items::ItemEntity::item, last_event)
                      .with_payload(payload));
        }
    }

    [[nodiscard]] std::unique_ptr<delivery::QueueRunner> hook_runner() {
        return hook_runner(*sender);
    }
    [[nodiscard]] std::unique_ptr<delivery::QueueRunner> hook_runner(DeliveryHandler& handler) {
        return std::make_unique<delivery::QueueRunner>(
            delivery::QueueSetup{
                .spec = spec, .services = &lent, .queue = &hooks, .handler = &handler},
            delivery::RunnerParts{pool, transactions, clock, random, log});
    }

    /// Whether one of the signatures is by `secret_used` over exactly what was received.
    [[nodiscard]] static bool is_signed(const Received& request, const std::string& secret_used) {
        const auto expected =
            webhooks::signature(secret_used,
                                request.headers.at("webhook-id"),
                                std::stoll(request.headers.at("webhook-timestamp")),
                                request.body);
        return (" " + request.headers.at("webhook-signature") + " ").find(" " + expected + " ") !=
               std::string::npos;
    }
    [[nodiscard]] int events(const std::string& type) {
        return std::stoi(
            database.value("SELECT count(*) FROM radd.events WHERE event_type = '" + type + "'"));
    }

    Manifest plugin = linked_manifest();
    delivery::OutboundClient client{{"127.0.0.0/8"}, "radd/test"};
    delivery::StoredQueue hooks{std::string{webhooks::queue_name}};
    LentServices lent{transactions};
    webhooks::Endpoints endpoints{lent};
    std::unique_ptr<Consumer> fan_out;
    std::unique_ptr<DeliveryHandler> sender;
    std::int64_t last_event = 0;
    const std::string secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz";
};

}  // namespace radd::testing
