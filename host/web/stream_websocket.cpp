// WebSocket. The only file that knows Beast's, which costs a compiler half a minute.

#include <string_view>
#include <utility>

#include <boost/beast/core/flat_static_buffer.hpp>
#include <boost/beast/websocket.hpp>

#include <host/web/stream_transport.hpp>

namespace radd::web {
namespace {

namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;

constexpr std::size_t heard_bytes_max = 4096;  ///< Of a client's message. Past it: closed, 1009.
constexpr int switching_protocols = 101;

http::request<http::empty_body> handshake_of(const Call& call) {
    constexpr unsigned version_1_1 = 11;
    http::request<http::empty_body> request{http::verb::get, call.request.target, version_1_1};
    for (const auto& [name, value] : call.request.headers) request.insert(name, value);
    return request;
}

class WebsocketTransport final : public StreamTransport {
public:
    explicit WebsocketTransport(std::shared_ptr<Connection> connection)
        : connection_{std::move(connection)}, socket_{connection_->socket()} {}

    asio::awaitable<bool> open(const Call& call, Outgoing& outgoing) override {
        outgoing.status = switching_protocols;
        const auto add_id = [&call](websocket::response_type& response) {
            response.set("X-Request-Id", call.request_id);
        };
        socket_.set_option(websocket::stream_base::decorator{add_id});
        // After a client's close Beast waits for its end, which need not come.
        const auto hurry = [this](websocket::frame_type kind, boost::beast::string_view) {
            if (kind == websocket::frame_type::close) connection_->end_after(stream_farewell);
        };
        socket_.control_callback(hurry);
        socket_.read_message_max(heard_bytes_max);
        socket_.text(true);
        const auto request = handshake_of(call);
        auto [error] = co_await socket_.async_accept(request, as_result);
        co_return !error;
    }

    asio::awaitable<bool> write(const std::vector<StreamFrame>& frames) override {
        for (const auto& frame : frames) {
            const auto bytes = asio::buffer(*frame);
            auto [error, written] = co_await socket_.async_write(bytes, as_result);
            if (error) co_return false;
        }
        co_return true;
    }

    asio::awaitable<bool> ping() override {
        const websocket::ping_data nothing;
        auto [error] = co_await socket_.async_ping(nothing, as_result);
        co_return !error;
    }

    asio::awaitable<void> close() override {
        const websocket::close_reason reason{websocket::close_code::going_away};
        co_await socket_.async_close(reason, as_result);
    }

    /// Reading is what answers pings and the client's close.
    asio::awaitable<void> hear() override {
        boost::beast::flat_static_buffer<heard_bytes_max> buffer;
        for (;;) {
            auto [error, bytes] = co_await socket_.async_read(buffer, as_result);
            if (error) co_return;
            buffer.clear();
        }
    }

private:
    std::shared_ptr<Connection> connection_;
    websocket::stream<tcp::socket&> socket_;
};

}  // namespace

std::shared_ptr<StreamTransport> make_websocket_transport(std::shared_ptr<Connection> connection) {
    return std::make_shared<WebsocketTransport>(std::move(connection));
}

}  // namespace radd::web
