#pragma once

/// Streams that a plugin adds to the host's HTTP server: the server pushes, the client listens.
///
/// The host accepts the connection, checks who calls as for any route, frames what is sent, keeps
/// idle connections alive, and gives up on clients that do not read. A plugin decides what to send
/// and when.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <radd/http.hpp>

namespace radd {

/// What waits for one client at most, its frames included. A message that is larger is sent alone.
inline constexpr std::size_t stream_bytes_max = std::size_t{1024} * 1024;

enum class StreamKind : std::uint8_t {
    events,     ///< Server-Sent Events: https://html.spec.whatwg.org/multipage/server-sent-events
    websocket,  ///< RFC 6455, text messages. What clients say is read and not heard.
};

/// One message, framed once for any number of clients. Immutable; a copy shares the text.
class StreamMessage {
public:
    /// `data` may hold line breaks: a client of events receives each as LF, one of a WebSocket
    /// receives the text as it is, and no text can pass for another message. `event` names what
    /// EventSource dispatches, empty: "message"; `id` is what a client sends back in
    /// Last-Event-ID. A WebSocket's client sees neither: what it needs stands in `data`.
    /// @throws InvalidInput naming "event" or "id" if it holds a line break or NUL.
    explicit StreamMessage(std::string_view data,
                           std::string_view event = {},
                           std::string_view id = {})
        : data_{std::make_shared<const std::string>(data)},
          block_{std::make_shared<const std::string>(framed(data, event, id))} {}

    /// The bytes on the wire, for the host.
    [[nodiscard]] const std::shared_ptr<const std::string>& frame(StreamKind kind) const noexcept {
        return kind == StreamKind::events ? block_ : data_;
    }
    [[nodiscard]] const std::string& data() const noexcept { return *data_; }
    /// What keeping it costs.
    [[nodiscard]] std::size_t bytes() const noexcept { return data_->size() + block_->size(); }

private:
    static void append_field(std::string& block, std::string_view name, std::string_view value) {
        if (value.empty()) return;
        constexpr std::string_view forbidden{"\r\n\0", 3};
        if (value.find_first_of(forbidden) != std::string_view::npos)
            throw InvalidInput{std::string{name}, "holds a line break or NUL"};
        block.append(name).append(": ").append(value).append("\n");
    }

    static std::string framed(std::string_view data, std::string_view event, std::string_view id) {
        std::string block;
        append_field(block, "id", id);
        append_field(block, "event", event);
        for (;;) {
            const auto end = data.find_first_of("\r\n");
            block.append("data: ").append(data.substr(0, end)).append("\n");
            if (end == std::string_view::npos) break;
            const bool is_pair = data.substr(end, 2) == "\r\n";
            data.remove_prefix(end + (is_pair ? 2 : 1));
        }
        return block.append("\n");
    }

    std::shared_ptr<const std::string> data_;
    std::shared_ptr<const std::string> block_;
};

/// The client at the other end of a stream. [any-thread] No call of it waits.
class RADD_EXPORT StreamClient {
public:
    StreamClient() = default;
    StreamClient(const StreamClient&) = delete;
    StreamClient& operator=(const StreamClient&) = delete;
    virtual ~StreamClient();

    /// Queues `message`. False, and nothing was queued: stream_bytes_max wait already, or the
    /// client has gone. Once it has taken half of what waits, StreamSession::refill() is called;
    /// who cannot send again what was refused then calls close().
    [[nodiscard]] virtual bool send(const StreamMessage& message) = 0;

    virtual void request_refill() = 0;  ///< Has StreamSession::refill() called soon.
    virtual void close() = 0;           ///< Ends the stream once what waits has been sent.
};

/// What a plugin keeps for one client. Destroyed when the client has gone, on any thread, never
/// inside a call of its own.
class RADD_EXPORT StreamSession {
public:
    StreamSession() = default;
    StreamSession(const StreamSession&) = delete;
    StreamSession& operator=(const StreamSession&) = delete;
    virtual ~StreamSession();

    /// There is room: send what the client has missed. [any-thread: a web thread] Called once when
    /// the client is connected, again after send() was refused and room was made, and after
    /// request_refill(); never twice at once. May query, and returns within a second or so.
    /// `client` is the same each time and outlives the session. A throw is logged and ends the
    /// stream; the client connects again.
    virtual void refill(StreamClient& client) = 0;
};

/// A GET on `path` that is answered by a stream.
struct StreamSpec {
    StreamKind kind = StreamKind::events;
    std::string path;  ///< As RouteSpec's, with the same codes.
    Access access = Access::member;
    std::string summary;  ///< One line, in the imperative: "Follow the stream".
    std::string description{};
    std::string tag{};
    std::vector<QueryParameter> query{};
    /// [any-thread: a web thread] Looks at the request and makes what serves it. What it throws is
    /// the answer, as for a route. Whether the caller may still see the stream is asked again every
    /// minute, and the stream ends if not.
    std::function<std::unique_ptr<StreamSession>(const HttpRequest& request, Services& host)> open;
};

/// The same as a route, without a handler: for whoever checks and describes routes.
[[nodiscard]] inline RouteSpec route_of(const StreamSpec& stream) {
    constexpr int switching_protocols = 101;
    const bool is_websocket = stream.kind == StreamKind::websocket;
    ResponseSpec response{
        .description = is_websocket ? "Text messages of JSON follow" : "Events follow",
        .content_type = is_websocket ? "" : "text/event-stream"};
    if (is_websocket) response.status = switching_protocols;
    return {.method = HttpMethod::get,
            .path = stream.path,
            .access = stream.access,
            .summary = stream.summary,
            .description = stream.description,
            .tag = stream.tag,
            .query = stream.query,
            .responses = {std::move(response)},
            .handle = {}};
}

}  // namespace radd
