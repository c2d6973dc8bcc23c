#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <host/plugins/validate.hpp>
#include <radd/retry_after.hpp>
#include <tests/pg/webhooks_bench.hpp>

namespace radd::testing {
namespace {

using namespace std::chrono_literals;

/// Attempts as the plugin does, and then stands still until another process has taken over: what
/// it has heard is recorded by nobody, as if it had been killed.
class Dying final : public DeliveryHandler {
public:
    Dying(DeliveryHandler& own, std::function<void()> death)
        : own_{own}, death_{std::move(death)} {}
    AttemptResult attempt(const Delivery& delivery) override {
        auto result = own_.attempt(delivery);
        death_();
        return result;
    }
    void settled(Transaction& tx, const Delivery& delivery, const Settled& settled) override {
        own_.settled(tx, delivery, settled);
    }

private:
    DeliveryHandler& own_;
    std::function<void()> death_;
};

constexpr const char* odd_payload =
    "{\"b\":\"\xc3\xa9\xe2\x80\xa8</script>\\/\",\"a\":9007199254740993.10}";

TEST_SUITE("webhook") {
    TEST_CASE("the plugin is one that a host accepts") {
        const auto problems = loader::check_manifest(linked_manifest());
        CHECK_MESSAGE(problems.empty(), (problems.empty() ? "" : problems.front().message));
    }

    // P15
    TEST_CASE_FIXTURE(WebhookBench,
                      "whose process died after the answer is sent once more and is the same") {
        HttpReceiver remote;
        endpoint(remote.url());
        happen(1, odd_payload);
        Dying dying{*sender, [&] {
                        CHECK(remote.count() == 1);
                        CHECK(state() == "pending after 1");
                        pass(spec.timeout + delivery::QueueRunner::claim_margin);
                        CHECK(settle(*hook_runner()) == 1);
                    }};
        auto doomed = hook_runner(dying);
        CHECK(doomed->claim() == 1);
        CHECK(settle(*hook_runner()) == 0);  // The claim is in force.
        CHECK(doomed->perform_one());
        CHECK(doomed->totals().late == 1);
        doomed.reset();
        pass(spec.timeout + delivery::QueueRunner::claim_margin);
        CHECK(settle(*hook_runner()) == 0);

        const auto sent = remote.received();
        REQUIRE(sent.size() == 2);
        CHECK(sent[0].headers.at("webhook-id") == sent[1].headers.at("webhook-id"));
        CHECK(sent[0].body == sent[1].body);
        CHECK(state() == "delivered after 2");
    }

    TEST_CASE_FIXTURE(WebhookBench, "each attempt is signed anew over the same bytes") {
        int answered = 0;
        HttpReceiver remote{
            [&](const Received&) { return HttpReceiver::answer_of(++answered < 3 ? 500 : 200); }};
        const auto id = endpoint(remote.url());
        happen(1, odd_payload);
        const auto worker = hook_runner();
        const std::string fresh = webhooks::new_secret(lent.random());

        CHECK(settle(*worker) == 1);
        pass(5s);
        lent.fakes.time.advance(5s);
        CHECK(settle(*worker) == 1);
        transactions.transact([&](Transaction& tx) {
            CHECK(endpoints.rotate(tx, id, fresh, 24h, std::nullopt) == fresh);
        });
        pass(300s);
        lent.fakes.time.advance(300s);
        CHECK(settle(*worker) == 1);
        transactions.transact([&](Transaction& tx) { CHECK(hooks.replay_one(tx, 1).has_value()); });
        CHECK(settle(*worker) == 1);

        const auto sent = remote.received();
        REQUIRE(sent.size() == 4);
        for (const auto& one : sent) {
            CHECK(one.body == sent[0].body);
            CHECK(one.body.find(odd_payload) != std::string::npos);
            CHECK(is_signed(one, secret));
            CHECK(one.headers.at("content-type") == "application/cloudevents+json; charset=utf-8");
        }
        CHECK_FALSE(is_signed(sent[1], fresh));
        CHECK(is_signed(sent[2], fresh));
        CHECK(is_signed(sent[3], fresh));
        const auto stamp = [&](std::size_t at) {
            return std::stoll(sent[at].headers.at("webhook-timestamp"));
        };
        CHECK(stamp(1) - stamp(0) == 5);
        CHECK(stamp(2) - stamp(1) == 300);
        CHECK(sent[0].headers.at("webhook-id") == sent[2].headers.at("webhook-id"));
        CHECK(sent[0].headers.at("webhook-id") != sent[3].headers.at("webhook-id"));
        pass(25h);
        database.execute(
            "UPDATE webhooks.endpoints SET old_secret_until = old_secret_until - interval '25 h'");
        happen(1);
        CHECK(settle(*worker) == 1);
        CHECK_FALSE(is_signed(remote.received()[4], secret));
        CHECK(is_signed(remote.received()[4], fresh));
    }

    // P22
    TEST_CASE_FIXTURE(WebhookBench, "an emoji arrives as four bytes") {
        HttpReceiver remote;
        endpoint(remote.url());
        happen(1, "{\"item\": {\"title\": \"Printer \xf0\x9f\x98\x80\"}}");
        CHECK(settle(*hook_runner()) == 1);

        REQUIRE(remote.count() == 1);
        CHECK(remote.received()[0].body.find("Printer \xf0\x9f\x98\x80") != std::string::npos);
    }

    TEST_CASE_FIXTURE(WebhookBench, "a secret is sealed in the database and shown by nothing") {
        const auto id = endpoint("http://127.0.0.1:1/");
        CHECK(database.value("SELECT secret FROM webhooks.endpoints") ==
              lent.secrets().seal(webhooks::Endpoints::purpose(id), secret));
        const auto shown = transactions.transact(
            [&](Transaction& tx) { return webhooks::to_json(*endpoints.find(tx, id)).dump(); });
        CHECK(shown.find("secret\"") == std::string::npos);
        CHECK(shown.find("whsec_") == std::string::npos);
        for (const char* wrong :
             {"", "whsec_", "abc", "whsec_c2hvcnQ=", "whsec_!!!!MzQ1Njc4OTAxMjM0NTY3ODkwMTIz"})
            CHECK_THROWS_AS(webhooks::check_secret(wrong), InvalidInput);
    }

    TEST_CASE_FIXTURE(WebhookBench, "what a receiver asks for decides the next attempt") {
        std::string headers;
        int status = 429;
        HttpReceiver remote{
            [&](const Received&) { return HttpReceiver::answer_of(status, headers); }};
        endpoint(remote.url());
        const auto worker = hook_runner();
        const std::string date = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
        const auto after = [](const std::string& value) {
            return "Retry-After: " + value + "\r\n";
        };
        const std::vector<std::pair<std::string, std::string>> table{
            {after("120"), "120"},
            {date + after("Sun, 06 Nov 1994 08:51:07 GMT"), "90"},
            {date + after("Sun, 06 Nov 1994 08:49:07 GMT"), "5"},
            {after("Sun, 06 Nov 2095 08:49:37 GMT"), "5"},
            {after("0"), "5"},
            {after("-5"), "5"},
            {after(""), "5"},
            {after("tomorrow"), "5"},
            {after("99999999999999999999"), "5"},
            {after("315360000"), "7205"},
            {after("10") + after("20"), "20"}};
        for (const auto& [answer, wait] : table) {
            CAPTURE(answer);
            headers = answer;
            status = status == 429 ? 503 : 429;
            database.execute("DELETE FROM radd.deliveries");
            happen();
            CHECK(settle(*worker) == 1);
            CHECK(this->wait() == wait);
            CHECK(state() == "pending after 1");
        }
    }

    TEST_CASE_FIXTURE(WebhookBench, "no redirect is followed and each is a failed attempt") {
        HttpReceiver other;
        std::string location;
        int status = 301;
        HttpReceiver remote{[&](const Received&) {
            return HttpReceiver::answer_of(status, "Location: " + location + "\r\n");
        }};
        endpoint(remote.url());
        const auto worker = hook_runner();
        const std::vector<std::pair<std::string, std::string>> table{
            {other.url("/secret"), "127.0.0.1:" + std::to_string(other.port())},
            {remote.url(), "127.0.0.1:" + std::to_string(remote.port())},
            {"/login", "another path"},
            {"file:///x", "nowhere"},
            {"/login//geheim", "another path"},
            {"", "another path"}};
        std::size_t sent = 0;
        for (const int code : {301, 302, 303, 307, 308}) {
            for (const auto& [to, host] : table) {
                status = code;
                location = to;
                database.execute("DELETE FROM radd.deliveries");
                happen();
                CHECK(settle(*worker) == 1);
                CHECK(state() == "pending after 1");
                CHECK(database.value("SELECT last_error FROM radd.deliveries") ==
                      "answered " + std::to_string(code) + ": redirect to " + host +
                          " not followed");
                CHECK(remote.count() == ++sent);
            }
        }
        CHECK(other.connections() == 0);
    }

    TEST_CASE_FIXTURE(WebhookBench, "who answers 410 is disabled and asked no more") {
        int status = 410;
        HttpReceiver remote{[&](const Received&) { return HttpReceiver::answer_of(status); }};
        endpoint(remote.url());
        HttpReceiver observer;
        endpoint(observer.url(), {"webhook.endpoint_disabled", "webhook.delivery_dead"});
        happen(3);
        const auto worker = hook_runner();

        CHECK(settle(*worker) == 1);
        happen(5);
        CHECK(settle(*worker) == 0);
        pass(100h);
        CHECK(settle(*worker) == 0);

        CHECK(remote.count() == 1);
        CHECK(state() == "dead after 1");
        CHECK(number("state = 'cancelled' AND attempts = 0") == 2);
        CHECK(number("true") == 3);
        CHECK(events("webhook.endpoint_disabled") == 1);
        CHECK(events("webhook.delivery_dead") == 1);
        CHECK(database.value("SELECT disabled_reason FROM webhooks.endpoints WHERE id = 1") ==
              "its receiver answered 410 Gone");

        for (const int code : {404, 401, 400}) {
            status = code;
            transactions.transact([&](Transaction& tx) {
                auto one = *endpoints.find(tx, 1);
                one.draft.enabled = true;
                CHECK(endpoints.update(tx, 1, one.draft, std::nullopt));
            });
            database.execute("DELETE FROM radd.deliveries");
            happen();
            CHECK(settle(*worker) == 1);
            CHECK(state() == "pending after 1");
        }
    }

    TEST_CASE_FIXTURE(WebhookBench,
                      "an address that is not public is refused at save and at connect") {
        HttpReceiver remote;
        CHECK_THROWS_AS(endpoint("http://10.0.0.1/"), AddressNotAllowed);
        CHECK_THROWS_AS(endpoint("http://user:pw@127.0.0.1/"), InvalidInput);
        CHECK_THROWS_AS(endpoint("file:///etc/passwd"), InvalidInput);
        CHECK(database.value("SELECT count(*) FROM webhooks.endpoints") == "0");

        endpoint(remote.url());
        delivery::OutboundClient strict{{}, "radd/test"};
        lent.client = &strict;
        happen();
        CHECK(settle(*hook_runner()) == 1);
        CHECK(state() == "pending after 1");
        CHECK(database.value("SELECT last_error LIKE '%address not allowed%' FROM "
                             "radd.deliveries") == "true");
        CHECK(remote.connections() == 0);
    }

    TEST_CASE_FIXTURE(WebhookBench, "filters decide who is told of what and nobody of himself") {
        HttpReceiver remote;
        const auto lanes = [&] {
            return database.value(
                "SELECT coalesce(string_agg(lane, ',' ORDER BY lane), '') FROM radd.deliveries");
        };
        endpoint(remote.url());
        endpoint(remote.url(), {"item.updated"});
        endpoint(remote.url(), {"item.*"});
        endpoint(remote.url(), {"comment.created"});
        endpoint(remote.url(), {"webhook.*"});
        happen();
        CHECK(lanes() == "1,2,3");

        database.execute("DELETE FROM radd.deliveries");
        const auto about = [&](std::int64_t id) {
            offer(an_event{webhooks::WebhookEvent::endpoint_disabled}
                      .with_id(++last_event)
                      .about(webhooks::WebhookEntity::endpoint, id));
        };
        endpoint(remote.url(), {"webhook.endpoint_disabled"});
        about(1);
        about(6);
        CHECK(lanes() == "6");
        const auto traits = fan_out->traits();
        CHECK(traits.first_start == FirstStart::head);
        CHECK(traits.sees_silent);  // For deleted projects alone.
        offer(an_event{items::ItemEvent::updated}
                  .with_id(2)
                  .about(items::ItemEntity::item, 1)
                  .silent());
        CHECK(lanes() == "6");
        offer(an_event{items::ItemEvent::updated}.with_id(1).about(items::ItemEntity::item, 1));
        offer(an_event{items::ItemEvent::updated}.with_id(1).about(items::ItemEntity::item, 1));
        CHECK(number("event_id = 1") == 3);
        for (const char* wrong : {"item.", "*", "Item.updated", "a b", ""})
            CHECK_THROWS_AS(endpoint(remote.url(), {wrong}), InvalidInput);
    }

    TEST_CASE_FIXTURE(WebhookBench,
                      "an event too long for a delivery is told of without its data") {
        HttpReceiver remote;
        endpoint(remote.url());
        endpoint(remote.url(), {}, webhooks::Format::plain);
        // Each quote is two bytes in the event and four in a delivery.
        std::string quotes;
        while (quotes.size() < 500'000) quotes += R"(\")";
        happen(1, JsonText{R"({"text":")" + quotes + R"("})"});
        happen(1, JsonText{R"({"text":")" + quotes + quotes + R"("})"});

        CHECK(number("true") == 4);
        const auto worker = hook_runner();
        CHECK(settle(*worker) == 4);
        REQUIRE(remote.received().size() == 4);
        int whole = 0;
        for (const Received& request : remote.received()) {
            const auto data = json::parse(request.body).at("data");
            CHECK(data.at("entity_id") == std::to_string(data.at("id").get<std::int64_t>()));
            if (data.at("id") == 1) {
                CHECK(data.at("payload").at("text").get<std::string>().size() == 250'000);
                CHECK_FALSE(data.contains("omitted"));
                ++whole;
            } else {
                CHECK(data.at("omitted") == true);
                CHECK_FALSE(data.contains("payload"));
            }
        }
        CHECK(whole == 2);
    }

    TEST_CASE_FIXTURE(WebhookBench,
                      "an endpoint that fails for long is disabled at its next dead letter") {
        HttpReceiver remote{[](const Received&) { return HttpReceiver::answer_of(500); }};
        endpoint(remote.url());
        lent.fakes.retries = {};
        const auto worker = hook_runner();
        happen();
        CHECK(settle(*worker) == 1);
        CHECK(events("webhook.endpoint_disabled") == 0);
        database.execute(
            "UPDATE webhooks.endpoints SET failing_since = failing_since - interval '121 h'");
        happen(2);
        CHECK(settle(*worker) >= 1);
        CHECK(events("webhook.endpoint_disabled") == 1);
        CHECK(events("webhook.delivery_dead") >= 2);
        CHECK(database.value("SELECT enabled FROM webhooks.endpoints") == "false");
        CHECK(
            database.value("SELECT status || outcome FROM webhooks.attempts ORDER BY id LIMIT 1") ==
            "500dead");
    }

    TEST_CASE_FIXTURE(WebhookBench, "a reset and a closed connection are one failed attempt each") {
        std::string answer;
        HttpReceiver remote{[&](const Received&) { return answer; }};
        endpoint(remote.url());
        const auto worker = hook_runner();
        for (const std::string bytes : {"", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"}) {
            answer = bytes;
            database.execute("DELETE FROM radd.deliveries");
            const auto before = remote.count();
            happen();
            CHECK(settle(*worker) == 1);
            CHECK(state() == "pending after 1");
            CHECK(remote.count() == before + 1);
        }
    }
}

TEST_SUITE("retry after") {
    TEST_CASE("dates are read in the one form that may be sent") {
        using namespace std::chrono;
        const Timestamp known = sys_days{1994y / November / 6} + 8h + 49min + 37s;
        CHECK(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT") == known);
        for (const char* wrong : {"",
                                  "Sunday, 06-Nov-94 08:49:37 GMT",
                                  "Sun Nov  6 08:49:37 1994",
                                  "Sun, 31 Feb 1994 08:49:37 GMT",
                                  "Sun, 06 Nov 1994 24:49:37 GMT",
                                  "Sun, 06 Nov 1994 08:49:37 UTC",
                                  "Sun, +6 Nov 1994 08:49:37 GMT"})
            CHECK_FALSE(parse_http_date(wrong).has_value());
    }
}

}  // namespace
}  // namespace radd::testing
