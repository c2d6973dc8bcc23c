#pragma once

/// What waits for one client of a stream, between who sends and the connection. Private to the
/// server: it knows Asio.

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <host/web/connection.hpp>
#include <radd/services.hpp>
#include <radd/stream.hpp>

namespace radd::web {

class ServerState;
using StreamFrame = std::shared_ptr<const std::string>;

/// What a stream is and whose.
struct StreamOrigin {
    StreamKind kind;
    std::string route;   ///< For the log.
    std::string caller;  ///< Whose turns its work takes: see Turns.
};

/// Sent to by any thread, taken from by the I/O thread. Owned by the connection and by whatever job
/// works for it.
class StreamChannel final : public StreamClient,
                            public std::enable_shared_from_this<StreamChannel> {
public:
    StreamChannel(std::shared_ptr<ServerState> state,
                  StreamOrigin origin,
                  std::shared_ptr<StreamSession> session);

    [[nodiscard]] const std::string& caller() const noexcept { return origin_.caller; }

    [[nodiscard]] bool send(const StreamMessage& message) override;
    void request_refill() override;
    void close() override;

    /// Has the session send what the client lacks, and logs what it throws. [a web thread]
    void refill(Log& log);

    // The rest: [the I/O thread]

    struct Taken {
        std::vector<StreamFrame> frames{};
        std::size_t bytes = 0;
        bool wants_refill = false;  ///< Call start_refill(), which calls refill().
        bool is_closing = false;    ///< Once nothing waits.
    };
    /// What to write next: some frames, about `bytes_max`; they count as waiting until written().
    [[nodiscard]] Taken take(std::size_t bytes_max);
    void written(std::size_t bytes);
    void refill_failed_to_start();

    void wake();  ///< Ends the wait on timer().
    [[nodiscard]] asio::steady_timer& timer() noexcept { return timer_; }

    void end();  ///< The client has gone: refuses what is sent, and lets go of the session.
    [[nodiscard]] bool has_ended() const;

private:
    void notify();  ///< With the mutex held.
    [[nodiscard]] bool wants_refill_now() const noexcept;

    const std::shared_ptr<ServerState> state_;  ///< First: it owns what the timer runs on.
    const StreamOrigin origin_;
    asio::steady_timer timer_;

    mutable std::mutex mutex_;
    std::shared_ptr<StreamSession> session_;
    std::deque<StreamFrame> waiting_;
    std::size_t bytes_waiting_ = 0;  ///< With what is being written.
    bool wants_refill_ = true;       ///< The first of them.
    bool is_refilling_ = false;
    bool is_notified_ = false;
    bool is_closing_ = false;
    bool has_ended_ = false;
};

}  // namespace radd::web
