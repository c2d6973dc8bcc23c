#pragma once

/// The HTTP server: connections, their limits and deadlines.
///
/// HTTP/1.1 without TLS, which is a reverse proxy's job. One thread reads and writes every
/// connection and never waits for a handler; handlers run on threads of their own.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include <host/log/logging.hpp>
#include <host/web/dispatch.hpp>
#include <host/web/listener.hpp>
#include <radd/services.hpp>

namespace radd::web {

inline constexpr std::size_t requests_queued_max = 256;  ///< Wait for a handler. Past it: 503.
/// Of one caller, beside those that are worked on: a principal, whatever tokens and sessions it
/// has, or an address that need not say who it is. Past it: 429.
inline constexpr std::size_t requests_waiting_of_caller_max = 64;
/// Of one caller that are worked on at once: what one of them does slowly leaves threads to others.
[[nodiscard]] constexpr std::size_t requests_of_caller_max(std::size_t threads) noexcept {
    return threads > 1 ? threads / 2 : 1;
}
/// What is read of one connection and not understood yet: a header, the line of a chunk with its
/// extensions, the trailer, and what a client sends ahead. Past it: 431.
inline constexpr std::size_t unparsed_bytes_max = 2 * http_header_bytes_max;
inline constexpr std::size_t refusals_max = 64;  ///< Told 503 at once. Past it: just closed.

/// Of streams; see also radd/stream.hpp.
inline constexpr std::size_t stream_write_bytes_max = std::size_t{64} * 1024;  ///< In one write.

struct ServerOptions {
    std::size_t threads = 4;
    std::chrono::milliseconds header_timeout{std::chrono::seconds{10}};   ///< Also the body's: 408.
    std::chrono::milliseconds idle_timeout{std::chrono::seconds{60}};     ///< Between requests.
    std::chrono::milliseconds request_timeout{std::chrono::seconds{10}};  ///< Of a handler: 503.
    std::chrono::milliseconds write_timeout{std::chrono::seconds{30}};    ///< Of an answer: cut.
    /// One more ends the connection that is idle for longest; if none is: 503.
    std::size_t connections_max = 4096;
    std::size_t streams_max = 2048;                                        ///< Past it: 503.
    std::size_t streams_of_caller_max = 64;                                ///< Past it: 429.
    std::chrono::milliseconds stream_keepalive{std::chrono::seconds{15}};  ///< Without anything.
    /// Who has not taken what was written within this is closed.
    std::chrono::milliseconds stream_stalled_after{std::chrono::seconds{20}};
    /// A peer that has acknowledged nothing for so long is gone. Whole seconds or milliseconds.
    std::chrono::milliseconds stream_dead_after{std::chrono::seconds{60}};
    std::chrono::milliseconds stream_allowed_every{std::chrono::seconds{60}};  ///< Asked again.
};

/// Hears of every request that was answered, for metrics: the route's path as it was declared, or
/// "" where there is no route. [the I/O thread] Must not wait.
using Answered = std::function<void(
    std::string_view route, std::string_view method, int status, std::chrono::nanoseconds took)>;

/// Since the start, but for `open`.
struct StreamCounts {
    std::size_t open = 0;
    std::uint64_t opened = 0;
    std::uint64_t stalled = 0;   ///< Closed because they did not read.
    std::uint64_t refused = 0;   ///< Past streams_max or streams_of_caller_max.
    std::uint64_t messages = 0;  ///< Written.
};

class ServerState;

/// Life: made, drain(), stop(). [boot-thread]
class Server {
public:
    /// Serves from now on, on the socket of `listener`. `dispatcher` and the logs must outlive a
    /// stop() that returned true.
    Server(Listener& listener,
           const Dispatcher& dispatcher,
           ServerOptions options,
           Log& log,
           log::FieldLog& access_log,
           Answered answered = {});
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server();

    /// From now on every new request is answered 503 and its connection closed; idle connections
    /// end at once, streams as soon as they have been told. Waits at most `grace` for requests
    /// under way. True if none is left.
    bool drain(std::chrono::milliseconds grace);
    void cut_grace() noexcept;  ///< Ends the wait of drain(), now or later. [any-thread]

    [[nodiscard]] StreamCounts streams() const noexcept;  ///< [any-thread]

    /// Closes every connection and ends the threads. False: a handler did not return within
    /// `patience`; it is left behind, and the process must end without destroying what it uses.
    bool stop(std::chrono::milliseconds patience);

private:
    std::shared_ptr<ServerState> state_;  ///< Also owned by a handler that was left behind.
};

}  // namespace radd::web
