#pragma once

/// Streams of numbers, and clients of them that may behave or not.

#include <cstddef>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <tests/web/web_bench.hpp>

namespace radd::testing {

inline constexpr std::string_view get_events = "GET /events HTTP/1.1\r\nHost: a\r\n\r\n";
inline constexpr std::string_view get_socket =
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

inline constexpr int op_text = 1;
inline constexpr int op_close = 8;
inline constexpr int op_ping = 9;
inline constexpr int op_pong = 10;

inline std::string websocket_request() {
    return std::string{get_socket} + "\r\n";
}

/// Half of them of each kind.
inline std::vector<std::unique_ptr<Client>> clients_of(const WebBench& bench, int count) {
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < count; ++i) {
        const bool is_socket = i % 2 != 0;
        clients.push_back(std::make_unique<Client>(
            bench, is_socket ? websocket_request() : std::string{get_events}));
        REQUIRE(clients.back()->head.status == (is_socket ? 101 : 200));
    }
    return clients;
}

}  // namespace radd::testing
