#pragma once

/// How messages get onto one connection. Private to the server: it knows Asio.

#include <memory>
#include <vector>

#include <host/web/connection.hpp>
#include <host/web/dispatch.hpp>
#include <host/web/stream_channel.hpp>

namespace radd::web {

/// For leaving: what is said at the end, and the other side's answer.
inline constexpr std::chrono::milliseconds stream_farewell{1000};

/// Everything of it happens on the I/O thread. open(), write(), ping() and close() one after the
/// other; hear() beside them.
class StreamTransport {
public:
    StreamTransport() = default;
    StreamTransport(const StreamTransport&) = delete;
    StreamTransport& operator=(const StreamTransport&) = delete;
    virtual ~StreamTransport() = default;

    /// Sends the head of the answer, which is told in `outgoing`.
    virtual asio::awaitable<bool> open(const Call& call, Outgoing& outgoing) = 0;
    virtual asio::awaitable<bool> write(const std::vector<StreamFrame>& frames) = 0;
    virtual asio::awaitable<bool> ping() = 0;
    virtual asio::awaitable<void> close() = 0;  ///< Says that this host ends the stream.
    virtual asio::awaitable<void> hear() = 0;   ///< Until the client has gone.
};

[[nodiscard]] std::shared_ptr<StreamTransport> make_events_transport(
    std::shared_ptr<Connection> connection);
[[nodiscard]] std::shared_ptr<StreamTransport> make_websocket_transport(
    std::shared_ptr<Connection> connection);

}  // namespace radd::web
