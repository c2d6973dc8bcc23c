// Listening, and the life of the server.

#include <chrono>
#include <future>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include <host/web/descriptor_limit.hpp>
#include <host/web/server_state.hpp>

namespace radd::web {
namespace {

constexpr std::chrono::milliseconds accept_again_after{100};
/// For plugins, the database and files, beside the connections.
constexpr std::size_t descriptors_reserved = 512;

}  // namespace

void ServerState::listen(Listener& listener) {
    error_code error;
    acceptor.assign(listener.is_ipv6() ? tcp::v6() : tcp::v4(), listener.release(), error);
    if (error) throw ConfigError{"http.listen: " + listener.url() + ": " + error.message()};
    const auto wanted = options.connections_max + descriptors_reserved;
    const auto descriptors = raise_descriptor_limit(wanted);
    connections_max = options.connections_max;
    if (descriptors >= wanted) return;
    connections_max = descriptors > 2 * descriptors_reserved ? descriptors - descriptors_reserved
                                                             : descriptors / 2;
    log.warn("http.connections_max: " + std::to_string(options.connections_max) + " needs " +
             std::to_string(wanted) + " open files, the system allows " +
             std::to_string(descriptors) + "; serving " + std::to_string(connections_max) +
             ". Raise LimitNOFILE or ulimit -n");
}

void ServerState::run() {
    asio::co_spawn(io, accept(), logged("accepting connections"));
    thread = std::thread{[state = shared_from_this()] {
        for (;;) {
            try {
                state->io.run();
                return;
            } catch (const std::exception& error) {
                state->log.error(std::string{"connections: "} + error.what());
            }
        }
    }};
}

asio::awaitable<void> ServerState::accept() {
    asio::steady_timer pause{io};
    bool has_failed = false;
    while (acceptor.is_open()) {
        auto [error, socket] = co_await acceptor.async_accept(as_result);
        if (!acceptor.is_open()) break;
        if (error) {
            // Out of descriptors, most likely: the clients wait in the kernel's queue meanwhile.
            if (!std::exchange(has_failed, true))
                log.warn("cannot accept a connection: " + error.message() + "; trying again");
            pause.expires_after(accept_again_after);
            co_await pause.async_wait(as_result);
            continue;
        }
        has_failed = false;
        auto connection = std::make_shared<Connection>(std::move(socket), io);
        const bool has_room = connections.size() < connections_max;
        if (!std::exchange(is_full, !has_room) && is_full)
            log.warn("http.connections_max: " + std::to_string(connections_max) +
                     " connections are open; for more, idle ones are ended, and without one it "
                     "is 503");
        if (has_room || end_longest_idle()) {
            asio::co_spawn(io, serve(connection), logged("a connection"));
            continue;
        }
        if (turned_away.size() < refusals_max)
            asio::co_spawn(io, turn_away(connection), logged("a connection too many"));
    }
}

/// Keeps whoever just holds connections open from keeping everybody out. A client may find an idle
/// connection closed at any time, and opens another. False: none is idle.
bool ServerState::end_longest_idle() {
    Connection* longest = nullptr;
    for (Connection* connection : connections) {
        if (!connection->is_idle) continue;
        if (longest == nullptr || connection->idle_since < longest->idle_since)
            longest = connection;
    }
    if (longest == nullptr) return false;
    longest->is_idle = false;  // Its place is given away once.
    longest->close();
    return true;
}

Server::Server(Listener& listener,
               const Dispatcher& dispatcher,
               ServerOptions options,
               Log& log,
               log::FieldLog& access_log,
               Answered answered)
    : state_{std::make_shared<ServerState>(
          dispatcher, options, log, access_log, std::move(answered))} {
    state_->listen(listener);
    state_->run();
}

Server::~Server() {
    stop(std::chrono::milliseconds{0});
}

bool Server::drain(std::chrono::milliseconds grace) {
    if (state_->stopped) return true;
    std::promise<void> told;
    asio::post(state_->io, [&] {
        state_->draining = true;
        for (Connection* connection : state_->connections) {
            error_code ignored;
            if (connection->is_idle) connection->socket().cancel(ignored);
        }
        for (const auto& [channel, connection] : state_->streams) {
            connection->end_after(stream_farewell);  // Also a write that is under way.
            channel->wake();
        }
        told.set_value();
    });
    told.get_future().wait();
    std::unique_lock lock{state_->mutex};
    state_->changed.wait_for(
        lock, grace, [&] { return state_->in_flight == 0 || state_->grace_is_cut; });
    return state_->in_flight == 0;
}

void Server::cut_grace() noexcept {
    const std::scoped_lock lock{state_->mutex};
    state_->grace_is_cut = true;
    state_->changed.notify_all();
}

StreamCounts Server::streams() const noexcept {
    return {.open = state_->streams_open,
            .opened = state_->streams_opened,
            .stalled = state_->streams_stalled,
            .refused = state_->streams_refused,
            .messages = state_->stream_messages};
}

bool Server::stop(std::chrono::milliseconds patience) {
    if (std::exchange(state_->stopped, true)) return true;
    state_->turns.stop();
    const bool handlers_ended = state_->handlers.stop(patience);
    const bool vital_ended = state_->vital.stop(patience);
    asio::post(state_->io, [&] {
        state_->draining = state_->stopping = true;
        error_code ignored;
        state_->acceptor.close(ignored);
        for (Connection* connection : state_->connections) connection->close();
        for (Connection* connection : state_->turned_away) connection->close();
        state_->work.reset();
    });
    state_->thread.join();
    return handlers_ended && vital_ended;
}

}  // namespace radd::web
