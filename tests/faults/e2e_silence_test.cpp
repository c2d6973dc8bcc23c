// The one host there is, and a network between it and its database that says nothing any more.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <signal.h>
#include <tests/support/host_port.hpp>
#include <tests/support/http_connection.hpp>
#include <tests/support/radd_process.hpp>
#include <tests/support/tcp_proxy.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;
using namespace std::chrono_literals;

namespace {

using Ids = std::vector<std::int64_t>;

/// A member of the feed.
class Listener {
public:
    Listener(std::uint16_t port, const std::string& bearer) : connection_{port} {
        REQUIRE(connection_.send("GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n" + bearer +
                                 "\r\n"));
        REQUIRE_FALSE(connection_.read_until("event: ready").empty());
    }
    /// The ids of all events up to the one that says these words, in the order of their coming.
    Ids read_until(const std::string& words) {
        const auto text = connection_.read_until(words);
        constexpr std::string_view before = "\nid: ";
        Ids ids;
        for (auto at = text.find(before); at != std::string::npos; at = text.find(before, at + 1))
            ids.push_back(std::stoll(text.substr(at + before.size())));
        return ids;
    }

private:
    HttpConnection connection_;
};

struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} {
        ship();
        ship("realtime");
        install_chores();
        Installation::set("RADD_CONSUMERS_LEASE", "1s");
        must({"migrate"});
        const auto token = must({"token", "create", "--name", "Ada", "--role", "member", "--json"});
        bearer = "Authorization: Bearer " + token.json()["token"].get<std::string>() + "\r\n";
        Installation::set("RADD_DATABASE_URL", proxy.url());
        host = serve();
        Installation::set("RADD_DATABASE_URL", url());
    }
    /// Writes as an application does, by a way of its own. The ids.
    Ids ask(int count, const std::string& words) {
        Ids ids;
        for (int i = 0; i < count; ++i) {
            execute(
                "INSERT INTO radd.events (event_type, entity_type, entity_id, payload) VALUES "
                "('chores.asked', 'chore', '1', '{\"words\": \"" +
                words + std::to_string(i + 1) + "\"}')");
            ids.push_back(std::stoll(value("SELECT max(id) FROM radd.events")));
        }
        return ids;
    }
    [[nodiscard]] int done() { return std::stoi(value("SELECT count(*) FROM chores.done")); }
    [[nodiscard]] bool is_ready() const {
        return http(port_of(*host), "GET", "/readyz").status == 200;
    }
    [[nodiscard]] bool has_no_lease() {
        return value("SELECT count(*) FROM radd.consumers WHERE lease_until > now()") == "0";
    }

    TcpProxy proxy{url()};
    std::string bearer;
    std::unique_ptr<Process> host;
};

}  // namespace

TEST_SUITE("a network that falls silent") {
    // P07, P09
    TEST_CASE_FIXTURE(Scene, "costs the only host time and no event and it goes on by itself") {
        Listener first{port_of(*host), bearer};
        Listener second{port_of(*host), bearer};
        int asked = 0;
        for (const std::string round : {"one", "two"}) {
            CAPTURE(round);
            REQUIRE(eventually([&] { return is_ready() && is_settled(); }, 60s));

            proxy.fall_silent();
            // It has noticed, and nobody holds what it held.
            REQUIRE(eventually([&] { return !is_ready() && has_no_lease(); }, 60s));
            const auto ids = ask(5, round);
            CHECK(done() == asked);
            proxy.speak();

            asked += 5;
            CHECK(eventually([&] { return done() == asked; }, 60s));
            CHECK(first.read_until(round + "5") == ids);
            CHECK(second.read_until(round + "5") == ids);
        }
        CHECK(eventually([&] { return is_ready() && is_settled(); }, 60s));
        CHECK(value("SELECT count(DISTINCT event_id) FROM chores.done") == std::to_string(asked));
        CHECK(value("SELECT count(*) FROM radd.skipped_events") == "0");
        CHECK(host->is_running());
        CHECK(lines_of(host->errors()).size() < 100);
        host->signal(SIGTERM);
        CHECK(host->wait() == 0);
    }

    // P07, P09
    TEST_CASE_FIXTURE(Scene, "for good on every connection is found out and others are made") {
        Listener first{port_of(*host), bearer};
        Listener second{port_of(*host), bearer};
        for (int round = 1; round <= 2; ++round) {
            REQUIRE(eventually([&] { return is_ready() && is_settled(); }, 60s));

            proxy.lose_connections();
            const auto ids = ask(5, "round " + std::to_string(round) + " event ");

            // What it had in hand may be held by the server until that gives the session up.
            CHECK(eventually([&] { return done() == 5 * round; }, 120s));
            const auto last = "round " + std::to_string(round) + " event 5";
            CHECK(first.read_until(last) == ids);
            CHECK(second.read_until(last) == ids);
        }
        CHECK(eventually([&] { return is_ready() && is_settled(); }, 60s));
        CHECK(value("SELECT count(DISTINCT event_id) FROM chores.done") == "10");
        CHECK(value("SELECT count(*) FROM radd.skipped_events") == "0");
        host->signal(SIGTERM);
        CHECK(host->wait() == 0);
    }
}
