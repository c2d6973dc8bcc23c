// The deadline of one client of the server.

#include <chrono>
#include <memory>
#include <optional>

#include <doctest/doctest.h>

#include <host/web/connection.hpp>

using namespace radd;
using namespace std::chrono_literals;

namespace {

/// A client, and the server's end of it.
struct Pair {
    Pair() {
        web::asio::ip::tcp::acceptor acceptor{io, {web::asio::ip::address_v4::loopback(), 0}};
        client.connect(acceptor.local_endpoint());
        connection = std::make_shared<web::Connection>(acceptor.accept(), io);
    }

    /// What a wait for the next byte ends with; nothing if it does not end within `patience`.
    std::optional<web::error_code> next_byte(std::chrono::milliseconds patience) {
        ended.reset();
        connection->socket().async_wait(web::tcp::socket::wait_read,
                                        [&](const web::error_code& error) { ended = error; });
        const auto until = std::chrono::steady_clock::now() + patience;
        while (!ended && std::chrono::steady_clock::now() < until) io.run_one_until(until);
        return ended;
    }

    web::asio::io_context io;
    web::tcp::socket client{io};
    std::shared_ptr<web::Connection> connection;
    std::optional<web::error_code> ended;
};

}  // namespace

TEST_SUITE("web connection") {
    TEST_CASE_FIXTURE(Pair, "a deadline that passes between two reads ends the next one") {
        connection->arm(1ms);
        while (!connection->timed_out()) io.run_one();

        CHECK(next_byte(10s) == web::asio::error::operation_aborted);

        connection->close();
    }

    TEST_CASE_FIXTURE(Pair, "what is disarmed or armed anew is left alone") {
        connection->arm(1ms);
        while (!connection->timed_out()) io.run_one();
        connection->disarm();
        CHECK(next_byte(100ms) == std::nullopt);

        connection->socket().cancel();
        io.poll();
        connection->arm(1h);
        CHECK_FALSE(connection->timed_out());
        CHECK(next_byte(100ms) == std::nullopt);

        connection->close();
        io.poll();
    }
}
