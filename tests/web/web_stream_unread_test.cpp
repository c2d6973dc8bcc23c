// Streams over real sockets with clients that do not read, and clients that are gone: P46.

#include <future>
#include <thread>

#include <doctest/doctest.h>

#include <tests/web/stream_bench.hpp>

using namespace radd;
using namespace radd::testing;
using namespace std::chrono_literals;

TEST_SUITE("web stream") {
    TEST_CASE_FIXTURE(Streaming,
                      "of clients that do not read each costs a bounded amount and is closed") {
        options.stream_stalled_after = 2s;
        start();
        const auto stalled = clients_of(*this, 10);
        Client good{*this, get_events};
        REQUIRE(eventually([&] { return feed.listeners() == 11; }));

        constexpr int messages = 2000;
        constexpr std::size_t message_bytes = 10'000;
        std::thread speaker{[&] {
            for (int i = 0; i < messages; ++i) feed.count(message_bytes);
        }};
        int heard = 0;
        while (heard < messages && !good.read_until("\n\n").empty()) ++heard;
        speaker.join();

        CHECK(heard == messages);
        CHECK(eventually([&] { return server->streams().open == 1; }));
        CHECK(server->streams().stalled == 10);
        CHECK(feed.listeners() == 1);
        // What the two kernels hold: our send buffer is 256 KiB, which Linux doubles, and a receive
        // buffer that nobody reads does not grow.
        constexpr std::size_t socket_bytes_max = std::size_t{1024} * 1024;
        const auto accepted = feed.accepted_by_who_left();
        REQUIRE(accepted.size() == 10);
        for (const auto bytes : accepted)
            CHECK(bytes <= stream_bytes_max + message_bytes + socket_bytes_max);
    }

    // P46
    TEST_CASE_FIXTURE(Streaming, "five clients hear all while twenty beside them do not read") {
        options.stream_stalled_after = 1h;  // Whoever waited for one of them would hear no more.
        start();
        const auto stalled = clients_of(*this, 20);
        constexpr int messages = 10'000;
        const auto heard_by_one = [&] {
            Client client{*this, get_events};
            int heard = 0;
            const auto next = [&] { return "data: " + std::to_string(heard + 1) + " "; };
            while (heard < messages && client.read_until("\n\n").starts_with(next())) ++heard;
            return heard;
        };
        std::vector<std::future<int>> good;
        for (int i = 0; i < 5; ++i) good.push_back(std::async(std::launch::async, heard_by_one));
        REQUIRE(eventually([&] { return feed.listeners() == 25; }));

        constexpr std::size_t message_bytes = 1000;
        for (int i = 0; i < messages; ++i) feed.count(message_bytes);

        for (auto& heard : good) CHECK(heard.get() == messages);
        CHECK(eventually([&] { return server->streams().open == stalled.size(); }));
        CHECK(server->streams().stalled == 0);
    }

    // P32
    TEST_CASE_FIXTURE(Streaming,
                      "clients that vanish while they are written to take nobody along") {
        options.stream_stalled_after = 1h;
        start();
        auto leaving = clients_of(*this, 10);
        Client good{*this, get_events};
        REQUIRE(eventually([&] { return feed.listeners() == 11; }));
        const auto good_hears = [&](int messages) {
            constexpr std::size_t message_bytes = 10'000;
            for (int i = 0; i < messages; ++i) feed.count(message_bytes);
            for (int i = 0; i < messages; ++i)
                if (good.read_until("\n\n").empty()) return false;
            return true;
        };
        REQUIRE(good_hears(500));  // More than the kernels hold: each write to the others stands.

        leaving.clear();

        CHECK(good_hears(100));
        CHECK(eventually([&] { return server->streams().open == 1; }));
        CHECK(feed.listeners() == 1);
        CHECK(server->streams().stalled == 0);
        CHECK(get("/a").status == 200);
    }

    // P46
    TEST_CASE("the time that clients of a stream are given is what they can count on") {
        const web::ServerOptions shipped;
        CHECK(shipped.stream_keepalive <= 30s);
        CHECK(shipped.stream_stalled_after <= 30s);
        // Who vanishes is noticed by what it does not acknowledge, at the latest by a ping.
        CHECK(shipped.stream_keepalive + shipped.stream_dead_after <= 90s);
    }

    // P46
    TEST_CASE_FIXTURE(Streaming, "a peer that is gone without a word is noticed in time") {
        options.stream_keepalive = 100ms;
        options.stream_dead_after = 500ms;
        start();
        Client good{*this, get_events};
        Client events{*this, get_events};
        Client socket{*this, websocket_request()};
        REQUIRE(eventually([&] { return server->streams().open == 3; }));

        events.vanish();
        socket.vanish();

        CHECK(eventually([&] { return server->streams().open == 1; }));
        CHECK(feed.listeners() == 1);
        CHECK(server->streams().stalled == 0);  // They were not what does not read.
        feed.say("still here");
        CHECK_FALSE(good.read_until("data: still here").empty());
    }
}
