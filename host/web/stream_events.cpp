// Server-Sent Events. The answer has no length and ends with its connection, which needs no framing
// that a message could break.

#include <array>
#include <string_view>
#include <utility>

#include <boost/asio/write.hpp>

#include <host/web/framing.hpp>
#include <host/web/stream_transport.hpp>

namespace radd::web {
namespace {

class EventsTransport final : public StreamTransport {
public:
    explicit EventsTransport(std::shared_ptr<Connection> connection)
        : connection_{std::move(connection)} {}

    asio::awaitable<bool> open(const Call&, Outgoing& outgoing) override {
        const std::string head = stream_head_of(outgoing);
        const auto bytes = asio::buffer(head);
        auto [error, written] = co_await asio::async_write(connection_->socket(), bytes, as_result);
        co_return !error;
    }

    asio::awaitable<bool> write(const std::vector<StreamFrame>& frames) override {
        std::vector<asio::const_buffer> buffers;
        buffers.reserve(frames.size());
        for (const auto& frame : frames) buffers.push_back(asio::buffer(*frame));
        auto [error, written] =
            co_await asio::async_write(connection_->socket(), buffers, as_result);
        co_return !error;
    }

    asio::awaitable<bool> ping() override {
        constexpr std::string_view comment = ": ping\n\n";
        const auto bytes = asio::buffer(comment);
        auto [error, written] = co_await asio::async_write(connection_->socket(), bytes, as_result);
        co_return !error;
    }

    asio::awaitable<void> close() override {
        error_code ignored;
        connection_->socket().shutdown(tcp::socket::shutdown_send, ignored);
        co_return;
    }

    /// There is nothing to say on such a stream: what comes is dropped until the end comes.
    asio::awaitable<void> hear() override {
        constexpr std::size_t piece = 512;
        std::array<char, piece> scrap{};
        const auto target = asio::buffer(scrap);
        for (;;) {
            auto [error, bytes] = co_await connection_->socket().async_read_some(target, as_result);
            if (error) co_return;
        }
    }

private:
    std::shared_ptr<Connection> connection_;
};

}  // namespace

std::shared_ptr<StreamTransport> make_events_transport(std::shared_ptr<Connection> connection) {
    return std::make_shared<EventsTransport>(std::move(connection));
}

}  // namespace radd::web
