// What one caller asks for slowly, or too much of, is at nobody else's expense.

#include <doctest/doctest.h>

#include <host/web/turns.hpp>
#include <tests/web/web_bench.hpp>

using namespace radd;
using namespace radd::testing;
using web::Turn;
using web::Turns;

namespace {

constexpr std::string_view as_member = "Authorization: Bearer member-secret\r\n";
constexpr std::string_view as_admin = "Authorization: Bearer admin-secret\r\n";

struct Shared : WebBench {
    Shared() {
        for (const auto& [path, access] :
             {std::pair{"/slow", Access::member}, std::pair{"/open/slow", Access::anyone}}) {
            auto slow = route(HttpMethod::get, path, access);
            slow.handle = [this](const HttpRequest&, Services&) {
                ++begun;
                gate.pass();
                return no_content();
            };
            add(std::move(slow));
        }
        add(route(HttpMethod::get, "/quick", Access::member));
        add(route(HttpMethod::get, "/open"));
        options.threads = 4;
        options.request_timeout = std::chrono::seconds{30};
        start();
    }
    ~Shared() { gate.open(); }
    /// Of the member, by token and by session in turn.
    void ask_slowly(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            asking.emplace_back(port).send(
                "GET /slow HTTP/1.1\r\nHost: a\r\n" +
                std::string{asking.size() % 2 == 0 ? as_member
                                                   : "Cookie: radd_session=member-secret\r\n"} +
                "\r\n");
        }
    }
    static constexpr int at_once = static_cast<int>(web::requests_of_caller_max(4));

    Gate gate;
    std::atomic<int> begun = 0;
    std::vector<HttpConnection> asking;
};

}  // namespace

TEST_SUITE("web turns") {
    TEST_CASE("a caller has so many at once and so many that wait and no more") {
        Turns turns{2, 1};
        int ran = 0;
        const auto job = [&] { ++ran; };

        CHECK(turns.take("a", job) == Turn::now);
        CHECK(turns.take("a", job) == Turn::now);
        CHECK(turns.take("a", job) == Turn::later);
        CHECK(turns.take("a", job) == Turn::never);
        CHECK(turns.take("b", job) == Turn::now);

        const auto next = turns.give_back("a");
        REQUIRE(next);
        next();
        CHECK(ran == 1);
        // It has taken over the place of the one that ended.
        CHECK(turns.take("a", job) == Turn::later);
        CHECK(turns.give_back("a"));
        CHECK_FALSE(turns.give_back("a"));
        CHECK(turns.take("a", job) == Turn::now);
    }

    TEST_CASE("what waits is dropped by the end and what ends after it finds nothing") {
        Turns turns{1, 1};
        const auto held = std::make_shared<int>();
        CHECK(turns.take("a", [] {}) == Turn::now);
        CHECK(turns.take("a", [held] {}) == Turn::later);

        turns.stop();

        CHECK(held.use_count() == 1);
        CHECK(turns.take("a", [] {}) == Turn::never);
        CHECK_FALSE(turns.give_back("a"));
    }

    TEST_CASE_FIXTURE(Shared, "one caller does not take every thread") {
        ask_slowly(2 * options.threads);
        REQUIRE(eventually([&] { return gate.waiting() == at_once; }));

        CHECK(get("/quick", as_admin).status == 200);
        CHECK(get("/open").status == 200);
        CHECK(begun == at_once);

        gate.open();
        for (auto& connection : asking) CHECK(connection.read().status == 204);
        CHECK(begun == static_cast<int>(2 * options.threads));
    }

    TEST_CASE_FIXTURE(Shared, "who need not say who they are count by their address") {
        for (std::size_t i = 0; i < 2 * options.threads; ++i)
            asking.emplace_back(port).send("GET /open/slow HTTP/1.1\r\nHost: a\r\n\r\n");
        REQUIRE(eventually([&] { return gate.waiting() == at_once; }));

        CHECK(get("/quick", as_member).status == 200);

        gate.open();
        for (auto& connection : asking) CHECK(connection.read().status == 204);
    }

    TEST_CASE_FIXTURE(Shared, "as many as may wait do and one more is 429") {
        ask_slowly(at_once + web::requests_waiting_of_caller_max + 1);
        REQUIRE(eventually([&] { return access_log.lines.contain("GET /slow 429"); }));

        CHECK(get("/quick", as_admin).status == 200);
        gate.open();

        std::size_t refused = 0;
        for (auto& connection : asking) {
            const auto reply = connection.read();
            if (reply.status == 204) continue;
            ++refused;
            CHECK(reply.status == 429);
            CHECK(reply.header("retry-after") == "1");
        }
        CHECK(refused == 1);
        CHECK(get("/quick", as_member).status == 200);
    }

    TEST_CASE_FIXTURE(Shared, "what waits for its turn as the server stops holds nothing up") {
        ask_slowly(2 * options.threads);
        REQUIRE(eventually([&] { return gate.waiting() == at_once; }));
        gate.open();

        CHECK(server->stop(std::chrono::seconds{20}));
    }
}
