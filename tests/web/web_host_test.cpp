// The server of a real host, with a real database.

#include <algorithm>
#include <chrono>
#include <future>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <signal.h>
#include <tests/support/host_port.hpp>
#include <tests/support/http_connection.hpp>
#include <tests/support/http_receiver.hpp>
#include <tests/support/private_cluster.hpp>
#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;
using namespace std::chrono_literals;

namespace {

/// Headers of a program that may do anything, and sends JSON.
std::string headers_for(const Installation& radd) {
    const auto made = radd.must({"token", "create", "--name", "ci", "--role", "admin", "--json"});
    return "Authorization: Bearer " + made.json()["token"].get<std::string>() +
           "\r\nContent-Type: application/json\r\n";
}

struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} {}

    [[nodiscard]] std::string as_administrator() const { return headers_for(*this); }
};

/// How long an answer took, and which it was.
struct Timed {
    HttpReply reply;
    std::chrono::steady_clock::duration took;
};

Timed timed(std::uint16_t port,
            std::string_view method,
            std::string_view target,
            std::string_view headers = "",
            std::string_view body = "") {
    const auto begin = std::chrono::steady_clock::now();
    auto reply = http(port, method, target, headers, body);
    return {std::move(reply), std::chrono::steady_clock::now() - begin};
}

}  // namespace

TEST_SUITE("web host") {
    TEST_CASE_FIXTURE(Scene, "a host says where it is and answers there") {
        const auto host = serve();
        const auto port = port_of(*host);

        CHECK(http(port, "GET", "/healthz").json()["status"] == "ok");
        CHECK(http(port, "GET", "/api/v1/openapi.json").json()["openapi"] == "3.1.0");
        CHECK(http(port, "GET", "/api/v1/events").status == 401);
        CHECK(http(port, "GET", "/api/v1/monitoring/overview").status == 401);
        CHECK(http(port, "GET", "/api/v1/nothing").status == 404);
        CHECK(http(port, "DELETE", "/healthz").status == 405);
        CHECK(eventually([&] { return http(port, "GET", "/readyz").status == 200; }));

        host->signal(SIGTERM);
        CHECK(host->wait() == 0);
        CHECK_THROWS(HttpConnection{port});
    }

    TEST_CASE_FIXTURE(Scene, "a port that is taken stops the host before it touches anything") {
        const auto first = serve();
        Installation second;
        second.set("RADD_HTTP_LISTEN", "127.0.0.1:" + std::to_string(port_of(*first)));

        const auto refused = second.run({"serve"});

        CHECK(refused.code != 0);
        CHECK(contains(refused.err, "http.listen: 127.0.0.1:"));
        CHECK(contains(refused.err, "choose another address"));
        CHECK_FALSE(std::filesystem::exists(second.path("var/postgres")));
    }

    TEST_CASE_FIXTURE(Scene, "in JSON each request is a line with its parts as members") {
        set("RADD_LOG_FORMAT", "json");
        const auto host = serve();
        (void)http(port_of(*host),
                   "GET",
                   "/api/v1/events?type=private",
                   "X-Request-Id: seen-1\r\nAuthorization: Bearer radd_secret\r\n");
        const auto line_of = [&](std::string_view part) {
            nlohmann::json found;
            for (const auto& line : lines_of(host->errors()))
                if (contains(line, part)) found = nlohmann::json::parse(line);
            return found;
        };
        REQUIRE(eventually([&] { return !line_of("seen-1").is_null(); }));

        const auto line = line_of("seen-1");

        CHECK(line["component"] == "access");
        CHECK(line["method"] == "GET");
        CHECK(line["path"] == "/api/v1/events");
        CHECK(line["status"] == 401);
        CHECK(line["bytes"] > 100);
        CHECK(line["duration_ms"].is_number());
        CHECK(line["request_id"] == "seen-1");
        CHECK(line["remote_address"] == "127.0.0.1");
        CHECK(line["principal_id"] == "");
        CHECK_FALSE(contains(host->errors(), "private"));
        CHECK_FALSE(contains(host->errors(), "radd_secret"));
    }

    TEST_CASE_FIXTURE(Scene, "an idle connection does not delay the end") {
        set("RADD_SHUTDOWN_GRACE", "60s");
        const auto host = serve();
        HttpConnection idle{port_of(*host)};
        idle.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
        REQUIRE(idle.read().status == 200);
        HttpConnection half{port_of(*host)};
        half.send("GET /healthz HT");

        host->signal(SIGTERM);

        CHECK(host->wait(30s) == 0);
    }

    TEST_CASE_FIXTURE(Scene, "a commit without an answer is in doubt and no reason to try again") {
        const auto host = serve();
        const auto port = port_of(*host);
        const auto headers = as_administrator();
        // Ends the session that has written the row as it commits: nothing lands, and the host
        // cannot know.
        execute(
            "CREATE FUNCTION burn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            "PERFORM pg_terminate_backend(pg_backend_pid()); RETURN new; END $$");
        for (const char* table : {"accounts", "tokens"})
            execute("CREATE CONSTRAINT TRIGGER burn AFTER INSERT ON radd." + std::string{table} +
                    " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION burn()");

        for (const char* target : {"/api/v1/accounts", "/api/v1/tokens"}) {
            const auto reply =
                http(port, "POST", target, headers, R"({"name":"ada","role":"member"})");

            CHECK(reply.status == 500);
            CHECK(reply.header("retry-after").empty());
            CHECK(reply.json()["type"] == "urn:radd:problem:commit-in-doubt");
            CHECK(contains(reply.json()["detail"].get<std::string>(), "before you send it again"));
        }
        CHECK(value("SELECT count(*) FROM radd.accounts") == "0");
        // The next request gets another session.
        CHECK(http(port, "GET", "/api/v1/accounts", headers).status == 200);
    }

    TEST_CASE("a database that hangs or is down is told within two seconds") {
        PrivateCluster cluster;
        Installation installation;
        installation.set("RADD_DATABASE_URL", cluster.url());
        installation.ship();
        const auto host = installation.serve();
        const auto port = port_of(*host);
        REQUIRE(eventually([&] { return http(port, "GET", "/readyz").status == 200; }));
        const auto headers = headers_for(installation);
        const std::string project = R"({"key":"DEMO","name":"Demo"})";
        REQUIRE(http(port, "POST", "/api/v1/projects", headers, project).status == 201);
        const std::string item = R"({"project":"DEMO","title":"late"})";
        const auto check_programs = [&] {
            for (const char* target : {"/api/v1/monitoring/overview", "/api/v1/events"}) {
                CAPTURE(target);
                const auto [reply, took] = timed(port, "GET", target, headers);
                CHECK(took < 5s);
                CHECK(reply.status == 503);
            }
            const auto [reply, took] = timed(port, "POST", "/api/v1/items", headers, item);
            CHECK(took < 5s);
            CHECK(reply.status == 503);
        };
        const auto is_away_everywhere = [&] {
            // A survey's page asks the database, and nobody who asks. The document does not, but
            // may not keep the thread of probes busy either, and is as any other route.
            for (const char* target : {"/readyz", "/csat/some-token", "/api/v1/openapi.json"}) {
                CAPTURE(target);
                const auto [reply, took] = timed(port, "GET", target);
                CHECK(took < 5s);
                if (reply.status != 503) return false;
            }
            CHECK(http(port, "GET", "/healthz").status == 200);
            CHECK(http(port, "GET", "/metrics").status == 200);
            return true;
        };

        cluster.freeze();
        CHECK(eventually(is_away_everywhere));
        check_programs();
        cluster.thaw();
        CHECK(eventually([&] { return http(port, "GET", "/readyz").status == 200; }));
        cluster.stop_immediate();
        CHECK(eventually(is_away_everywhere));
        check_programs();
        cluster.start();
        CHECK(eventually([&] { return http(port, "GET", "/readyz").status == 200; }));
        CHECK(http(port, "GET", "/csat/some-token").status == 404);

        host->signal(SIGTERM);
        CHECK(host->wait() == 0);
    }

    // P08
    TEST_CASE_FIXTURE(Scene, "fifty writers on four sessions are answered and then the next") {
        ship();
        set("RADD_DATABASE_POOL_SIZE", "4");
        const auto host = serve();
        const auto port = port_of(*host);
        const auto headers = as_administrator();
        REQUIRE(http(port, "POST", "/api/v1/projects", headers, R"({"key":"DEMO","name":"Demo"})")
                    .status == 201);
        const auto post = [&] {
            return http(port, "POST", "/api/v1/items", headers, R"({"project":"DEMO","title":"a"})")
                .status;
        };
        std::vector<std::future<int>> writers;
        for (int writer = 0; writer < 50; ++writer)
            writers.push_back(std::async(std::launch::async, post));

        int made = 0;
        for (auto& writer : writers) {
            const int status = writer.get();
            CHECK((status == 201 || status == 429 || status == 503));
            if (status == 201) ++made;
        }
        CHECK(made > 0);
        CHECK(value("SELECT count(*) FROM items.items") == std::to_string(made));
        CHECK(eventually([&] { return post() == 201; }));
        CHECK(eventually([&] { return is_settled(); }));
    }

    // P08
    TEST_CASE_FIXTURE(Scene, "monitoring answers while writers hold every session of the pool") {
        ship();
        set("RADD_DATABASE_POOL_SIZE", "4");
        set("RADD_HTTP_THREADS", "16");
        set("RADD_HTTP_REQUEST_TIMEOUT", "60s");
        const auto host = serve();
        const auto port = port_of(*host);
        const auto headers = as_administrator();
        REQUIRE(http(port, "POST", "/api/v1/projects", headers, R"({"key":"DEMO","name":"Demo"})")
                    .status == 201);
        const auto is_exhausted = [&] {
            return contains(http(port, "GET", "/metrics").body,
                            "radd_pool_leased{pool=\"plugins\"} 4\n");
        };
        radd::db::Session other{options()};
        other.begin();
        other.run_script("LOCK TABLE items.projects IN ACCESS EXCLUSIVE MODE");
        std::vector<std::future<int>> writers;
        for (int writer = 0; writer < 6; ++writer)
            writers.push_back(std::async(std::launch::async, [&] {
                return http(port,
                            "POST",
                            "/api/v1/items",
                            headers,
                            R"({"project":"DEMO","title":"a"})")
                    .status;
            }));
        REQUIRE(eventually(is_exhausted));

        for (const char* target : {"/api/v1/monitoring/overview", "/readyz", "/metrics"})
            CHECK_MESSAGE(http(port, "GET", target, headers).status == 200, target);
        CHECK(is_exhausted());

        other.commit();
        for (auto& writer : writers) {
            const int status = writer.get();
            CHECK((status == 201 || status == 503));
        }
        CHECK(eventually([&] { return is_settled(); }));
    }

    // P01
    TEST_CASE_FIXTURE(Scene, "an item whose request commits late is read once and first") {
        ship();
        ship("webhooks");
        set("RADD_HTTP_REQUEST_TIMEOUT", "60s");
        set("RADD_OUTBOUND_ALLOW", "127.0.0.0/8");
        write("secrets.keys", std::string(64, 'a') + "\n");
        set("RADD_SECRETS_KEY_FILE", path("secrets.keys").string());
        HttpReceiver told;
        must({"webhooks", "add", "told", told.url()});
        const auto host = serve();
        const auto port = port_of(*host);
        const auto headers = as_administrator();
        REQUIRE(http(port, "POST", "/api/v1/projects", headers, R"({"key":"DEMO","name":"Demo"})")
                    .status == 201);
        REQUIRE(eventually([&] { return is_settled(); }));
        // Its COMMIT waits for us, after its event has drawn an id.
        execute(
            "CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            "PERFORM pg_advisory_xact_lock(1); RETURN new; END $$;"
            "CREATE CONSTRAINT TRIGGER hold AFTER INSERT ON items.items DEFERRABLE "
            "INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION hold();"
            "SELECT pg_advisory_lock(1)");
        auto late = std::async(std::launch::async, [&] {
            return http(
                port, "POST", "/api/v1/items", headers, R"({"project":"DEMO","title":"late"})");
        });
        CHECK(eventually([&] {
            return value(
                       "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'advisory' AND "
                       "datname = current_database()") == "1";
        }));

        const auto later = std::stoll(value("SELECT radd.emit('app.happened', 'note', '1')"));

        CHECK(eventually([&] { return consumer("csat.sender").value("state", "") == "waiting"; }));
        CHECK(consumer("csat.sender").value("last_event_id", later) < later - 1);
        execute("SELECT pg_advisory_unlock(1)");
        CHECK(late.get().status == 201);
        CHECK(eventually([&] { return is_settled(); }));
        CHECK(value("SELECT event_type FROM radd.events WHERE id = " + std::to_string(later - 1)) ==
              "item.created");
        CHECK(value("SELECT cursor FROM radd.consumers WHERE name = 'csat.sender'") ==
              std::to_string(later));
        CHECK(value("SELECT count(*) FROM radd.skipped_events") == "0");
        // Who is told of every event was told of this one: before the later one, and once.
        CHECK(eventually([&] {
            return value("SELECT count(*) FROM radd.deliveries WHERE state = 'pending'") == "0";
        }));
        CHECK(value("SELECT event_id FROM radd.deliveries WHERE event_id >= " +
                    std::to_string(later - 1) + " ORDER BY id LIMIT 1") ==
              std::to_string(later - 1));
        CHECK(std::ranges::count_if(told.received(), [](const Received& request) {
                  return contains(request.body, "item.created");
              }) == 1);
    }
}
