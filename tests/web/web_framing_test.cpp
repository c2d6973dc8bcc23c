#include <doctest/doctest.h>

#include <tests/web/web_bench.hpp>

using namespace radd;
using namespace radd::testing;

namespace {

struct Wire : WebBench {
    Wire() {
        add(route(HttpMethod::get, "/a"));
        add(route(HttpMethod::post, "/a"));
        start();
    }
};

constexpr std::string_view get_root = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";

}  // namespace

TEST_SUITE("web framing") {
    TEST_CASE_FIXTURE(Wire, "a connection serves one request after the other") {
        HttpConnection connection{port};
        for (int i = 0; i < 20; ++i) {
            connection.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");
            const auto reply = connection.read();
            CHECK(reply.json()["body_bytes"] == 3);
            CHECK(reply.header("connection") == "keep-alive");
        }
    }

    TEST_CASE_FIXTURE(Wire, "requests sent together are answered in their order") {
        HttpConnection connection{port};
        std::string pipeline;
        for (std::size_t i = 0; i < 50; ++i)
            pipeline += "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(i % 10) +
                        "\r\n\r\n" + std::string(i % 10, 'x');

        connection.send(pipeline);

        for (std::size_t i = 0; i < 50; ++i)
            CHECK(connection.read().json()["body_bytes"] == i % 10);
    }

    TEST_CASE_FIXTURE(Wire, "a request may arrive byte by byte") {
        HttpConnection connection{port};
        for (const char c : std::string{get_root}) connection.send({&c, 1});

        CHECK(connection.read().status == 200);
    }

    TEST_CASE_FIXTURE(Wire, "who wants to close or speaks HTTP 1.0 is answered and closed") {
        for (const char* request : {"GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
                                    "GET /a HTTP/1.0\r\n\r\n",
                                    "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"}) {
            HttpConnection connection{port};
            connection.send(request);
            CHECK(connection.read().status == 200);
            CHECK(connection.closes());
        }
    }

    TEST_CASE_FIXTURE(Wire,
                      "what a proxy could read differently is refused and ends the connection") {
        const std::string post = "POST /a HTTP/1.1\r\nHost: a\r\n";
        const std::vector<std::string> shapes{
            post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
            post + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
            post + "Content-Length: 5, 5\r\n\r\nhello",
            post + "Content-Length: +5\r\n\r\nhello",
            post + "Content-Length: -1\r\n\r\n",
            post + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            post + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
            post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            post + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
            post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            post + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
            post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
            post + "X: a\rTransfer-Encoding: chunked\r\n\r\n",
            "POST /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "GET /a HTTP/1.1\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            "GET /a HTTP/1.1\nHost: a\n\n",
            "GET  /a HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /a HTTP/2.0\r\nHost: a\r\n\r\n",
            "\x16\x03\x01\x02\x01\x01\x01\xfc\x03\x03 not http at all\r\n\r\n",
        };
        for (const auto& shape : shapes) {
            CAPTURE(shape);
            HttpConnection connection{port};
            connection.send(shape + std::string{get_root});
            const auto reply = connection.read();
            CHECK(reply.status >= 400);
            CHECK(reply.status <= 505);
            CHECK(reply.status != 404);
            CHECK(reply.header("connection") == "close");
            CHECK(connection.read().status == 0);
        }
    }

    TEST_CASE_FIXTURE(Wire, "headers behind a chunked body are no headers") {
        HttpConnection connection{port};
        connection.send(
            "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            "1\r\nx\r\n0\r\nX-Late: yes\r\nAuthorization: Bearer admin-secret\r\n\r\n");

        const auto reply = connection.read();

        CHECK(reply.status == 200);
        CHECK_FALSE(reply.json()["headers"].contains("x-late"));
    }

    TEST_CASE_FIXTURE(Wire, "a client that leaves half way hurts nobody") {
        for (int i = 0; i < 20; ++i) {
            HttpConnection{port}.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab");
            HttpConnection{port}.send("GET /a HT");
            HttpConnection{port}.send(get_root);
        }

        CHECK(get("/a").status == 200);
    }

    TEST_CASE_FIXTURE(Wire, "a length that promises more than comes is no request") {
        HttpConnection connection{port};
        connection.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc");
        connection.finish_sending();

        CHECK(connection.read().status == 0);
    }
}
