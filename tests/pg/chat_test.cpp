// Rooms, what waits for them, and a chat service that answers as it is told.

#include <string>

#include <doctest/doctest.h>

#include <host/plugins/validate.hpp>
#include <plugins/chat/message.hpp>
#include <radd/percent.hpp>
#include <tests/pg/chat_bench.hpp>

namespace radd::testing {
namespace {

using namespace std::chrono_literals;

TEST_SUITE("chat") {
    TEST_CASE("the plugin is one that a host accepts") {
        const auto problems = loader::check_manifest(linked_manifest());
        CHECK_MESSAGE(problems.empty(), (problems.empty() ? "" : problems.front().message));
    }

    TEST_CASE_FIXTURE(ChatBench, "a room is told of an event in one message") {
        room({"item.*"});
        happen();
        CHECK(settle(*poster_runner()) == 1);

        REQUIRE(service.count() == 1);
        const auto sent = service.received().front();
        CHECK(sent.request_line.starts_with(
            "POST /v1/spaces/A/messages?key=k&token=geheim&requestId="));
        CHECK(sent.headers.at("content-type") == "application/json; charset=UTF-8");
        CHECK(texts().front().find("|DEMO-1> t1") != std::string::npos);
        CHECK(state() == "delivered after 1");
        CHECK(database.value("SELECT count(*) FROM chat.lines WHERE posted_with = 1") == "1");
    }

    TEST_CASE_FIXTURE(ChatBench, "begins with what happens now and passes imports") {
        const auto traits = planner->traits();
        CHECK(traits.first_start == FirstStart::head);
        CHECK(traits.sees_silent);  // For deleted projects alone.
        (void)room();
        auto imported =
            an_event{items::ItemEvent::updated}.with_id(1).about(items::ItemEntity::item, 1);
        transactions.transact([&](Transaction& tx) { planner->offer(tx, imported.silent()); });
        CHECK(database.value("SELECT count(*) FROM chat.lines") == "0");
        CHECK(plugin.consumers.at(0).resume == Resume::head);
    }

    TEST_CASE_FIXTURE(ChatBench, "a room that is behind gets more in each message") {
        room();
        happen(3);
        const auto worker = poster_runner();
        CHECK(settle(*worker) == 3);

        REQUIRE(texts().size() == 1);
        const auto text = texts().front();
        CHECK(text.find("t1") < text.find("\n"));
        CHECK(text.find("t2") < text.find("t3"));
        CHECK(number("state = 'delivered'") == 3);
        CHECK(database.value("SELECT last_error FROM radd.deliveries WHERE id = 1") ==
              "answered 200, with 3 lines");
        CHECK(database.value("SELECT last_error FROM radd.deliveries WHERE id = 3") ==
              "posted together with delivery 1");
        CHECK(pauses.empty());
    }

    TEST_CASE_FIXTURE(ChatBench, "two messages of a room are a second apart") {
        room();
        const auto worker = poster_runner();
        happen();
        CHECK(settle(*worker) == 1);
        happen();
        CHECK(settle(*worker) == 1);

        CHECK(service.count() == 2);
        REQUIRE(pauses.size() == 1);
        CHECK(pauses.front() > 0ms);
        CHECK(pauses.front() <= 1000ms);
        let(2s);
        happen();
        CHECK(settle(*worker) == 1);
        CHECK(pauses.size() == 1);
    }

    TEST_CASE_FIXTURE(ChatBench, "sixty lines are three messages with each line once") {
        room();
        happen(60);
        CHECK(settle(*poster_runner()) == 60);

        CHECK(service.count() == 3);
        const auto all = chat::joined(texts());
        for (int i = 1; i <= 60; ++i) {
            const auto title = "> t" + std::to_string(i) + " ";
            CHECK(all.find(title) != std::string::npos);
            CHECK(all.find(title) == all.rfind(title));
        }
        for (const auto& text : texts()) CHECK(text.size() <= chat::message_bytes_max);
        CHECK(number("state = 'delivered'") == 60);
    }

    TEST_CASE_FIXTURE(ChatBench, "who answers 429 is left alone as long as it asks") {
        room();
        happen(2);
        status = 429;
        headers = "Retry-After: 120\r\n";
        const auto worker = poster_runner();
        CHECK(settle(*worker) == 2);
        // The second did not ask again: the room holds for both.
        CHECK(service.count() == 1);
        CHECK(state() == "pending after 1");
        CHECK(std::stod(wait()) >= 120);
        CHECK(settle(*worker) == 0);

        status = 200;
        let(121s);
        CHECK(settle(*worker) == 2);
        CHECK(service.count() == 2);
        CHECK(texts().back().find("t2") != std::string::npos);
        CHECK(number("state = 'delivered'") == 2);
    }

    TEST_CASE_FIXTURE(ChatBench, "a date to come back at is read by the clock of who names it") {
        room();
        happen();
        status = 503;
        const std::string after = "Retry-After: Sun, 06 Nov 1994 08:51:07 GMT\r\n";
        headers = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n" + after;
        const auto worker = poster_runner();
        CHECK(settle(*worker) == 1);
        CHECK(std::stod(wait()) == 90);
        let(90s);
        headers = after;
        CHECK(settle(*worker) == 1);
        CHECK(std::stod(wait()) == 30);
    }

    TEST_CASE_FIXTURE(ChatBench, "a repeated attempt has the name of the first") {
        room();
        happen();
        status = 503;
        const auto worker = poster_runner();
        CHECK(settle(*worker) == 1);
        const auto first = service.received().front();
        status = 200;
        let(40s);
        happen();
        CHECK(settle(*worker) == 2);

        const auto second = service.received().at(1);
        CHECK(second.request_line == first.request_line);
        CHECK(second.body == first.body);
        CHECK(texts().back().find("t2") != std::string::npos);
        CHECK(service.count() == 3);
    }

    TEST_CASE_FIXTURE(ChatBench, "a message that is refused is dead at once and not said again") {
        room();
        happen();
        status = 400;
        const auto worker = poster_runner();
        CHECK(settle(*worker) == 1);
        CHECK(state() == "dead after 1");
        CHECK(database.value("SELECT enabled FROM chat.rooms") == "true");
        status = 200;
        let(2s);
        happen();
        CHECK(settle(*worker) == 1);
        CHECK(texts().back().find("t1") == std::string::npos);

        const auto again =
            transactions.transact([&](Transaction& tx) { return posts.replay_one(tx, 1); });
        CHECK(again.has_value());
        let(2s);
        CHECK(settle(*worker) == 1);
        CHECK(texts().back().find("t1") != std::string::npos);
    }

    TEST_CASE_FIXTURE(ChatBench, "a room that is gone is disabled with the reason") {
        for (const int code : {404, 410}) {
            CAPTURE(code);
            const auto id = room();
            happen(3);
            status = code;
            const auto worker = poster_runner();
            CHECK(settle(*worker) == 1);

            const auto lane = "lane = '" + std::to_string(id) + "' AND ";
            CHECK(number(lane + "state = 'dead'") == 1);
            CHECK(number(lane + "state = 'cancelled'") == 2);
            CHECK(database.value("SELECT disabled_reason FROM chat.rooms WHERE id = " +
                                 std::to_string(id)) ==
                  "its service answered that the room is gone");
            happen();
            CHECK(settle(*worker) == 0);
        }
        CHECK(events("chat.room_disabled") == 2);
    }

    TEST_CASE_FIXTURE(ChatBench,
                      "one that does not answer is tried by the schedule and then dead") {
        room();
        happen();
        status = 500;
        const auto worker = poster_runner();
        for (const auto rung : {5s, 30s, 120s, 600s, 1800s}) {
            CHECK(settle(*worker) == 1);
            CHECK(state().starts_with("pending"));
            CHECK(std::stod(wait()) == static_cast<double>(rung.count()));
            let(rung);
        }
        CHECK(settle(*worker) == 1);
        CHECK(state() == "dead after 6");
        CHECK(service.count() == 6);
    }

    TEST_CASE_FIXTURE(ChatBench, "an emoji arrives as four bytes and nothing is half a character") {
        room();
        std::string title;
        for (int i = 0; i < 500; ++i) title += "\xf0\x9f\x98\x80";
        transactions.transact([&](Transaction& tx) {
            planner->offer(tx,
                           an_event{items::ItemEvent::updated}
                               .with_id(1)
                               .about(items::ItemEntity::item, 1)
                               .with_payload(json{{"item", {{"title", title}}}}));
        });
        CHECK(settle(*poster_runner()) == 1);
        const auto body = service.received().front().body;
        CHECK(body.find("\xf0\x9f\x98\x80") != std::string::npos);
        CHECK_FALSE(first_invalid_utf8(body).has_value());
    }

    TEST_CASE_FIXTURE(ChatBench, "a URL is sealed and shown by nothing") {
        const auto id = room();
        const auto url = database.value("SELECT url FROM chat.rooms");
        CHECK(url == lent.secrets().seal(chat::Rooms::purpose(id),
                                         service.url("/v1/spaces/A/messages?key=k&token=geheim")));
        for (const auto& path : {std::string{}, "/" + std::to_string(id)}) {
            const auto shown = call(HttpMethod::get, path).body;
            CHECK(shown.find("geheim") == std::string::npos);
            CHECK(shown.find("spaces") == std::string::npos);
            CHECK(shown.find("\"url_host\":\"127.0.0.1:") != std::string::npos);
        }
        happen();
        status = 500;
        CHECK(settle(*poster_runner()) == 1);
        CHECK(database.value("SELECT count(*) FROM radd.deliveries d WHERE d::text LIKE "
                             "'%geheim%'") == "0");
        CHECK(log.count("geheim") == 0);
    }

    TEST_CASE_FIXTURE(ChatBench, "filters decide which room is told of what and none of rooms") {
        room({"item.updated"});
        room({"comment.*"});
        const auto id = room();
        happen();
        CHECK(database.value("SELECT string_agg(lane, ',' ORDER BY lane) FROM radd.deliveries") ==
              "1,3");
        transactions.transact([&](Transaction& tx) {
            planner->offer(tx,
                           an_event{chat::ChatEvent::room_updated}.with_id(50).about(
                               chat::ChatEntity::room, id));
        });
        CHECK(number("true") == 2);
        // An event that comes back after a seek is told once.
        last_event = 0;
        happen();
        CHECK(number("true") == 2);
        CHECK(database.value("SELECT count(*) FROM chat.lines WHERE NOT dropped") == "2");
    }
}

}  // namespace
}  // namespace radd::testing
