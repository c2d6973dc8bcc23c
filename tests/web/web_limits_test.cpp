#include <doctest/doctest.h>

#include <tests/web/web_bench.hpp>

using namespace radd;
using namespace radd::testing;

namespace {

constexpr std::string_view get_root = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";

struct Limited : WebBench {
    Limited() {
        add(route(HttpMethod::get, "/a"));
        add(route(HttpMethod::post, "/a"));
        add(route(HttpMethod::post, "/mine", Access::member));
    }
    [[nodiscard]] HttpReply raw(std::string_view bytes) const {
        HttpConnection connection{port};
        connection.send(bytes);
        return connection.read();
    }
};

std::string header_of(std::size_t bytes) {
    std::string head = "GET /a HTTP/1.1\r\nHost: a\r\nX-Filling: ";
    return head + std::string(bytes - head.size() - 4, 'x') + "\r\n\r\n";
}

constexpr std::string_view as_member = "Authorization: Bearer member-secret\r\n";

std::string chunked(std::string_view target, std::size_t bytes) {
    constexpr std::size_t piece = 8192;
    std::string request = "POST " + std::string{target} + " HTTP/1.1\r\nHost: a\r\n" +
                          std::string{as_member} + "Transfer-Encoding: chunked\r\n\r\n";
    for (std::size_t left = bytes; left > 0;) {
        const auto size = std::min(left, piece);
        std::array<char, 16> length{};
        std::snprintf(length.data(), length.size(), "%zx\r\n", size);
        request.append(length.data()).append(size, 'x').append("\r\n");
        left -= size;
    }
    return request + "0\r\n\r\n";
}

}  // namespace

TEST_SUITE("web limits") {
    TEST_CASE_FIXTURE(Limited, "a header at the limit passes and one past it is 431") {
        start();

        CHECK(raw(header_of(http_header_bytes_max)).status == 200);
        CHECK(raw(header_of(http_header_bytes_max + 1)).status == 431);
    }

    TEST_CASE_FIXTURE(Limited, "a flood of headers is 431 and ends the connection") {
        start();
        HttpConnection connection{port};
        std::string flood = "GET /a HTTP/1.1\r\nHost: a\r\n";
        for (int i = 0; i < 20000; ++i) flood += "X-" + std::to_string(i) + ": y\r\n";

        connection.send(flood);

        const auto reply = connection.read();
        CHECK(reply.status == 431);
        CHECK(reply.header("connection") == "close");
        CHECK(connection.closes());
    }

    TEST_CASE_FIXTURE(Limited, "a body at the limit passes and one past it is 413") {
        start();
        const std::string body(http_body_bytes_max, 'x');

        CHECK(post("/mine", body, as_member).json()["body_bytes"] == http_body_bytes_max);
        CHECK(post("/mine", body + "x", as_member).status == 413);
    }

    TEST_CASE_FIXTURE(Limited, "where nobody need say who they are a body is smaller") {
        start();
        const std::string body(web::open_body_bytes_max, 'x');

        CHECK(post("/a", body, "").json()["body_bytes"] == web::open_body_bytes_max);
        const auto refused = post("/a", body + "x", "");
        CHECK(refused.status == 413);
        CHECK(refused.json()["detail"] == "the body is over 65536 bytes");
        // Nobody is the one for whom more were read.
        CHECK(post("/nothing", body, "").status == 404);
        CHECK(post("/nothing", body + "x", "").status == 413);
        CHECK(post("/%", body + "x", "").status == 413);
    }

    TEST_CASE_FIXTURE(Limited, "a chunk's line or a trailer that does not end is 431") {
        start();
        constexpr std::string_view head =
            "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
        const auto filled =
            [&](std::string_view before, std::size_t bytes, std::string_view after) {
                std::string text{before};
                text.append(bytes - before.size() - after.size(), 'x').append(after);
                return std::string{head} + text;
            };
        const std::size_t most = web::unparsed_bytes_max;

        CHECK(raw(filled("1;a=", most, "\r\n") + "x\r\n0\r\n\r\n").status == 200);
        CHECK(raw(filled("1;a=", most + 1, "\r\n") + "x\r\n0\r\n\r\n").status == 431);
        CHECK(raw(filled("0\r\nX: ", most, "\r\n\r\n")).status == 200);
        CHECK(raw(filled("0\r\nX: ", most + 1, "\r\n\r\n")).status == 431);
        // Whoever goes on sending is not read for long.
        HttpConnection endless{port};
        endless.send(std::string{head} + "1;a=" + std::string(100 * most, 'x'));
        CHECK(endless.read().status == 431);
        CHECK(endless.closes());
    }

    TEST_CASE_FIXTURE(Limited, "the limit of a body holds for chunks as well") {
        start();

        for (const auto& [target, most] :
             {std::pair{"/mine", http_body_bytes_max}, std::pair{"/a", web::open_body_bytes_max}}) {
            CHECK(raw(chunked(target, most)).json()["body_bytes"] == most);
            CHECK(raw(chunked(target, most + 1)).status == 413);
        }
    }

    TEST_CASE_FIXTURE(Limited, "a length past the limit is 413 before a byte of the body") {
        start();
        HttpConnection connection{port};

        connection.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n");

        CHECK(connection.read().status == 413);
        CHECK(connection.closes());
    }

    TEST_CASE_FIXTURE(Limited, "whoever asks first is told to go on or to stay away") {
        start();
        HttpConnection small{port};
        HttpConnection large{port};
        const std::string ask = "POST /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n";

        small.send(ask + "Content-Length: 2\r\n\r\n");
        large.send(ask + "Content-Length: 2000000\r\n\r\n");

        CHECK(small.read().status == 100);
        small.send("{}");
        CHECK(small.read().status == 200);
        CHECK(large.read().status == 413);
        CHECK(http(port, "POST", "/a", "Expect: a miracle\r\n", "{}").status == 417);
    }

    TEST_CASE_FIXTURE(Limited, "a client that is slow with its header or body is told 408") {
        options.header_timeout = std::chrono::milliseconds{150};
        start();
        HttpConnection header{port};
        HttpConnection body{port};

        header.send("GET /a HTTP/1.1\r\nHos");
        body.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf");

        for (HttpConnection* connection : {&header, &body}) {
            const auto reply = connection->read();
            CHECK(reply.status == 408);
            CHECK(reply.header("connection") == "close");
            CHECK(connection->closes());
        }
    }

    TEST_CASE_FIXTURE(Limited, "a trickle does not extend the time for a header") {
        options.header_timeout = std::chrono::milliseconds{300};
        start();
        HttpConnection connection{port};
        connection.send("GET /a HTTP/1.1\r\nX: ");

        const bool ended = eventually([&] { return !connection.send("x"); });

        CHECK(ended);
    }

    TEST_CASE_FIXTURE(Limited, "a connection on which nothing happens is closed without a word") {
        options.idle_timeout = std::chrono::seconds{1};
        start();
        HttpConnection fresh{port};
        HttpConnection used{port};
        used.send(get_root);
        REQUIRE(used.read().status == 200);

        CHECK(fresh.read().status == 0);
        CHECK(used.read().status == 0);
    }

    TEST_CASE_FIXTURE(Limited,
                      "a client that does not take its answer is cut and leaves its place") {
        constexpr std::size_t bytes = std::size_t{64} * 1024 * 1024;  // No two kernels hold it.
        auto large = route(HttpMethod::get, "/large");
        large.handle = [](const HttpRequest&, Services&) {
            HttpResponse response;
            response.body.assign(bytes, 'x');
            return response;
        };
        add(std::move(large));
        options.write_timeout = std::chrono::milliseconds{200};
        options.connections_max = 1;
        start();
        HttpConnection slow{port};
        slow.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
        REQUIRE(slow.read(true).header("content-length") == std::to_string(bytes));

        CHECK(eventually([&] { return get("/a").status == 200; }));

        CHECK(slow.read_bytes(bytes).empty());
    }

    TEST_CASE_FIXTURE(Limited,
                      "one connection past the limit is 503 while all others are at work") {
        Gate gate;
        auto slow = route(HttpMethod::get, "/slow");
        slow.handle = [&](const HttpRequest&, Services&) {
            gate.pass();
            return no_content();
        };
        add(std::move(slow));
        options.connections_max = 3;
        options.threads = 6;  // One caller has half of them.
        start();
        std::vector<HttpConnection> open;
        for (std::size_t i = 0; i < options.connections_max; ++i)
            open.emplace_back(port).send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
        REQUIRE(eventually([&] { return gate.waiting() == 3; }));

        HttpConnection past{port};
        const auto reply = past.read();

        CHECK(reply.status == 503);
        CHECK(reply.header("retry-after") == "1");
        CHECK(past.closes());
        gate.open();
        for (auto& connection : open) CHECK(connection.read().status == 204);
        CHECK(raw(get_root).status == 200);
    }

    TEST_CASE_FIXTURE(Limited, "one connection past the limit ends the one that is idle longest") {
        options.connections_max = 3;
        start();
        std::vector<HttpConnection> open;
        for (std::size_t i = 0; i < options.connections_max; ++i) {
            open.emplace_back(port).send(get_root);
            REQUIRE(open.back().read().status == 200);
        }
        open[0].send(get_root);
        REQUIRE(open[0].read().status == 200);

        CHECK(raw(get_root).status == 200);

        CHECK(open[1].closes());
        for (const std::size_t i : {0U, 2U}) {
            open[i].send(get_root);
            CHECK(open[i].read().status == 200);
        }
        CHECK(log.lines.contain("http.connections_max: 3 connections are open"));
    }

    TEST_CASE_FIXTURE(Limited, "a thousand idle connections keep nobody out") {
        start();
        std::vector<HttpConnection> idle;
        for (int i = 0; i < 1000; ++i) {
            idle.emplace_back(port);
            if (i % 2 == 0) continue;
            idle.back().send(get_root);
            REQUIRE(idle.back().read().status == 200);
        }

        CHECK(get("/a").status == 200);
        idle.front().send(get_root);
        CHECK(idle.front().read().status == 200);
    }
}
