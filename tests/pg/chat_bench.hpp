#pragma once

/// The plugin chat with a database, a queue and a chat service that answers as it is told.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <chat/events.hpp>
#include <host/delivery/outbound.hpp>
#include <items/events.hpp>
#include <plugins/chat/poster.hpp>
#include <plugins/chat/rooms.hpp>
#include <radd/testing/fixture_host.hpp>
#include <radd/testing/routes.hpp>
#include <tests/pg/delivery_bench.hpp>
#include <tests/support/http_receiver.hpp>
#include <tests/support/lent_services.hpp>

namespace radd::testing {

struct ChatBench : QueueBench {
    ChatBench() {
        db::Session session{database.options()};
        db::migrate(session, {{"core", db::core_migrations()}, {"chat", plugin.migrations}});
        for (const auto& type : plugin.event_types) catalog.add(type, "chat");
        for (const auto& ref : plugin.entity_refs) catalog.add(ref, "chat");
        lent.client = &client;
        lent.offer(std::string{chat::queue_name}, posts);
        lent.fakes.time.set_wall(std::chrono::time_point_cast<std::chrono::microseconds>(
            std::chrono::system_clock::now()));
        planner = plugin.consumers.at(0).make(lent);
        spec = plugin.delivery_queues.at(0);
        spec.jitter = 0;
    }

    std::int64_t room(std::vector<std::string> types = {}) {
        return transactions.transact([&](Transaction& tx) {
            return rooms.create(tx,
                                {.name = "ops", .event_types = std::move(types)},
                                service.url("/v1/spaces/A/messages?key=k&token=geheim"),
                                std::nullopt);
        });
    }
    /// `count` updates of items, each of its own, with titles "t1", "t2", ….
    void happen(int count = 1) {
        for (int i = 0; i < count; ++i) {
            ++last_event;
            const auto event =
                an_event{items::ItemEvent::updated}
                    .with_id(last_event)
                    .about(items::ItemEntity::item, last_event)
                    .with_payload(json{{"item",
                                        {{"key", "DEMO-" + std::to_string(last_event)},
                                         {"title", "t" + std::to_string(last_event)}}}});
            transactions.transact([&](Transaction& tx) { planner->offer(tx, event); });
        }
    }
    [[nodiscard]] std::unique_ptr<delivery::QueueRunner> poster_runner() {
        return std::make_unique<delivery::QueueRunner>(
            delivery::QueueSetup{
                .spec = spec, .services = &lent, .queue = &posts, .handler = &poster},
            delivery::RunnerParts{pool, transactions, clock, random, log});
    }
    /// The texts of all messages so far.
    [[nodiscard]] std::vector<std::string> texts() const {
        std::vector<std::string> all;
        for (const auto& one : service.received())
            all.push_back(json::parse(one.body).at("text").get<std::string>());
        return all;
    }
    /// As if so much time had passed for rooms and deliveries.
    void let(std::chrono::milliseconds time) {
        pass(time);
        static constexpr Sql shift = R"sql(
            UPDATE chat.rooms SET next_post_at = next_post_at - $1::bigint * interval '1 millisecond')sql";
        static constexpr Sql lines = R"sql(
            UPDATE chat.lines SET taken_until = taken_until - $1::bigint * interval '1 millisecond')sql";
        database.session().query(shift, time.count());
        database.session().query(lines, time.count());
    }
    [[nodiscard]] HttpResponse call(HttpMethod method,
                                    const std::string& path,
                                    const std::string& body = {},
                                    std::optional<Principal> who = an_admin()) {
        return RouteCaller{plugin.routes, lent}.call(
            method, "/api/v1/chat/rooms" + path, body, std::move(who));
    }
    [[nodiscard]] int events(const std::string& type) {
        return std::stoi(
            database.value("SELECT count(*) FROM radd.events WHERE event_type = '" + type + "'"));
    }

    Manifest plugin = linked_manifest();
    delivery::OutboundClient client{{"127.0.0.0/8"}, "radd/test"};
    delivery::StoredQueue posts{std::string{chat::queue_name}};
    LentServices lent{transactions};
    chat::Rooms rooms{lent};
    std::vector<std::chrono::milliseconds> pauses;
    chat::Poster poster{lent, [this](auto time) {
                            pauses.push_back(time);
                            let(time);
                        }};
    std::unique_ptr<Consumer> planner;
    std::int64_t last_event = 0;
    int status = 200;
    std::string headers;
    HttpReceiver service{
        [this](const Received&) { return HttpReceiver::answer_of(status, headers, "{}"); }};
};

}  // namespace radd::testing
