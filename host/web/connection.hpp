#pragma once

/// One client of the server. Private to server.cpp and serve.cpp: no other file sees Asio.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <host/web/server.hpp>

namespace radd::web {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using boost::system::error_code;

/// What an operation gives back: a tuple that begins with its error_code.
inline constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

/// Everything of it happens on the I/O thread.
class Connection : public std::enable_shared_from_this<Connection> {
public:
    Connection(tcp::socket socket, asio::io_context& io)
        : socket_{std::move(socket)}, deadline_{io} {
        error_code ignored;
        socket_.set_option(tcp::no_delay{true}, ignored);
        const auto peer = socket_.remote_endpoint(ignored);
        if (!ignored) peer_ = peer.address().to_string();
    }

    [[nodiscard]] tcp::socket& socket() noexcept { return socket_; }
    [[nodiscard]] boost::beast::flat_buffer& buffer() noexcept { return buffer_; }
    [[nodiscard]] const std::string& peer() const noexcept { return peer_; }
    [[nodiscard]] bool timed_out() const noexcept { return timed_out_; }

    /// Ends what waits on the socket after `time`, unless disarmed: the socket itself stays open,
    /// so that a slow client can still be told.
    void arm(std::chrono::milliseconds time) {
        timed_out_ = false;
        deadline_.expires_after(time);
        expire(++turn_);
    }
    /// Closes it after `time`, unless disarmed: for what must not go on whatever is tried.
    void end_after(std::chrono::milliseconds time) {
        deadline_.expires_after(time);
        deadline_.async_wait([self = shared_from_this(), turn = ++turn_](const error_code& error) {
            if (!error && turn == self->turn_) self->close();
        });
    }
    void disarm() {
        ++turn_;
        deadline_.cancel();
    }
    void close() {
        error_code ignored;
        socket_.close(ignored);
        disarm();
        if (waiting != nullptr) waiting->cancel();
    }

    bool is_idle = false;          ///< Between two requests: nothing of one has come.
    std::uint64_t idle_since = 0;  ///< Counts up from connection to connection that became idle.
    asio::steady_timer* waiting = nullptr;  ///< That a handler will end.

private:
    /// Between two attempts to end what waits.
    static constexpr std::chrono::milliseconds cancel_every{10};

    // A read that has just completed cannot be cancelled any more, and its reader goes on to the
    // next one: so that is ended too, until somebody takes notice and arms or disarms.
    void expire(std::uint64_t turn) {
        deadline_.async_wait([self = shared_from_this(), turn](const error_code& error) {
            // A deadline that was replaced may have been on its way to us already.
            if (error || turn != self->turn_) return;
            self->timed_out_ = true;
            error_code ignored;
            self->socket_.cancel(ignored);
            self->deadline_.expires_after(cancel_every);
            self->expire(turn);
        });
    }

    tcp::socket socket_;
    asio::steady_timer deadline_;
    // Without a limit it grows for as long as the line of a chunk does not end.
    boost::beast::flat_buffer buffer_{unparsed_bytes_max};
    std::string peer_;
    std::uint64_t turn_ = 0;
    bool timed_out_ = false;
};

}  // namespace radd::web
