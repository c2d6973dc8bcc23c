// What happens on one connection. The only file that knows Boost.Beast. g++ 12 destroys temporaries
// of a co_await expression twice when they are lambdas with captures or braced aggregates: those
// are named first.

#include <array>

#include <boost/asio/write.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

#include <host/web/access_log.hpp>
#include <host/web/framing.hpp>
#include <host/web/server_state.hpp>
#include <host/web/text.hpp>

namespace radd::web {
namespace {

namespace http = boost::beast::http;

constexpr std::chrono::seconds linger_timeout{1};
constexpr std::size_t linger_bytes_max = std::size_t{4} * 1024 * 1024;

constexpr int unavailable = 503;

using Parser = http::request_parser<http::string_body>;

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

/// The parser has no limit for these, so the buffer has one.
ProblemDetails chunk_head_too_large() {
    constexpr int status = 431;
    return {.status = status,
            .detail = "the line of a chunk or the trailer is over " +
                      std::to_string(unparsed_bytes_max) + " bytes"};
}

ProblemDetails body_too_large(std::size_t bytes_max) {
    constexpr int status = 413;
    return {.status = status, .detail = "the body is over " + std::to_string(bytes_max) + " bytes"};
}

/// What to say about a request that could not be read; empty: nothing, the client has gone.
std::optional<ProblemDetails> problem_of_reading(const error_code& error,
                                                 const Connection& connection,
                                                 bool has_begun,
                                                 std::size_t body_bytes_max) {
    constexpr int bad_request = 400;
    constexpr int timed_out = 408;
    constexpr int no_such_version = 505;
    if (connection.timed_out() && has_begun)
        return ProblemDetails{.status = timed_out, .detail = "the request did not arrive in time"};
    if (error == http::error::header_limit) return header_too_large();
    if (error == http::error::buffer_overflow) return chunk_head_too_large();
    if (error == http::error::body_limit) return body_too_large(body_bytes_max);
    if (error == http::error::bad_version)
        return ProblemDetails{.status = no_such_version, .detail = "send HTTP/1.1"};
    const bool is_ours = error.category() == make_error_code(http::error::bad_target).category();
    if (!is_ours || error == http::error::end_of_stream || error == http::error::partial_message)
        return std::nullopt;
    return ProblemDetails{.status = bad_request, .detail = "this is no HTTP: " + error.message()};
}

}  // namespace

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
        connection.idle_since = ++idle_count;
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
    Outgoing outgoing = co_await answer(connection, call);
    if (outgoing.stream) {
        co_await stream(connection, call, std::move(outgoing));
        co_return false;
    }
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
    auto body_bytes_max = http_body_bytes_max;
    if (parser.is_header_done()) {
        const auto& header = parser.get();
        request.method = std::string{header.method_string().data(), header.method_string().size()};
        request.target = std::string{header.target().data(), header.target().size()};
        // Before the body, whose trailers would otherwise pass for headers.
        request.headers = headers_of(parser);
        const bool is_1_1 = header.version() == 11;
        problem = bytes > http_header_bytes_max ? header_too_large()
                                                : fault_of_framing(request.headers, is_1_1);
        body_bytes_max = dispatcher.body_bytes_max(request.method, request.target);
        parser.body_limit(body_bytes_max);  // Of chunks; a length has been compared already.
        if (!problem && parser.content_length().value_or(0) > body_bytes_max)
            problem = body_too_large(body_bytes_max);
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
        problem = problem_of_reading(error, connection, has_begun, body_bytes_max);
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

asio::awaitable<bool> ServerState::write(Connection& connection,
                                         const Call& call,
                                         const Outgoing& outgoing,
                                         bool keep_alive) {
    const std::string head = head_of(outgoing, keep_alive);
    const auto body = sends_body(outgoing) ? asio::buffer(outgoing.body) : asio::const_buffer{};
    const std::array<asio::const_buffer, 2> parts{asio::buffer(head), body};
    connection.arm(options.write_timeout);
    auto [error, bytes] = co_await asio::async_write(connection.socket(), parts, as_result);
    connection.disarm();
    note_answered(call, outgoing, bytes);
    co_return !error;
}

void ServerState::note_answered(const Call& call, const Outgoing& outgoing, std::size_t bytes) {
    const auto took = dispatcher.elapsed(call);
    log_access(access_log, call, outgoing, bytes, took);
    if (!answered) return;
    // Without a route the method may be anything that a stranger thought up.
    const bool is_known = call.route != nullptr;
    answered(is_known ? std::string_view{call.route->spec.path} : "",
             is_known ? std::string_view{call.request.method} : "other",
             outgoing.status,
             took);
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
    turned_away.insert(connection.get());
    const ProblemDetails problem{.status = unavailable,
                                 .detail = "too many connections are open; try again"};
    Incoming nothing{.peer_address = connection->peer()};
    const auto call = dispatcher.begin_refused(std::move(nothing), problem);
    const std::string head = head_of(call->answer, false) + call->answer.body;
    connection->arm(linger_timeout);
    co_await asio::async_write(connection->socket(), asio::buffer(head), as_result);
    co_await linger(*connection);
    connection->close();
    turned_away.erase(connection.get());
}

}  // namespace radd::web
