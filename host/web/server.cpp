// The only file that knows Boost.Beast. g++ 12 destroys temporaries of a co_await expression twice
// when they are lambdas with captures or braced aggregates: those are named first.

#include <array>
#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

#include <host/web/access_log.hpp>
#include <host/web/descriptor_limit.hpp>
#include <host/web/framing.hpp>
#include <host/web/server.hpp>
#include <host/web/text.hpp>
#include <host/web/worker_pool.hpp>

namespace radd::web {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;
using boost::system::error_code;
using std::chrono::steady_clock;

constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

constexpr std::chrono::seconds write_timeout{30};
constexpr std::chrono::seconds linger_timeout{1};
constexpr std::size_t linger_bytes_max = std::size_t{4} * 1024 * 1024;
/// How often who waits for a handler looks whether the database has gone.
constexpr std::chrono::milliseconds look_every{200};
constexpr std::chrono::milliseconds accept_again_after{100};
/// For plugins, the database and files, beside the connections.
constexpr std::size_t descriptors_reserved = 512;
constexpr std::size_t vital_threads = 1;

constexpr int request_timeout_status = 408;
constexpr int unavailable = 503;

using Parser = http::request_parser<http::string_body>;

}  // namespace

/// A request that waits for its handler. The connection and the job own it; whoever is last.
struct Exchange {
    std::shared_ptr<ServerState> state;  ///< First: it owns what `wake` runs on.
    std::shared_ptr<const Call> call;
    asio::steady_timer wake;
    std::optional<Outgoing> answer{};  ///< Touched by the I/O thread alone.
};

/// One client. Everything of it happens on the I/O thread.
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
        deadline_.async_wait([self = shared_from_this(), turn = ++turn_](const error_code& error) {
            // A deadline that was replaced may have been on its way to us already.
            if (error || turn != self->turn_) return;
            self->timed_out_ = true;
            error_code ignored;
            self->socket_.cancel(ignored);
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
        if (waiting != nullptr) waiting->wake.cancel();
    }

    bool is_idle = false;         ///< Between two requests: nothing of one has come.
    Exchange* waiting = nullptr;  ///< For a handler.

private:
    tcp::socket socket_;
    asio::steady_timer deadline_;
    boost::beast::flat_buffer buffer_;
    std::string peer_;
    std::uint64_t turn_ = 0;
    bool timed_out_ = false;
};

class ServerState : public std::enable_shared_from_this<ServerState> {
public:
    ServerState(const Dispatcher& dispatch,
                const ServerOptions& given,
                Log& own_log,
                log::FieldLog& requests_log,
                Answered observer)
        : dispatcher{dispatch},
          options{given},
          log{own_log},
          access_log{requests_log},
          answered{std::move(observer)},
          handlers{options.threads, requests_queued_max},
          vital{vital_threads, requests_queued_max} {}

    void listen(Listener& listener);
    void run();
    asio::awaitable<void> accept();
    asio::awaitable<void> serve(std::shared_ptr<Connection> connection);
    asio::awaitable<bool> serve_one(Connection& connection);
    asio::awaitable<std::shared_ptr<const Call>> read(Connection& connection, bool& keep_alive);
    asio::awaitable<Outgoing> answer(Connection& connection, std::shared_ptr<const Call> call);
    asio::awaitable<Outgoing> handled(Connection& connection, std::shared_ptr<Exchange> exchange);
    asio::awaitable<bool> write(Connection& connection,
                                const Call& call,
                                const Outgoing& outgoing,
                                bool keep_alive);
    asio::awaitable<void> linger(Connection& connection);
    asio::awaitable<void> turn_away(std::shared_ptr<Connection> connection);

    [[nodiscard]] auto logged(std::string what) {
        return [this, what = std::move(what)](const std::exception_ptr& thrown) {
            if (!thrown) return;
            try {
                std::rethrow_exception(thrown);
            } catch (const std::exception& error) {
                log.error(what + ": " + error.what());
            }
        };
    }
    void count_in_flight(int change) {
        const std::scoped_lock lock{mutex};
        in_flight += change;
        if (in_flight == 0) changed.notify_all();
    }

    const Dispatcher& dispatcher;
    const ServerOptions options;
    Log& log;
    log::FieldLog& access_log;
    const Answered answered;
    std::size_t connections_max = 0;

    asio::io_context io{1};
    asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
    tcp::acceptor acceptor{io};
    std::thread thread;
    WorkerPool handlers;
    WorkerPool vital;

    // Of the I/O thread.
    std::set<Connection*> connections;
    std::size_t turned_away = 0;
    bool is_full = false;
    bool draining = false;
    bool stopping = false;

    std::mutex mutex;
    std::condition_variable changed;
    int in_flight = 0;
    bool grace_is_cut = false;
    bool stopped = false;  ///< Of the boot thread.
};

namespace {

std::vector<HttpField> headers_of(const Parser& parser) {
    std::vector<HttpField> headers;
    for (const auto& field : parser.get()) {
        const std::string_view name{field.name_string().data(), field.name_string().size()};
        headers.emplace_back(lower_case(name),
                             std::string{field.value().data(), field.value().size()});
    }
    return headers;
}

/// The parser holds request line and fields to this limit each; together they are held by us.
ProblemDetails header_too_large() {
    constexpr int status = 431;
    return {.status = status,
            .detail = "the header is over " + std::to_string(http_header_bytes_max) + " bytes"};
}

/// What to say about a request that could not be read; empty: nothing, the client has gone.
std::optional<ProblemDetails> problem_of_reading(const error_code& error,
                                                 const Connection& connection,
                                                 bool has_begun) {
    constexpr int bad_request = 400;
    constexpr int too_large = 413;
    constexpr int no_such_version = 505;
    if (connection.timed_out() && has_begun)
        return ProblemDetails{.status = request_timeout_status,
                              .detail = "the request did not arrive in time"};
    if (error == http::error::header_limit) return header_too_large();
    if (error == http::error::body_limit)
        return ProblemDetails{
            .status = too_large,
            .detail = "the body is over " + std::to_string(http_body_bytes_max) + " bytes"};
    if (error == http::error::bad_version)
        return ProblemDetails{.status = no_such_version, .detail = "send HTTP/1.1"};
    const bool is_ours = error.category() == make_error_code(http::error::bad_target).category();
    if (!is_ours || error == http::error::end_of_stream || error == http::error::partial_message)
        return std::nullopt;
    return ProblemDetails{.status = bad_request, .detail = "this is no HTTP: " + error.message()};
}

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
        if (connections.size() < connections_max) {
            is_full = false;
            asio::co_spawn(io, serve(connection), logged("a connection"));
            continue;
        }
        if (!std::exchange(is_full, true))
            log.warn("http.connections_max: " + std::to_string(connections_max) +
                     " connections are open; more are answered 503");
        if (turned_away < refusals_max)
            asio::co_spawn(io, turn_away(connection), logged("a connection too many"));
    }
}

asio::awaitable<void> ServerState::serve(std::shared_ptr<Connection> connection) {
    const auto self = shared_from_this();
    connections.insert(connection.get());
    struct Leave {
        ServerState& state;
        Connection& connection;
        ~Leave() {
            connection.close();
            state.connections.erase(&connection);
        }
    };
    const Leave leave{*this, *connection};
    while (co_await serve_one(*connection)) {}
}

asio::awaitable<bool> ServerState::serve_one(Connection& connection) {
    if (connection.buffer().size() == 0) {
        connection.is_idle = true;
        connection.arm(options.idle_timeout);
        auto [error] = co_await connection.socket().async_wait(tcp::socket::wait_read, as_result);
        connection.is_idle = false;
        if (error) co_return false;
    }
    bool keep_alive = false;
    auto call = co_await read(connection, keep_alive);
    connection.disarm();
    if (!call) co_return false;

    count_in_flight(1);
    struct Done {
        ServerState& state;
        ~Done() { state.count_in_flight(-1); }
    };
    const Done done{*this};
    const Outgoing outgoing = co_await answer(connection, call);
    keep_alive = keep_alive && !draining;
    const bool written = co_await write(connection, *call, outgoing, keep_alive);
    if (!written) co_return false;
    // A drain that began since has not seen this connection idle.
    if (!keep_alive) co_await linger(connection);
    co_return keep_alive && !draining;
}

/// The call, or nothing if there is nobody to answer. What cannot be read becomes a call that is
/// decided, and ends the connection: where the next request would begin nobody can tell.
asio::awaitable<std::shared_ptr<const Call>> ServerState::read(Connection& connection,
                                                               bool& keep_alive) {
    Parser parser;
    parser.header_limit(static_cast<std::uint32_t>(http_header_bytes_max));
    parser.body_limit(http_body_bytes_max);
    Incoming request{.peer_address = connection.peer()};
    connection.arm(options.header_timeout);
    auto& socket = connection.socket();
    auto& buffer = connection.buffer();
    auto [error, bytes] = co_await http::async_read_header(socket, buffer, parser, as_result);
    const bool has_begun = buffer.size() > 0 || parser.got_some();
    std::optional<ProblemDetails> problem;
    if (parser.is_header_done()) {
        const auto& header = parser.get();
        request.method = std::string{header.method_string().data(), header.method_string().size()};
        request.target = std::string{header.target().data(), header.target().size()};
        // Before the body, whose trailers would otherwise pass for headers.
        request.headers = headers_of(parser);
        const bool is_1_1 = header.version() == 11;
        problem = bytes > http_header_bytes_max ? header_too_large()
                                                : fault_of_framing(request.headers, is_1_1);
        keep_alive = parser.keep_alive() && is_1_1;
    }
    if (!error && !problem && !parser.is_done()) {
        if (!header_value(request.headers, "expect").empty()) {
            constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
            co_await asio::async_write(socket, asio::buffer(go_on), as_result);
        }
        connection.arm(options.header_timeout);
        auto [body_error, body_bytes] =
            co_await http::async_read(socket, buffer, parser, as_result);
        error = body_error;
    }
    if (error && !problem) {
        problem = problem_of_reading(error, connection, has_begun);
        if (!problem) co_return nullptr;
    }
    if (!problem && draining)
        problem = ProblemDetails{.status = unavailable, .detail = "this host is shutting down"};
    if (problem) {
        keep_alive = false;
        co_return dispatcher.begin_refused(std::move(request), *problem);
    }
    request.body = std::move(parser.get().body());
    co_return dispatcher.begin(std::move(request));
}

asio::awaitable<Outgoing> ServerState::answer(Connection& connection,
                                              std::shared_ptr<const Call> call) {
    if (call->lane == Lane::decided) co_return call->answer;
    auto exchange = std::make_shared<Exchange>(shared_from_this(), call, asio::steady_timer{io});
    auto& pool = call->lane == Lane::vital ? vital : handlers;
    const bool accepted = pool.submit([exchange] {
        auto outgoing =
            std::make_shared<Outgoing>(exchange->state->dispatcher.answer(*exchange->call));
        asio::post(exchange->state->io, [exchange, outgoing] {
            exchange->answer = std::move(*outgoing);
            exchange->wake.cancel();
        });
    });
    if (!accepted) {
        const ProblemDetails busy{.status = unavailable,
                                  .detail = "too many requests wait already; try again"};
        co_return dispatcher.refuse(*call, busy);
    }
    co_return co_await handled(connection, exchange);
}

/// Waits for the handler; not longer than it may take, and not while the database is away.
asio::awaitable<Outgoing> ServerState::handled(Connection& connection,
                                               std::shared_ptr<Exchange> exchange) {
    const auto end = steady_clock::now() + options.request_timeout;
    const bool needs_database = exchange->call->lane == Lane::handlers;
    ProblemDetails problem{.status = unavailable,
                           .detail =
                               "this took too long and goes on without you; look what has "
                               "become of it before you try again"};
    connection.waiting = exchange.get();
    while (!exchange->answer && steady_clock::now() < end && !stopping) {
        if (needs_database && dispatcher.is_database_away()) {
            problem = database_is_away();
            break;
        }
        exchange->wake.expires_at(std::min(end, steady_clock::now() + look_every));
        co_await exchange->wake.async_wait(as_result);
    }
    connection.waiting = nullptr;
    if (exchange->answer) co_return std::move(*exchange->answer);
    co_return dispatcher.refuse(*exchange->call, problem);
}

asio::awaitable<bool> ServerState::write(Connection& connection,
                                         const Call& call,
                                         const Outgoing& outgoing,
                                         bool keep_alive) {
    const std::string head = head_of(outgoing, keep_alive);
    const auto body = sends_body(outgoing) ? asio::buffer(outgoing.body) : asio::const_buffer{};
    const std::array<asio::const_buffer, 2> parts{asio::buffer(head), body};
    connection.arm(write_timeout);
    auto [error, bytes] = co_await asio::async_write(connection.socket(), parts, as_result);
    connection.disarm();
    const auto took = dispatcher.elapsed(call);
    log_access(access_log, call, outgoing, bytes, took);
    if (answered) {
        // Without a route the method may be anything that a stranger thought up.
        const bool is_known = call.route != nullptr;
        answered(is_known ? std::string_view{call.route->spec.path} : "",
                 is_known ? std::string_view{call.request.method} : "other",
                 outgoing.status,
                 took);
    }
    co_return !error;
}

/// Takes what the client still sends: a socket closed over unread bytes resets the connection, and
/// the client might never see its answer.
asio::awaitable<void> ServerState::linger(Connection& connection) {
    error_code ignored;
    connection.socket().shutdown(tcp::socket::shutdown_send, ignored);
    connection.arm(linger_timeout);
    constexpr std::size_t piece = 4096;
    std::array<char, piece> scrap{};
    const auto target = asio::buffer(scrap);
    for (std::size_t taken = 0; taken < linger_bytes_max;) {
        auto [error, bytes] = co_await connection.socket().async_read_some(target, as_result);
        if (error) break;
        taken += bytes;
    }
    connection.disarm();
}

asio::awaitable<void> ServerState::turn_away(std::shared_ptr<Connection> connection) {
    const auto self = shared_from_this();
    ++turned_away;
    const ProblemDetails problem{.status = unavailable,
                                 .detail = "too many connections are open; try again"};
    Incoming nothing{.peer_address = connection->peer()};
    const auto call = dispatcher.begin_refused(std::move(nothing), problem);
    const std::string head = head_of(call->answer, false) + call->answer.body;
    connection->arm(linger_timeout);
    co_await asio::async_write(connection->socket(), asio::buffer(head), as_result);
    co_await linger(*connection);
    connection->close();
    --turned_away;
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

bool Server::stop(std::chrono::milliseconds patience) {
    if (std::exchange(state_->stopped, true)) return true;
    const bool handlers_ended = state_->handlers.stop(patience);
    const bool vital_ended = state_->vital.stop(patience);
    asio::post(state_->io, [&] {
        state_->draining = state_->stopping = true;
        error_code ignored;
        state_->acceptor.close(ignored);
        for (Connection* connection : state_->connections) connection->close();
        state_->work.reset();
    });
    state_->thread.join();
    return handlers_ended && vital_ended;
}

}  // namespace radd::web
