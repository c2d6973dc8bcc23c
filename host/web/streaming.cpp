// What happens on a connection that has become a stream. One coroutine writes, so that no two
// writes are ever under way (P48), and one reads, which is how a client's end is noticed.

#include <algorithm>
#include <utility>

#include <boost/asio/co_spawn.hpp>

#include <host/web/server_state.hpp>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace radd::web {
namespace {

using std::chrono::steady_clock;

/// Enough for a fast client far away; more would only hide that one does not read.
constexpr int send_buffer_bytes = 256 * 1024;
constexpr std::chrono::milliseconds refill_again_after{100};
constexpr int bad_request = 400;
constexpr int too_many_requests = 429;
constexpr int unavailable = 503;

void prepare(tcp::socket& socket, std::chrono::milliseconds dead_after) {
    error_code ignored;
    socket.set_option(asio::socket_base::send_buffer_size{send_buffer_bytes}, ignored);
    // What is not acknowledged for so long ends the connection, and pings see to it that something
    // is to be acknowledged: a peer that vanished without a word is found by that.
    const auto time = static_cast<unsigned>(dead_after.count());
    setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &time, sizeof time);
}

}  // namespace

/// Why no stream may begin on `connection`; empty: it may.
std::optional<ProblemDetails> ServerState::fault_of_stream(Connection& connection,
                                                           const std::string& caller) {
    const auto of_caller = std::ranges::count_if(
        streams, [&](const auto& open) { return open.first->caller() == caller; });
    if (static_cast<std::size_t>(of_caller) >= options.streams_of_caller_max) {
        ++streams_refused;
        return ProblemDetails{
            .status = too_many_requests,
            .detail = std::to_string(of_caller) + " streams of yours are open already; close one",
            .headers = {{"Retry-After", "10"}}};
    }
    if (streams.size() >= options.streams_max) {
        ++streams_refused;
        return ProblemDetails{.status = unavailable,
                              .detail = "too many streams are open; try again"};
    }
    if (connection.buffer().size() == 0) return std::nullopt;
    return ProblemDetails{.status = bad_request,
                          .detail = "wait for the answer before you send more"};
}

asio::awaitable<void> ServerState::stream(Connection& connection,
                                          std::shared_ptr<const Call> call,
                                          Outgoing outgoing) {
    if (auto problem = fault_of_stream(connection, outgoing.stream_caller)) {
        outgoing.stream.reset();
        const Outgoing refusal = dispatcher.refuse(*call, *problem);
        co_await write(connection, *call, refusal, false);
        co_return;
    }
    const StreamSpec& spec = *call->route->stream;
    StreamOrigin origin{
        .kind = spec.kind, .route = spec.path, .caller = std::move(outgoing.stream_caller)};
    const auto channel = std::make_shared<StreamChannel>(
        shared_from_this(), std::move(origin), std::move(outgoing.stream));
    struct Leave {
        ServerState& state;
        StreamChannel& channel;
        ~Leave() {
            state.streams.erase(&channel);
            state.streams_open = state.streams.size();
            channel.end();
        }
    };
    streams.emplace(channel.get(), &connection);
    streams_open = streams.size();
    const Leave leave{*this, *channel};
    ++streams_opened;

    prepare(connection.socket(), options.stream_dead_after);
    auto self = connection.shared_from_this();
    const auto transport = spec.kind == StreamKind::websocket ? make_websocket_transport(self)
                                                              : make_events_transport(self);
    connection.arm(options.stream_stalled_after);
    const bool is_open = co_await transport->open(*call, outgoing);
    connection.disarm();
    note_answered(*call, outgoing, 0);
    if (!is_open) co_return;
    asio::co_spawn(io, hear(self, channel, transport), logged("a stream"));
    co_await push(connection, call, *channel, *transport);
}

asio::awaitable<void> ServerState::hear([[maybe_unused]] std::shared_ptr<Connection> connection,
                                        std::shared_ptr<StreamChannel> channel,
                                        std::shared_ptr<StreamTransport> transport) {
    co_await transport->hear();
    channel->end();
    channel->wake();
}

asio::awaitable<void> ServerState::push(Connection& connection,
                                        const std::shared_ptr<const Call>& call,
                                        StreamChannel& channel,
                                        StreamTransport& transport) {
    auto check_at = steady_clock::now() + options.stream_allowed_every;
    while (co_await push_one(connection, channel, transport)) {
        if (steady_clock::now() < check_at) continue;
        check_at = steady_clock::now() + options.stream_allowed_every;
        start_check(channel, call);
    }
}

/// One write, or one wait for something to write. False: the stream has ended.
asio::awaitable<bool> ServerState::push_one(Connection& connection,
                                            StreamChannel& channel,
                                            StreamTransport& transport) {
    const auto batch = channel.take(stream_write_bytes_max);
    if (channel.has_ended()) co_return false;
    if (batch.wants_refill) start_refill(channel);
    if (draining || (batch.frames.empty() && batch.is_closing)) {
        connection.end_after(stream_farewell);
        co_await transport.close();
        connection.disarm();
        co_return false;
    }
    if (!batch.frames.empty()) {
        connection.arm(options.stream_stalled_after);
        const bool is_written = co_await transport.write(batch.frames);
        const bool is_stalled = connection.timed_out() && !draining;
        connection.disarm();
        if (is_stalled) ++streams_stalled;
        if (!is_written) co_return false;
        channel.written(batch.bytes);
        stream_messages += batch.frames.size();
        co_return true;
    }
    channel.timer().expires_after(options.stream_keepalive);
    const auto quiet_until = steady_clock::now() + options.stream_keepalive;
    co_await channel.timer().async_wait(as_result);
    if (steady_clock::now() < quiet_until) co_return true;
    connection.arm(options.stream_stalled_after);
    const bool is_written = co_await transport.ping();
    connection.disarm();
    co_return is_written;
}

void ServerState::start_refill(StreamChannel& channel) {
    const auto refill = [shared = channel.shared_from_this(), this] { shared->refill(log); };
    if (submit_in_turn(channel.caller(), refill)) return;
    channel.refill_failed_to_start();
    auto pause = std::make_shared<asio::steady_timer>(io, refill_again_after);
    pause->async_wait(
        [pause, shared = channel.shared_from_this()](const error_code&) { shared->wake(); });
}

void ServerState::start_check(StreamChannel& channel, const std::shared_ptr<const Call>& call) {
    const auto check = [shared = channel.shared_from_this(), call, this] {
        if (!dispatcher.is_still_allowed(*call)) shared->close();
    };
    (void)submit_in_turn(channel.caller(), check);  // While it is busy, the next minute will do.
}

}  // namespace radd::web
