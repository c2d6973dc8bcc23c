// PostgreSQL goes away under a host, and comes back.

#include <cstdlib>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include <host/db/session.hpp>
#include <signal.h>
#include <tests/support/private_cluster.hpp>
#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;
using namespace std::chrono_literals;

namespace {

struct Scene : Installation {
    Scene() {
        install_chores();
        set("RADD_DATABASE_URL", cluster.url());
        set("RADD_CONSUMERS_LEASE", "2s");
    }
    /// Writes as an application does.
    void ask(int count) const {
        radd::db::Session{{.url = cluster.url()}}.run_script(
            "INSERT INTO radd.events (event_type, entity_type, entity_id) SELECT 'chores.asked', "
            "'chore', i::text FROM generate_series(1, " +
            std::to_string(count) + ") AS i");
    }
    [[nodiscard]] std::int64_t count(const char* what) const {
        radd::db::Session session{{.url = cluster.url()}};
        const auto rows = session.query_text(
            std::string{"SELECT count("} + what + ") AS n FROM chores.done", {}, false);
        return rows[0].integer("n");
    }

    PrivateCluster cluster;
};

bool is_long_run() {
    return std::getenv("RADD_LONG") != nullptr;  // NOLINT(concurrency-mt-unsafe)
}

}  // namespace

TEST_SUITE("a restart of PostgreSQL") {
    // P07
    TEST_CASE_FIXTURE(Scene, "is survived and each event is handled once") {
        const auto host = serve();
        constexpr int events = 100;
        const int restarts = is_long_run() ? 10 : 3;
        for (int i = 0; i < restarts; ++i) {
            ask(events);
            if (i % 2 == 0) cluster.stop_immediate();
            if (i % 2 == 1) cluster.stop_fast();
            REQUIRE(host->is_running());
            cluster.start();
            CHECK(eventually([&] { return count("*") == events * (i + 1); }, 60s));
        }

        CHECK(host->is_running());
        CHECK(eventually([&] { return is_settled(); }));
        CHECK(count("*") == events * restarts);
        CHECK(count("DISTINCT event_id") == events * restarts);
        CHECK(lines_of(host->errors()).size() < 100);
        host->signal(SIGTERM);
        CHECK(host->wait() == 0);
    }

    // P07
    TEST_CASE_FIXTURE(Scene, "is survived by who follows the stream") {
        must({"migrate"});
        ask(1);
        const auto tail = start({"events", "tail", "--json"});
        const auto shows = [&](std::size_t events) {
            return eventually([&] { return lines_of(tail->output()).size() == events; });
        };
        REQUIRE(shows(1));

        for (const std::size_t events : {2U, 3U}) {
            cluster.stop_immediate();
            cluster.start();
            ask(1);
            CHECK(shows(events));
        }

        tail->signal(SIGTERM);
        CHECK(tail->wait() == 0);
    }

    TEST_CASE_FIXTURE(Scene, "does not keep a host from ending") {
        const auto host = serve();

        cluster.stop_fast();
        host->signal(SIGTERM);

        const auto code = host->wait(40s);
        CAPTURE(host->errors());
        CHECK(code);
    }

    // P07
    TEST_CASE_FIXTURE(Scene, "is waited for by a host that starts") {
        cluster.stop_fast();
        set("RADD_STARTUP_TIMEOUT", "60s");
        const auto host = start({"serve"});
        REQUIRE(eventually([&] { return contains(host->errors(), "trying for up to 1m"); }));
        CHECK(host->is_running());

        cluster.start();

        CHECK(eventually([&] { return contains(host->errors(), "ready: "); }));
        ask(1);
        CHECK(eventually([&] { return count("*") == 1; }));
    }

    // P14
    TEST_CASE_FIXTURE(Scene, "is not waited for by a host that is told to end") {
        cluster.stop_fast();
        set("RADD_STARTUP_TIMEOUT", "60s");
        for (const int signal : {SIGTERM, SIGINT}) {
            const auto host = start({"serve"});
            REQUIRE(eventually([&] { return contains(host->errors(), "trying for up to 1m"); }));

            host->signal(signal);

            CHECK(host->wait(30s) == 0);
            CHECK(contains(host->errors(), "stopped before it was ready"));
        }
    }

    // P07
    TEST_CASE_FIXTURE(Scene, "is waited for no longer than startup_timeout") {
        cluster.stop_fast();
        set("RADD_STARTUP_TIMEOUT", "1s");

        const auto ran = run({"serve"});

        CAPTURE(ran.err);
        CHECK(ran.code == 4);
        CHECK(contains(lines_of(ran.err).back(), "check that the server runs"));
    }
}
