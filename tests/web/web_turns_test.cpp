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
        add(StreamSpec{.path = "/stream",
                       .access = Access::member,
                       .summary = "Listen",
                       .open = [this](const HttpRequest&, Services&) {
                           return std::make_unique<Listener>(*this);
                       }});
        dispatcher_options.trusted_proxies = {"127.0.0.1"};
        options.threads = 4;
        options.streams_of_caller_max = 8;
        options.request_timeout = std::chrono::seconds{30};
        start();
    }
    ~Shared() {
        gate.open();
        server.reset();
    }

    /// Is behind once it is asked to refill, and stands at the gate meanwhile.
    class Listener final : public StreamSession {
    public:
        explicit Listener(Shared& bench) : bench_{bench} {}
        void refill(StreamClient& client) override {
            if (!std::exchange(is_known_, true)) return bench_.know(client);
            ++bench_.begun;
            bench_.gate.pass();
        }

    private:
        Shared& bench_;
        bool is_known_ = false;
    };
    void know(StreamClient& client) {
        const std::scoped_lock lock{mutex};
        clients.push_back(&client);
    }
    [[nodiscard]] std::size_t listeners() {
        const std::scoped_lock lock{mutex};
        return clients.size();
    }

    /// Of the member, by token and by session in turn.
    HttpConnection& ask(std::string_view path) {
        HttpConnection& connection = asking.emplace_back(port);
        connection.send("GET " + std::string{path} + " HTTP/1.1\r\nHost: a\r\n" +
                        std::string{asking.size() % 2 == 1
                                        ? as_member
                                        : "Cookie: radd_session=member-secret\r\n"} +
                        "\r\n");
        return connection;
    }
    void ask_slowly(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) ask("/slow");
    }
    static constexpr int at_once = static_cast<int>(web::requests_of_caller_max(4));

    Gate gate;
    std::atomic<int> begun = 0;
    std::vector<HttpConnection> asking;
    std::mutex mutex;
    std::vector<StreamClient*> clients;
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

    TEST_CASE_FIXTURE(Shared, "of IPv6 one caller is a block of addresses") {
        const auto from = [](const std::string& address) {
            return "X-Forwarded-For: " + address + "\r\n";
        };
        for (std::size_t i = 0; i < 2 * options.threads; ++i) {
            asking.emplace_back(port).send("GET /open/slow HTTP/1.1\r\nHost: a\r\n" +
                                           from("2001:db8:1:2::" + std::to_string(i)) + "\r\n");
        }
        REQUIRE(eventually([&] { return gate.waiting() == at_once; }));

        CHECK(get("/open", from("2001:db8:1:3::1")).status == 200);
        CHECK(begun == at_once);

        gate.open();
        for (auto& connection : asking) CHECK(connection.read().status == 204);
    }

    TEST_CASE_FIXTURE(Shared, "what streams of one caller miss is not read on every thread") {
        const std::size_t streams = 2 * options.threads;
        for (std::size_t i = 0; i < streams; ++i) CHECK(ask("/stream").read(true).status == 200);
        REQUIRE(eventually([&] { return listeners() == streams; }));

        for (StreamClient* client : clients) client->request_refill();
        REQUIRE(eventually([&] { return gate.waiting() == at_once; }));

        CHECK(get("/quick", as_admin).status == 200);
        CHECK(get("/open").status == 200);
        CHECK(begun == at_once);

        gate.open();
        CHECK(eventually([&] { return begun == static_cast<int>(streams); }));
        CHECK(get("/quick", as_member).status == 200);
    }

    TEST_CASE_FIXTURE(Shared, "one caller opens so many streams and no more") {
        for (std::size_t i = 0; i < options.streams_of_caller_max; ++i)
            CHECK(ask("/stream").read(true).status == 200);

        const auto refused = ask("/stream").read();
        CHECK(refused.status == 429);
        CHECK(refused.header("retry-after") == "10");
        CHECK(server->streams().refused == 1);
        HttpConnection other{port};
        other.send("GET /stream HTTP/1.1\r\nHost: a\r\n" + std::string{as_admin} + "\r\n");
        CHECK(other.read(true).status == 200);

        asking.pop_back();  // The refused one.
        asking.pop_back();
        REQUIRE(eventually([&] {
            return server->streams().open == options.streams_of_caller_max;  // With the other's.
        }));
        CHECK(ask("/stream").read(true).status == 200);
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
