#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <host/outbox/event_queries.hpp>
#include <tests/pg/webhooks_bench.hpp>

namespace radd::testing {
namespace {

TEST_SUITE("webhook") {
    TEST_CASE_FIXTURE(WebhookBench, "a rule calls an endpoint whatever it listens to") {
        HttpReceiver remote{[](const Received&) { return HttpReceiver::answer_of(200); }};
        const auto id = endpoint(remote.url(), {"comment.created"}, webhooks::Format::plain);
        const auto& action = plugin.actions.at(0);
        const json arguments{{"endpoint", "one"}, {"payload", {{"n", 7}}}};
        const auto event = an_event{items::ItemEvent::updated}.with_id(5);
        const auto call = [&](const Event* of) {
            return transactions.transact([&](Transaction& tx) {
                auto plan = action.plan(tx, lent, {.event = of, .arguments = arguments});
                action.apply(tx, lent, plan);
                return plan;
            });
        };
        const Event started = event;
        CHECK(call(&started).summary == "call endpoint one");
        call(nullptr);

        CHECK(settle(*hook_runner()) == 2);

        REQUIRE(remote.count() == 2);
        for (const auto& one : remote.received()) {
            CHECK(is_signed(one, secret));
            const auto body = json::parse(one.body);
            CHECK(body.at("type") == "webhook.called");
            CHECK(body.at("data").at("payload") == json{{"n", 7}});
        }
        CHECK(number("event_id = 5") == 1);
        CHECK(number("event_id IS NULL") == 1);

        transactions.transact([&](Transaction& tx) { endpoints.disable(tx, id, "enough"); });
        CHECK_FALSE(call(nullptr).has_effect);
        CHECK_THROWS_AS(transactions.transact([&](Transaction& tx) {
            (void)action.plan(
                tx, lent, {.arguments = json{{"endpoint", "two"}, {"payload", json::object()}}});
        }),
                        InvalidInput);
    }

    // P20
    TEST_CASE_FIXTURE(WebhookBench, "odd times leave a body that is JSON and read the same") {
        HttpReceiver remote{[](const Received&) { return HttpReceiver::answer_of(200); }};
        endpoint(remote.url());
        for (const char* time : {"infinity",
                                 "-infinity",
                                 "0044-03-15 BC",
                                 "12024-03-15",
                                 "2016-12-31T23:59:60Z",
                                 "2024-03-31T00:30:00.987654Z"})
            database.execute(
                "INSERT INTO radd.events (event_type, entity_type, entity_id, occurred_at, "
                "recorded_at) VALUES ('item.updated', 'item', '1', '" +
                std::string{time} + "', '" + time + "')");
        auto session = pool.lease("a reader");
        for (std::int64_t id = 2; id <= 7; ++id) {
            const auto event = outbox::find_event(*session, id);
            REQUIRE(event);
            offer(*event);
        }

        CHECK(settle(*hook_runner()) == 6);

        std::vector<std::string> told;
        for (const auto& one : remote.received()) {
            const auto body = json::parse(one.body);
            CHECK(body.at("time") == body.at("data").at("occurred_at"));
            told.push_back(body.at("time"));
        }
        std::ranges::sort(told);
        CHECK(told == std::vector<std::string>{"0001-01-01T00:00:00.000000Z",
                                               "0001-01-01T00:00:00.000000Z",
                                               "2017-01-01T00:00:00.000000Z",
                                               "2024-03-31T00:30:00.987654Z",
                                               "9999-12-31T23:59:59.999999Z",
                                               "9999-12-31T23:59:59.999999Z"});
    }
}

}  // namespace
}  // namespace radd::testing
