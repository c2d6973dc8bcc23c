// Endpoints and their deliveries over HTTP, as an administrator's program uses them.

#include <string>

#include <doctest/doctest.h>

#include <radd/testing/routes.hpp>
#include <tests/pg/webhooks_bench.hpp>

namespace radd::testing {
namespace {

struct RouteBench : WebhookBench {
    HttpResponse call(HttpMethod method,
                      const std::string& path,
                      const std::string& body = {},
                      std::optional<Principal> who = an_admin()) {
        return RouteCaller{plugin.routes, lent}.call(
            method, "/api/v1/webhooks" + path, body, std::move(who));
    }
    json get(const std::string& path) {
        const auto answer = call(HttpMethod::get, path);
        REQUIRE(answer.status == 200);
        return json::parse(answer.body);
    }
    int status(HttpMethod method, const std::string& path, const std::string& body = {}) {
        return call(method, path, body).status;
    }
    json post(const std::string& path, const json& body = json::object()) {
        const auto answer = call(HttpMethod::post, path, body.dump());
        CAPTURE(answer.body);
        REQUIRE(answer.status < 300);
        return json::parse(answer.body);
    }
    /// Of one endpoint, by its receiver that answers 400: dead after a single attempt.
    std::int64_t a_dead_delivery(std::int64_t of) {
        happen();
        lent.fakes.retries = {};
        CHECK(settle(*worker) >= 1);
        return std::stoll(
            database.value("SELECT max(id) FROM radd.deliveries WHERE state = 'dead' AND lane = '" +
                           std::to_string(of) + "'"));
    }

    std::unique_ptr<delivery::QueueRunner> worker = hook_runner();
};

TEST_SUITE("webhook routes") {
    TEST_CASE_FIXTURE(RouteBench, "an endpoint is made with a secret that is shown this once") {
        const auto answer =
            call(HttpMethod::post,
                 "",
                 R"({"name":"build","url":"http://127.0.0.1:9/hook","event_types":["item.*"]})");
        REQUIRE(answer.status == 201);
        const auto made = json::parse(answer.body);
        CHECK(made.at("secret").get<std::string>().starts_with("whsec_"));
        CHECK(made.at("event_types") == json{"item.*"});
        CHECK(made.at("format") == "cloudevents");
        CHECK(made.at("enabled") == true);
        const bool located =
            std::ranges::find(answer.headers, HttpField{"Location", "/api/v1/webhooks/1"}) !=
            answer.headers.end();
        CHECK(located);

        const auto shown = get("/1");
        CHECK_FALSE(shown.contains("secret"));
        CHECK(get("").at("endpoints") == json::array({shown}));
        CHECK(events("webhook.endpoint_created") == 1);
        CHECK(database.value("SELECT actor_id FROM radd.events") == an_admin().id);
        const auto chosen =
            post("", {{"name", "b"}, {"url", "http://127.0.0.1:9/"}, {"secret", secret}});
        CHECK(chosen.at("secret") == secret);
    }

    TEST_CASE_FIXTURE(RouteBench, "what is no endpoint is refused by field") {
        const auto refusal = [&](const json& body) {
            const auto answer = call(HttpMethod::post, "", body.dump());
            CHECK(answer.status == 422);
            return answer.body;
        };
        const json good{{"name", "one"}, {"url", "http://127.0.0.1:9/"}};
        const auto with = [&](const char* field, const json& value) {
            auto body = good;
            body[field] = value;
            return refusal(body);
        };
        CHECK(with("name", " ").find("name") != std::string::npos);
        CHECK(with("url", "ftp://127.0.0.1/").find("url") != std::string::npos);
        CHECK(with("url", "http://10.0.0.1/").find("address not allowed") != std::string::npos);
        // P21
        CHECK(with("url", std::string("http://127.0.0.1:9/a\0b", 21)).find("url") !=
              std::string::npos);
        CHECK(with("name", std::string("a\0b", 3)).find("name") != std::string::npos);
        CHECK(with("format", "xml").find("cloudevents or plain") != std::string::npos);
        CHECK(with("event_types", {"item."}).find("event_types") != std::string::npos);
        CHECK(with("secret", "short").find("secret") != std::string::npos);
        CHECK(status(HttpMethod::post, "", "{") == 400);
        CHECK(database.value("SELECT count(*) FROM webhooks.endpoints") == "0");
        CHECK(database.value("SELECT count(*) FROM radd.events") == "0");
    }

    TEST_CASE_FIXTURE(RouteBench, "a change leaves what it does not name") {
        const auto id = endpoint("http://127.0.0.1:9/", {"item.updated"});
        happen(2);
        const auto path = "/" + std::to_string(id);
        const auto change = [&](const json& body) {
            const auto answer = call(HttpMethod::patch, path, body.dump());
            REQUIRE(answer.status == 200);
            return json::parse(answer.body);
        };

        const auto renamed = change({{"name", "two"}});
        CHECK(renamed.at("name") == "two");
        CHECK(renamed.at("event_types") == json{"item.updated"});
        CHECK(number("state = 'pending'") == 2);
        const auto off = change({{"enabled", false}});
        CHECK(off.at("disabled_reason") == "switched off");
        CHECK(number("state = 'cancelled'") == 2);
        const auto on = change({{"enabled", true}});
        CHECK(on.at("disabled_reason") == nullptr);
        CHECK(on.at("disabled_at") == nullptr);
        CHECK(events("webhook.endpoint_updated") == 3);
        CHECK(status(HttpMethod::patch, path, R"({"url":"nowhere"})") == 422);
        CHECK(get(path).at("url") == "http://127.0.0.1:9/");
    }

    TEST_CASE_FIXTURE(RouteBench, "what waited for an endpoint that was off is never sent") {
        HttpReceiver remote;
        const auto id = endpoint(remote.url());
        const auto path = "/" + std::to_string(id);
        database.execute(
            "INSERT INTO radd.deliveries (queue, lane, payload, next_attempt_at) "
            "SELECT 'webhooks.deliveries', '1', "
            R"('{"body":"{}","content_type":"application/json"}', )"
            "clock_timestamp() + interval '3 hours' FROM generate_series(1, 30001)");
        REQUIRE(number("queue = '" + std::string{webhooks::queue_name} + "'") == 30'001);

        CHECK(status(HttpMethod::patch, path, R"({"enabled":false})") == 200);
        CHECK(number("state = 'pending'") == 20'001);
        const auto early = call(HttpMethod::patch, path, R"({"enabled":true})");
        CHECK(early.status == 422);
        CHECK(early.body.find("still being cancelled") != std::string::npos);
        CHECK(number("state = 'pending'") == 20'001);
        const auto retention = plugin.periodic_tasks.at(0).make(lent);
        CHECK(retention->tick());
        CHECK(number("state = 'pending'") == 10'001);
        CHECK(status(HttpMethod::patch, path, R"({"enabled":true})") == 422);
        CHECK(retention->tick());
        CHECK(number("state = 'pending'") == 1);
        CHECK(status(HttpMethod::patch, path, R"({"enabled":true})") == 200);
        CHECK(number("state = 'cancelled'") == 30'001);

        happen();
        CHECK_FALSE(retention->tick());  // What waits for one that is on stays.
        CHECK(settle(*worker) == 1);
        CHECK(remote.count() == 1);
    }

    TEST_CASE_FIXTURE(RouteBench, "a rotated secret is shown once and both sign for a while") {
        const auto id = endpoint("http://127.0.0.1:9/");
        const auto path = "/" + std::to_string(id);
        const auto fresh = post(path + "/rotate").at("secret").get<std::string>();

        CHECK(fresh.starts_with("whsec_"));
        CHECK(fresh != secret);
        CHECK(get(path).at("old_secret_until").is_string());
        CHECK(post(path + "/rotate", {{"secret", secret}}).at("secret") == secret);
        CHECK(status(HttpMethod::post, path + "/rotate", R"({"secret":"short"})") == 422);
    }

    TEST_CASE_FIXTURE(RouteBench, "one that is deleted is gone with what waits for it") {
        const auto id = endpoint("http://127.0.0.1:9/");
        happen(2);
        const auto path = "/" + std::to_string(id);

        CHECK(status(HttpMethod::del, path) == 204);
        CHECK(number("state = 'cancelled'") == 2);
        CHECK(events("webhook.endpoint_deleted") == 1);
        CHECK(status(HttpMethod::del, path) == 404);
    }

    TEST_CASE_FIXTURE(RouteBench, "what is not there is 404 by every route") {
        endpoint("http://127.0.0.1:9/");
        for (const std::string path : {"/2", "/x", "/0", "/99999999999999999999"}) {
            CAPTURE(path);
            CHECK(status(HttpMethod::get, path) == 404);
            CHECK(status(HttpMethod::patch, path, R"({"name":"two"})") == 404);
            CHECK(status(HttpMethod::del, path) == 404);
            CHECK(status(HttpMethod::post, path + "/rotate", "{}") == 404);
            CHECK(status(HttpMethod::get, path + "/attempts") == 404);
            CHECK(status(HttpMethod::post, path + "/replay", "{}") == 404);
        }
        CHECK(database.value("SELECT count(*) FROM webhooks.endpoints") == "1");
    }

    TEST_CASE_FIXTURE(RouteBench, "all of it is for administrators") {
        endpoint("http://127.0.0.1:9/");
        for (const auto& route : plugin.routes) {
            auto path = route.path.substr(std::string_view{"/api/v1/webhooks"}.size());
            if (const auto at = path.find("{id}"); at != std::string::npos)
                path.replace(at, 4, "1");
            CAPTURE(path);
            CHECK(route.access == Access::admin);
            CHECK(call(route.method, path, "{}", std::nullopt).status == 401);
            CHECK(call(route.method, path, "{}", a_member()).status == 403);
        }
        CHECK(database.value("SELECT count(*) FROM webhooks.endpoints") == "1");
    }

    TEST_CASE_FIXTURE(RouteBench, "the attempt log pages by the id before") {
        HttpReceiver remote;
        const auto id = endpoint(remote.url());
        const auto path = "/" + std::to_string(id) + "/attempts";
        happen(101);
        CHECK(settle(*worker) == 101);

        const auto first = get(path).at("attempts");
        REQUIRE(first.size() == 100);
        CHECK(first[0].at("id") == 101);
        CHECK(first[0].at("outcome") == "delivered");
        CHECK(first[0].at("status") == 204);
        CHECK(first[0].at("attempt") == 1);
        const auto rest = get(path + "?before=2").at("attempts");
        REQUIRE(rest.size() == 1);
        CHECK(rest[0].at("id") == 1);
        CHECK(get(path + "?before=1").at("attempts").empty());
        CHECK(status(HttpMethod::get, path + "?before=x") == 422);
    }

    TEST_CASE_FIXTURE(RouteBench, "a replay by id is of the endpoint that the path names") {
        HttpReceiver remote{[](const Received&) { return HttpReceiver::answer_of(500); }};
        const auto one = endpoint(remote.url(), {"item.*"});
        const auto other = endpoint(remote.url(), {"item.*"});
        const auto dead = a_dead_delivery(one);
        const auto foreign = a_dead_delivery(other);
        const auto replay = "/" + std::to_string(one) + "/replay";
        const auto before = number("true");

        CHECK(status(HttpMethod::post, replay, json{{"delivery_id", foreign}}.dump()) == 422);
        CHECK(status(HttpMethod::post, replay, R"({"delivery_id":99999})") == 422);
        CHECK(number("true") == before);
        CHECK(post(replay, {{"delivery_id", dead}}).at("replayed") == 1);
        CHECK(number("replay_of = " + std::to_string(dead) + " AND lane = '" + std::to_string(one) +
                     "'") == 1);
        // One that waits is attempted by itself.
        const auto waits = database.value("SELECT max(id) FROM radd.deliveries");
        CHECK(status(HttpMethod::post, replay, R"({"delivery_id":)" + waits + "}") == 422);
    }

    TEST_CASE_FIXTURE(RouteBench, "a replay of dead letters is of one endpoint and its range") {
        HttpReceiver remote{[](const Received&) { return HttpReceiver::answer_of(500); }};
        const auto one = endpoint(remote.url(), {"item.*"});
        const auto other = endpoint(remote.url(), {"item.*"});
        const auto first = a_dead_delivery(one);
        const auto second = a_dead_delivery(one);
        const auto third = a_dead_delivery(one);
        const auto replay = "/" + std::to_string(one) + "/replay";

        CHECK(post(replay, {{"first_id", second}, {"last_id", second}}).at("replayed") == 1);
        CHECK(number("replay_of = " + std::to_string(second)) == 1);
        const auto all = post(replay);
        CHECK(all.at("replayed") == 2);
        CHECK(all.at("more") == false);
        CHECK(number("replay_of IN (" + std::to_string(first) + "," + std::to_string(third) +
                     ")") == 2);
        CHECK(number("replay_of IS NOT NULL AND lane = '" + std::to_string(other) + "'") == 0);
        CHECK(post(replay).at("replayed") == 0);
    }

    // P44
    TEST_CASE_FIXTURE(RouteBench, "a deleted project leaves no filter and empties none") {
        const auto made = [&](const json& projects) {
            return post(
                       "",
                       {{"name", "one"}, {"url", "http://127.0.0.1:9/"}, {"project_ids", projects}})
                .at("id")
                .get<std::int64_t>();
        };
        const auto only = made({7, 7});
        const auto both = made({7, 8});
        const auto all = made(json::array());
        const auto other = made({8});
        offer(an_event{items::ItemEvent::updated}
                  .with_id(1)
                  .about(items::ItemEntity::item, 1)
                  .in_project(7));
        const auto waiting = "lane = '" + std::to_string(only) + "' AND state = ";
        REQUIRE(number(waiting + "'pending'") == 1);
        const auto remove = [&](const std::string& project, std::int64_t event_id) {
            offer(an_event{items::ProjectEvent::deleted}
                      .with_id(event_id)
                      .about(items::ItemEntity::project, project)
                      .in_project(7));
        };
        const auto shown = [&](std::int64_t id) { return get("/" + std::to_string(id)); };

        std::int64_t event_id = 1;
        for (const char* project : {"7", "7", "9", "none"}) remove(project, ++event_id);

        // Who goes on is told of the deletion too, once: after it the filter is another.
        CHECK(number("lane = '" + std::to_string(both) + "' AND event_id > 1") == 1);
        CHECK(shown(only).at("disabled_reason") == "project 7, its only one, is deleted");
        CHECK(shown(both).at("project_ids") == json{8});
        CHECK(shown(both).at("enabled") == true);
        CHECK(shown(all).at("enabled") == true);
        CHECK(shown(other).at("project_ids") == json{8});
        CHECK(events("webhook.endpoint_disabled") == 1);
        CHECK(events("webhook.endpoint_updated") == 1);
        settle(*worker);
        CHECK(number(waiting + "'cancelled'") == 2);
    }
}

}  // namespace
}  // namespace radd::testing
