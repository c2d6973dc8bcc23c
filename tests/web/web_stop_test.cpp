#include <future>

#include <doctest/doctest.h>

#include <tests/web/web_bench.hpp>

using namespace radd;
using namespace radd::testing;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view get_slow = "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n";

struct Stopping : WebBench {
    Stopping() {
        auto slow = route(HttpMethod::get, "/slow");
        slow.handle = [this](const HttpRequest&, Services&) {
            gate.pass();
            return no_content();
        };
        add(std::move(slow));
        add(route(HttpMethod::get, "/a"));
        start();
    }
    ~Stopping() { gate.open(); }
    Gate gate;
};

}  // namespace

TEST_SUITE("web stop") {
    TEST_CASE_FIXTURE(Stopping, "what is under way is finished and what is new is told 503") {
        HttpConnection slow{port};
        slow.send(get_slow);
        REQUIRE(eventually([&] { return gate.waiting() == 1; }));
        auto drained = std::async(std::launch::async, [&] { return server->drain(20s); });
        REQUIRE(eventually([&] { return get("/a").status == 503; }));

        const auto refused = get("/a");
        gate.open();

        CHECK(eventually([&] { return access_log.lines.contain("GET /a 503"); }));
        CHECK(refused.header("retry-after") == "1");
        CHECK(refused.header("connection") == "close");
        CHECK(drained.get());
        const auto finished = slow.read();
        CHECK(finished.status == 204);
        CHECK(finished.header("connection") == "close");
        CHECK(server->stop(20s));
        CHECK_THROWS(HttpConnection{port});
    }

    TEST_CASE_FIXTURE(Stopping, "connections on which nothing happens end at once") {
        HttpConnection fresh{port};
        HttpConnection used{port};
        used.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
        REQUIRE(used.read().status == 200);

        CHECK(server->drain(20s));

        CHECK(used.closes());
        CHECK(server->stop(20s));
        CHECK(fresh.closes());
    }

    TEST_CASE_FIXTURE(Stopping, "the grace ends and can be cut") {
        HttpConnection slow{port};
        slow.send(get_slow);
        REQUIRE(eventually([&] { return gate.waiting() == 1; }));

        CHECK_FALSE(server->drain(50ms));
        server->cut_grace();
        CHECK_FALSE(server->drain(1h));
    }

    TEST_CASE_FIXTURE(Stopping, "a handler that does not return is left behind and told of") {
        HttpConnection slow{port};
        slow.send(get_slow);
        REQUIRE(eventually([&] { return gate.waiting() == 1; }));

        CHECK_FALSE(server->drain(0ms));
        CHECK_FALSE(server->stop(50ms));
        CHECK(slow.closes());

        gate.open();
        CHECK(eventually([&] { return gate.waiting() == 0; }));
    }

    TEST_CASE_FIXTURE(Stopping, "a server stops twice and under load") {
        std::atomic<bool> done{false};
        auto load = std::async(std::launch::async, [&] {
            while (!done) {
                try {
                    (void)get("/a");
                } catch (const std::runtime_error&) {
                    return;
                }
            }
        });
        CHECK(eventually([&] { return access_log.lines.contain("/a 200"); }));

        CHECK(server->stop(20s));
        CHECK(server->stop(0ms));
        done = true;
        load.get();
    }

    TEST_CASE("a port that is taken is refused with the remedy") {
        web::Listener first{"127.0.0.1", 0};
        KeptLog log;

        try {
            web::Listener second{"127.0.0.1", first.port()};
            FAIL("two listeners on one port");
        } catch (const ConfigError& error) {
            const std::string text = error.what();
            CHECK(text.find("http.listen: 127.0.0.1:") == 0);
            CHECK(text.find("in use") != std::string::npos);
            CHECK(text.find("choose another") != std::string::npos);
        }
        CHECK_THROWS_AS((web::Listener{"no.such.host.invalid", 80}), ConfigError);
    }
}
