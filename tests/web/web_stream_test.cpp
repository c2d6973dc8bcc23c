// Streams over real sockets, SSE and WebSocket, with clients that behave.

#include <future>
#include <thread>

#include <doctest/doctest.h>

#include <tests/web/stream_bench.hpp>

using namespace radd;
using namespace radd::testing;
using namespace std::chrono_literals;

TEST_SUITE("web stream") {
    TEST_CASE_FIXTURE(Streaming, "events arrive in their frames and the answer has no end") {
        start();
        Client client{*this, get_events};
        CHECK(client.head.status == 200);
        CHECK(client.head.header("content-type") == "text/event-stream");
        CHECK(client.head.header("cache-control") == "no-store");
        CHECK(client.head.header("x-accel-buffering") == "no");
        CHECK_FALSE(client.head.has_header("content-length"));
        REQUIRE(eventually([&] { return feed.listeners() == 1; }));

        feed.say("one");
        feed.say("two\nid: 99\n\nevent: x");

        CHECK(client.read_until("\n\n") == "id: 1\ndata: one\n\n");
        CHECK(client.read_until("\n\n") ==
              "id: 2\ndata: two\ndata: id: 99\ndata: \ndata: event: x\n\n");
        CHECK(access_log.lines.contain("GET /events 200"));
        CHECK(server->streams().open == 1);
    }

    TEST_CASE_FIXTURE(Streaming, "a WebSocket carries the text as it is and answers a ping") {
        start();
        Client client{*this, websocket_request()};
        CHECK(client.head.status == 101);
        CHECK(client.head.header("sec-websocket-accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        feed.say("one\ntwo");
        CHECK(client.message() == std::pair{op_text, std::string{"one\ntwo"}});

        client.say(op_ping, "are you there");
        CHECK(client.message() == std::pair{op_pong, std::string{"are you there"}});
        client.say(op_text, "nobody listens");
        client.say(op_close, "\x03\xE8");
        CHECK(client.message().first == op_close);
        CHECK(client.closes());
        CHECK(eventually([&] { return server->streams().open == 0 && feed.listeners() == 0; }));
    }

    TEST_CASE_FIXTURE(Streaming, "who may not listen is told so as on any route") {
        start();
        CHECK(get("/mine").status == 401);
        CHECK(http(port, "POST", "/events").status == 405);
        CHECK(http(port, "HEAD", "/events").status == 200);
        CHECK(get("/events?colour=red").status == 422);
        CHECK(get("/socket").status == 426);
        CHECK(get("/socket").header("upgrade") == "websocket");
        const auto with_origin = [&](std::string_view origin) {
            return Client{*this,
                          std::string{get_socket} + "Origin: " + std::string{origin} + "\r\n\r\n"}
                .head.status;
        };
        CHECK(with_origin("http://a") == 101);
        CHECK(with_origin("https://evil.example") == 403);
        CHECK(eventually([&] { return feed.listeners() == 0; }));
    }

    TEST_CASE_FIXTURE(Streaming, "a token that is withdrawn ends the stream it has opened") {
        options.stream_allowed_every = 50ms;
        options.stream_keepalive = 20ms;
        start();
        Client client{
            *this, "GET /mine HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer member-secret\r\n\r\n"};
        REQUIRE(client.head.status == 200);
        people.is_away = true;  // Nobody can say: it goes on.
        REQUIRE_FALSE(client.read_until("ping").empty());
        people.is_away = false;
        people.is_withdrawn = true;
        CHECK(client.closes());
    }

    TEST_CASE_FIXTURE(Streaming, "an idle stream is kept alive and is not closed") {
        options.stream_keepalive = 100ms;
        options.idle_timeout = 500ms;
        start();
        Client events{*this, get_events};
        Client socket{*this, websocket_request()};
        for (int i = 0; i < 10; ++i) {
            CHECK(events.read_until("\n\n") == ": ping\n\n");
            CHECK(socket.message().first == op_ping);
        }
    }

    TEST_CASE_FIXTURE(Streaming,
                      "clients hear every message once and in order whoever speaks and leaves") {
        options.stream_keepalive = 5ms;
        start();
        constexpr int clients = 50;
        constexpr int messages = 1000;
        constexpr int speakers = 4;
        std::vector<std::unique_ptr<Client>> sockets;
        for (int i = 0; i < clients; ++i) {
            sockets.push_back(std::make_unique<Client>(*this, websocket_request()));
            REQUIRE(sockets.back()->head.status == 101);
        }
        REQUIRE(eventually([&] { return feed.listeners() == clients; }));
        std::vector<std::thread> threads;
        for (int i = 0; i < speakers; ++i)
            threads.emplace_back([&] {
                for (int n = 0; n < messages / speakers; ++n) feed.count(1);
            });
        for (int i = 0; i < clients / 5; ++i) sockets.pop_back();  // In the middle of it.

        for (auto& socket : sockets) {
            int next = 1;
            while (next <= messages) {
                const auto [opcode, text] = socket->message();
                if (opcode == op_ping) continue;
                REQUIRE(opcode == op_text);
                REQUIRE(text == std::to_string(next));
                ++next;
            }
        }
        for (auto& thread : threads) thread.join();
        CHECK(eventually([&] { return feed.listeners() == clients - clients / 5; }));
        CHECK(server->streams().stalled == 0);
    }

    TEST_CASE_FIXTURE(Streaming, "more streams than are served are told to come again") {
        options.streams_max = 2;
        start();
        Client first{*this, get_events};
        Client second{*this, get_events};
        REQUIRE(eventually([&] { return server->streams().open == 2; }));
        CHECK(get("/events").status == 503);
        CHECK(get("/a").status == 200);
        CHECK(server->streams().refused == 1);
    }

    TEST_CASE_FIXTURE(Streaming, "at the end every client is told and leaves at once") {
        start();
        Client events{*this, get_events};
        Client socket{*this, websocket_request()};
        REQUIRE(eventually([&] { return server->streams().open == 2; }));

        auto drained = std::async(std::launch::async, [&] { return server->drain(20s); });
        const auto farewell = socket.message();
        socket.say(op_close, farewell.second);

        CHECK(farewell == std::pair{op_close, std::string{"\x03\xE9"}});
        CHECK(events.closes());
        CHECK(drained.get());
        CHECK(feed.listeners() == 0);
        CHECK(server->stop(20s));
    }
}
