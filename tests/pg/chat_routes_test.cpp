// Rooms over HTTP, and what automations may do with them.

#include <string>

#include <doctest/doctest.h>

#include <tests/pg/chat_bench.hpp>

namespace radd::testing {
namespace {

TEST_SUITE("chat routes") {
    TEST_CASE_FIXTURE(ChatBench, "a room is made and changed and tried and forgotten") {
        const auto made =
            call(HttpMethod::post, "", json{{"name", "ops"}, {"url", service.url()}}.dump());
        CHECK(made.status == 201);
        CHECK(json::parse(made.body).at("enabled") == true);
        happen(2);
        const auto off = call(HttpMethod::patch, "/1", R"({"enabled":false})");
        CHECK(json::parse(off.body).at("disabled_reason") == "switched off");
        CHECK(number("state = 'cancelled'") == 2);
        CHECK(
            call(HttpMethod::patch, "/1", R"({"enabled":true,"event_types":["item.*"]})").status ==
            200);
        CHECK(settle(*poster_runner()) == 0);

        const auto tried = json::parse(call(HttpMethod::post, "/1/test", "{}").body);
        CHECK(tried.at("posted") == true);
        CHECK(tried.at("detail") == "answered 200");
        status = 403;
        CHECK(json::parse(call(HttpMethod::post, "/1/test", "{}").body).at("posted") == false);
        CHECK(call(HttpMethod::del, "/1").status == 204);
        CHECK(call(HttpMethod::del, "/1").status == 404);
        CHECK(events("chat.room_created") == 1);
        CHECK(events("chat.room_updated") == 2);
        CHECK(events("chat.room_deleted") == 1);
    }

    TEST_CASE_FIXTURE(ChatBench, "what waited for a room that was off is never posted") {
        const auto id = room();
        const auto fill = [&](int lines) {
            database.execute("WITH made AS (INSERT INTO chat.lines (room_id, text) SELECT " +
                             std::to_string(id) + ", 'old' FROM generate_series(1, " +
                             std::to_string(lines) +
                             ") RETURNING id) INSERT INTO radd.deliveries (queue, lane, payload, "
                             "next_attempt_at) SELECT 'chat.posts', '" +
                             std::to_string(id) +
                             "', json_build_object('line_id', id, 'text', 'old'), "
                             "clock_timestamp() + interval '3 hours' FROM made");
        };
        const auto waiting = [&] {
            return database.value("SELECT count(*) FROM chat.lines WHERE NOT dropped");
        };
        fill(20'001);

        CHECK(call(HttpMethod::patch, "/1", R"({"enabled":false})").status == 200);
        CHECK(waiting() == "10001");
        const auto early = call(HttpMethod::patch, "/1", R"({"enabled":true})");
        CHECK(early.status == 422);
        CHECK(early.body.find("still being cancelled") != std::string::npos);
        const auto retention = plugin.periodic_tasks.at(0).make(lent);
        CHECK(retention->tick());
        CHECK(waiting() == "9001");
        CHECK(number("state = 'pending'") == 1);
        CHECK(retention->tick());
        CHECK(number("state = 'pending'") == 0);
        CHECK(call(HttpMethod::patch, "/1", R"({"enabled":true})").status == 200);

        CHECK(settle(*poster_runner()) == 0);
        CHECK(waiting() == "0");
        CHECK(number("state = 'cancelled'") == 20'001);
        happen();
        CHECK(settle(*poster_runner()) == 1);
        CHECK(texts().back().find("old") == std::string::npos);
    }

    TEST_CASE_FIXTURE(ChatBench, "what is no room is refused by field and for members all of it") {
        const auto refused = [&](const json& body) {
            const auto answer = call(HttpMethod::post, "", body.dump());
            CHECK(answer.status == 422);
            return answer.body;
        };
        CHECK(refused({{"name", " "}, {"url", service.url()}}).find("name") != std::string::npos);
        CHECK(refused({{"name", "a"}, {"url", "ftp://x/"}}).find("url") != std::string::npos);
        CHECK(refused({{"name", "a"}, {"url", "https:/8.8.8.8/services//geheim"}})
                  .find("its host behind https://") != std::string::npos);
        CHECK(refused({{"name", "a"}, {"url", "http://10.0.0.1/"}}).find("not allowed") !=
              std::string::npos);
        CHECK(refused({{"name", "a"}, {"url", service.url()}, {"event_types", {"Item"}}})
                  .find("event_types") != std::string::npos);
        CHECK(database.value("SELECT count(*) FROM chat.rooms") == "0");
        room();
        for (const auto& route : plugin.routes) {
            auto path = route.path.substr(std::string_view{"/api/v1/chat/rooms"}.size());
            if (const auto at = path.find("{id}"); at != std::string::npos)
                path.replace(at, 4, "1");
            CAPTURE(path);
            CHECK(call(route.method, path, "{}", std::nullopt).status == 401);
            CHECK(call(route.method, path, "{}", a_member()).status == 403);
        }
        for (const char* path : {"/9", "/x"}) CHECK(call(HttpMethod::get, path).status == 404);
        CHECK(call(HttpMethod::post, "/9/test", "{}").status == 404);
    }

    // P44
    TEST_CASE_FIXTURE(ChatBench, "a deleted project leaves no filter and empties none") {
        const auto made = [&](const json& projects) {
            const auto answer = call(
                HttpMethod::post,
                "",
                json{{"name", "ops"}, {"url", service.url()}, {"project_ids", projects}}.dump());
            REQUIRE(answer.status == 201);
            return "/" + std::to_string(json::parse(answer.body).at("id").get<std::int64_t>());
        };
        const auto only = made({7});
        const auto both = made({7, 8});
        const auto all = made(json::array());
        const auto shown = [&](const std::string& room) {
            return json::parse(call(HttpMethod::get, room).body);
        };

        for (const char* project : {"7", "7", "9", "none"}) {
            auto deleted = an_event{items::ProjectEvent::deleted}
                               .with_id(++last_event)
                               .about(items::ItemEntity::project, project);
            transactions.transact([&](Transaction& tx) { planner->offer(tx, deleted.silent()); });
        }

        CHECK(shown(only).at("disabled_reason") == "project 7, its only one, is deleted");
        CHECK(shown(both).at("project_ids") == json{8});
        CHECK(shown(both).at("enabled") == true);
        CHECK(shown(all).at("enabled") == true);
        CHECK(events("chat.room_disabled") == 1);
        CHECK(events("chat.room_updated") == 1);
    }
}

TEST_SUITE("chat action") {
    TEST_CASE_FIXTURE(ChatBench, "an automation posts a line of its own to a room by its name") {
        room();
        REQUIRE(plugin.actions.size() == 1);
        const auto& action = plugin.actions.front();
        const Event event = an_event{items::ItemEvent::updated}.with_id(7);
        const auto planned = [&](const json& arguments) {
            return transactions.transact([&](Transaction& tx) {
                return action.plan(tx, lent, {.event = &event, .arguments = arguments});
            });
        };
        const auto plan = planned({{"room", "ops"}, {"text", "<users/all> look\nhere"}});
        CHECK(plan.has_effect);
        CHECK(plan.summary == "post to ops: <users/all> look\nhere");
        CHECK(number("true") == 0);
        transactions.transact([&](Transaction& tx) { action.apply(tx, lent, plan); });
        CHECK(number("event_id = 7 AND lane = '1'") == 1);
        CHECK(settle(*poster_runner()) == 1);
        CHECK(texts().front() == "&lt;users/all&gt; look here");

        CHECK(planned({{"room", "1"}, {"text", "x"}}).has_effect);
        CHECK_THROWS_AS((void)planned({{"room", "nowhere"}, {"text", "x"}}), InvalidInput);
        (void)call(HttpMethod::patch, "/1", R"({"enabled":false})");
        CHECK_FALSE(planned({{"room", "ops"}, {"text", "x"}}).has_effect);
    }
}

}  // namespace
}  // namespace radd::testing
