// Streams over real sockets, SSE and WebSocket, with clients that behave and clients that do not.

#include <future>
#include <set>
#include <thread>

#include <doctest/doctest.h>

#include <tests/web/web_bench.hpp>

using namespace radd;
using namespace radd::testing;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view get_events = "GET /events HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view get_socket =
    "GET /socket HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

/// Everybody who listens, and numbers for them. A client that takes no more is skipped until it
/// has room, and goes on where it stood.
class Feed {
public:
    class Listener final : public StreamSession {
    public:
        explicit Listener(Feed& feed) : feed_{feed} {}
        ~Listener() override {
            const std::scoped_lock lock{feed_.mutex_};
            feed_.listeners_.erase(this);
            feed_.accepted_by_who_left_.push_back(accepted_);
        }
        void refill(StreamClient& client) override {
            const std::scoped_lock lock{feed_.mutex_};
            client_ = &client;
            feed_.listeners_.insert(this);
            catch_up();
        }
        void catch_up() {
            while (next_ < feed_.messages_.size() && client_->send(feed_.messages_[next_]))
                accepted_ += feed_.messages_[next_++].data().size();
        }

    private:
        std::size_t accepted_ = 0;
        Feed& feed_;
        StreamClient* client_ = nullptr;
        std::size_t next_ = 0;
    };

    void say(const std::string& data) {
        const std::scoped_lock lock{mutex_};
        messages_.emplace_back(data, "", std::to_string(messages_.size() + 1));
        for (Listener* listener : listeners_) listener->catch_up();
    }
    /// The next number, padded to `bytes`.
    void count(std::size_t bytes) {
        const std::scoped_lock lock{mutex_};
        auto text = std::to_string(messages_.size() + 1);
        text.resize(std::max(bytes, text.size()), ' ');
        messages_.emplace_back(text, "", "");
        for (Listener* listener : listeners_) listener->catch_up();
    }
    [[nodiscard]] std::size_t listeners() const {
        const std::scoped_lock lock{mutex_};
        return listeners_.size();
    }

    /// Bytes that were taken for each client that has gone.
    [[nodiscard]] std::vector<std::size_t> accepted_by_who_left() const {
        const std::scoped_lock lock{mutex_};
        return accepted_by_who_left_;
    }

private:
    mutable std::mutex mutex_;
    std::set<Listener*> listeners_;
    std::vector<std::size_t> accepted_by_who_left_;
    std::vector<StreamMessage> messages_;
};

struct Streaming : WebBench {
    Streaming() {
        for (const auto kind : {StreamKind::events, StreamKind::websocket}) {
            add(StreamSpec{.kind = kind,
                           .path = kind == StreamKind::events ? "/events" : "/socket",
                           .access = Access::anyone,
                           .summary = "Listen",
                           .open = [this](const HttpRequest&, Services&) {
                               return std::make_unique<Feed::Listener>(feed);
                           }});
        }
        add(StreamSpec{.path = "/mine",
                       .access = Access::member,
                       .summary = "Listen",
                       .open = [this](const HttpRequest&, Services&) {
                           return std::make_unique<Feed::Listener>(feed);
                       }});
        add(route(HttpMethod::get, "/a"));
    }
    ~Streaming() { server.reset(); }  // Before the feed.
    Feed feed;
};

/// A connection on which a stream has begun.
struct Client : HttpConnection {
    Client(const WebBench& bench, std::string_view request) : HttpConnection{bench.port} {
        send(request);
        head = read(true);
    }
    HttpReply head;

    /// The next message of a WebSocket: its opcode, and its text.
    std::pair<int, std::string> message() {
        const auto begin = read_bytes(2);
        if (begin.empty()) return {-1, ""};
        const auto byte = [](char c) {
            return static_cast<std::size_t>(static_cast<unsigned char>(c));
        };
        std::size_t size = byte(begin[1]) & 0x7FU;
        const std::size_t more = size == 126 ? 2 : size == 127 ? 8 : 0;
        if (more > 0) {
            size = 0;
            for (const char c : read_bytes(more)) size = size * 256 + byte(c);
        }
        return {static_cast<int>(byte(begin[0]) & 0xFU), size == 0 ? "" : read_bytes(size)};
    }
    /// A frame of a client, with a mask of zeros.
    void say(int opcode, std::string_view text) {
        std::string frame{static_cast<char>(0x80 | opcode), static_cast<char>(0x80 | text.size())};
        send(frame.append(4, '\0').append(text));
    }
};

constexpr int op_text = 1;
constexpr int op_close = 8;
constexpr int op_ping = 9;
constexpr int op_pong = 10;

std::string websocket_request() {
    return std::string{get_socket} + "\r\n";
}

}  // namespace

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
        options.stream_keepalive = 20ms;
        options.idle_timeout = 50ms;
        start();
        Client events{*this, get_events};
        Client socket{*this, websocket_request()};
        for (int i = 0; i < 10; ++i) {
            CHECK(events.read_until("\n\n") == ": ping\n\n");
            CHECK(socket.message().first == op_ping);
        }
    }

    TEST_CASE_FIXTURE(Streaming,
                      "of clients that do not read each costs a bounded amount and is closed") {
        options.stream_stalled_after = 300ms;
        start();
        std::vector<std::unique_ptr<Client>> stalled;
        for (int i = 0; i < 10; ++i) {
            stalled.push_back(std::make_unique<Client>(
                *this, i % 2 == 0 ? std::string{get_events} : websocket_request()));
            REQUIRE(stalled.back()->head.status == (i % 2 == 0 ? 200 : 101));
        }
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
