#pragma once

/// A stream's client without a socket, and subscribers of a stream without a database.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <radd/manifest.hpp>
#include <radd/stream.hpp>
#include <radd/testing/routes.hpp>
#include <radd/testing/services.hpp>

namespace radd::testing {

/// Takes what it is sent, up to `room` bytes that nobody has read() yet.
class FakeStreamClient final : public StreamClient {
public:
    std::size_t room = stream_bytes_max;

    [[nodiscard]] bool send(const StreamMessage& message) override {
        const auto size = message.data().size();
        if (is_closed_ || (waiting_ > 0 && waiting_ + size > room)) {
            wants_refill_ = !is_closed_;
            return false;
        }
        waiting_ += size;
        sent_.push_back(message);
        return true;
    }
    void request_refill() override { wants_refill_ = true; }
    void close() override { is_closed_ = true; }

    /// What was sent since the last read(), and there is room again.
    std::vector<StreamMessage> read() {
        waiting_ = 0;
        return std::exchange(sent_, {});
    }
    [[nodiscard]] bool is_closed() const noexcept { return is_closed_; }
    /// Whether the host would call refill() now. Once.
    [[nodiscard]] bool takes_refill() noexcept { return std::exchange(wants_refill_, false); }

private:
    std::vector<StreamMessage> sent_;
    std::size_t waiting_ = 0;
    bool wants_refill_ = false;
    bool is_closed_ = false;
};

/// A client and what the plugin keeps for it.
struct FakeStream {
    std::unique_ptr<FakeStreamClient> client = std::make_unique<FakeStreamClient>();
    std::unique_ptr<StreamSession> session{};
    HttpResponse refused{};  ///< Without a session: the answer that was given instead.

    /// What has come since, with refills as the host would make them.
    std::vector<StreamMessage> read() {
        std::vector<StreamMessage> all = client->read();
        while (session && client->takes_refill()) {
            session->refill(*client);
            for (auto& message : client->read()) all.push_back(std::move(message));
        }
        return all;
    }
};

/// Opens the stream that `target` means, checked as RouteCaller checks a route.
[[nodiscard]] inline FakeStream open_stream(const Manifest& manifest,
                                            Services& host,
                                            std::string_view target,
                                            std::optional<Principal> principal,
                                            std::vector<HttpField> headers) {
    FakeStream stream;
    std::vector<RouteSpec> routes;
    for (const StreamSpec& spec : manifest.streams) {
        routes.push_back(route_of(spec));
        routes.back().handle = [&stream, &spec](const HttpRequest& request, Services& services) {
            stream.session = spec.open(request, services);
            return no_content();
        };
    }
    stream.refused = RouteCaller{routes, host}.call(
        HttpMethod::get, target, {}, std::move(principal), std::move(headers));
    if (stream.session) stream.session->refill(*stream.client);
    return stream;
}

/// The subscribers of one plugin, each where it has listened to.
class FakeListeners {
public:
    void start(const Manifest& manifest, Services& host, std::int64_t head) {
        for (const auto& spec : manifest.tail_subscribers) {
            auto subscriber = spec.make(host);
            subscriber->began(head);
            listeners_.insert_or_assign(spec.name, Listener{std::move(subscriber), head});
        }
    }
    void stop() { listeners_.clear(); }

    /// Offers what every subscriber has not heard yet, as the host does.
    void listen(const std::deque<Event>& stream) {
        for (auto& [name, listener] : listeners_) {
            for (const Event& event : stream) {
                if (event.id <= listener.heard) continue;
                listener.heard = event.id;
                if (!event.silent) listener.subscriber->heard(event);
            }
        }
    }
    /// Passes it instead: the subscriber was too slow.
    void overflow(std::int64_t through) {
        for (auto& [name, listener] : listeners_) {
            if (listener.heard >= through) continue;
            listener.subscriber->missed(std::exchange(listener.heard, through), through);
        }
    }

private:
    struct Listener {
        std::unique_ptr<TailSubscriber> subscriber;
        std::int64_t heard;
    };
    std::map<std::string, Listener> listeners_;
};

}  // namespace radd::testing
