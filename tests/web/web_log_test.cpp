#include <doctest/doctest.h>

#include <tests/web/web_bench.hpp>

using namespace radd;
using namespace radd::testing;

namespace {

struct Logged : WebBench {
    Logged() {
        add(route(HttpMethod::get, "/csat/{token}"));
        add(route(HttpMethod::get, "/links/{code}/use"));
        add(route(HttpMethod::get, "/items/{key}", Access::member));
        add(route(HttpMethod::get, "/vital"), false);
        start();
    }
    /// Lines are written after their answers.
    [[nodiscard]] bool logs(std::string_view part) const {
        return eventually([&] { return access_log.lines.contain(part); });
    }
};

}  // namespace

TEST_SUITE("web access log") {
    TEST_CASE_FIXTURE(Logged, "a line says who asked for what and what came of it") {
        (void)get("/items/DEMO-1",
                  "Authorization: Bearer member-secret\r\nX-Request-Id: abc.DEF-1_2\r\n");

        CHECK(logs("GET /items/DEMO-1 200"));
        CHECK(logs("method=GET path=/items/DEMO-1 status=200 bytes="));
        CHECK(logs("request_id=abc.DEF-1_2 remote_address=127.0.0.1 principal_id=id-of-member"));
        CHECK_FALSE(access_log.lines.contain("member-secret"));
    }

    TEST_CASE_FIXTURE(Logged, "no query and no token or code is logged") {
        (void)get("/csat/s3cret?answer=private");
        (void)get("/links/s3cret/use");
        (void)get("/csat/s3cret-that-is-long-enough/typo");
        (void)get("/items/DEMO-2");

        REQUIRE(logs("/items/DEMO-2"));
        CHECK(logs("GET /csat/*** 422"));
        CHECK(logs("GET /links/***/use 200"));
        CHECK(logs("GET /csat/***/typo 404"));
        CHECK_FALSE(access_log.lines.contain("s3cret"));
        CHECK_FALSE(access_log.lines.contain("private"));
    }

    TEST_CASE_FIXTURE(Logged, "what looks after the host is told of when it fails") {
        (void)get("/vital");
        (void)get("/vital?x=1");

        CHECK(logs("GET /vital 422"));
        CHECK_FALSE(access_log.lines.contain("GET /vital 200"));
    }

    TEST_CASE_FIXTURE(Logged, "a request id that is none is replaced") {
        const std::string long_id(65, 'x');
        for (const std::string& id : {std::string{"a b"}, std::string{"<script>"}, long_id}) {
            const auto given = get("/csat/a", "X-Request-Id: " + id + "\r\n");
            CHECK(given.header("x-request-id").size() == 16);
        }
        CHECK(
            get("/csat/a", "X-Request-Id: " + long_id.substr(1) + "\r\n").header("x-request-id") ==
            long_id.substr(1));
    }

    TEST_CASE_FIXTURE(Logged, "what could not be read is logged as well") {
        HttpConnection connection{port};
        connection.send("nonsense\r\n\r\n");
        (void)connection.read();

        CHECK(logs("status=400"));
    }
}
