// A host that is told to end while its database takes connections and answers nothing.

#include <chrono>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include <fcntl.h>
#include <host/db/server_process.hpp>
#include <host/signals.hpp>
#include <signal.h>
#include <sys/file.h>
#include <tests/support/private_cluster.hpp>
#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>
#include <unistd.h>

using namespace radd::testing;
using namespace std::chrono_literals;
using radd::host::Signals;

namespace {

/// What a busy machine may add to any promise about time.
constexpr auto slack = 10s;

struct Ending {
    std::optional<int> code;
    std::chrono::steady_clock::duration took;
};

Ending end_of(Process& host) {
    const auto begin = std::chrono::steady_clock::now();
    const auto code = host.wait(60s);
    return {code, std::chrono::steady_clock::now() - begin};
}

/// A host with a database of its own choosing, which hangs when the test says so.
struct Hanging : PrivateCluster, Installation {
    Hanging() {
        install_chores();
        set("RADD_DATABASE_URL", url());
        set("RADD_SHUTDOWN_GRACE", "60s");
    }
};

/// A host whose private PostgreSQL is what hangs, or what others hold up.
struct Private : Installation {
    Private() { install_chores(); }
    ~Private() { signal_server(data, SIGCONT); }
    [[nodiscard]] bool server_runs() const { return radd::db::running_server(data).has_value(); }
    void block() const {
        must({"events", "emit", "chores.asked", "chore", "1", "--payload", R"({"do": "block"})"});
        REQUIRE(eventually([&] { return std::filesystem::exists(path("chores/blocked.1")); }));
    }
    const std::filesystem::path data = path("var/postgres");
};

}  // namespace

TEST_SUITE("a database that hangs") {
    // P14
    TEST_CASE_FIXTURE(Hanging, "does not keep the host beyond its grace") {
        set("RADD_SHUTDOWN_GRACE", "1s");
        const auto host = serve();
        freeze();

        host->signal(SIGTERM);
        const auto [code, took] = end_of(*host);

        CAPTURE(host->errors());
        CHECK(code);  // 0 if cutting the connections was enough for all to end in time.
        CHECK(took < 1s + Signals::margin + slack);
    }

    // P14
    TEST_CASE_FIXTURE(Hanging, "does not keep the host beyond a second signal") {
        const auto host = serve();
        freeze();

        host->signal(SIGTERM);
        REQUIRE(eventually([&] { return contains(host->errors(), "stopping"); }));
        host->signal(SIGTERM);
        const auto [code, took] = end_of(*host);

        CAPTURE(host->errors());
        CHECK(code == 1);
        CHECK(took < Signals::cut_margin + slack);
    }

    TEST_CASE_FIXTURE(Hanging, "does not keep a host that is starting") {
        set("RADD_SHUTDOWN_GRACE", "1s");
        set("RADD_STARTUP_TIMEOUT", "60s");
        freeze();
        const auto host = Installation::start({"serve"});
        // No line tells that it connects: by then it has made its folder.
        REQUIRE(eventually([&] { return std::filesystem::exists(path("var")); }));
        let_pass(200ms);

        host->signal(SIGTERM);
        const auto [code, took] = end_of(*host);

        CAPTURE(host->errors());
        CHECK(code);
        CHECK(took < 1s + Signals::margin + slack);
    }
}

TEST_SUITE("a private PostgreSQL that keeps its host waiting") {
    TEST_CASE_FIXTURE(Private, "is given up at the first signal while another process has it") {
        std::filesystem::create_directory(path("var"));
        const int lock =
            ::open(path("var/postgres.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        REQUIRE(::flock(lock, LOCK_EX) == 0);
        const auto host = start({"serve"});
        REQUIRE(eventually(
            [&] { return contains(host->errors(), "waiting for another radd process"); }));

        host->signal(SIGTERM);
        const auto [code, took] = end_of(*host);

        ::close(lock);
        CAPTURE(host->errors());
        CHECK(code == 0);
        CHECK(took < 1s + slack);
        CHECK(contains(host->errors(), "stopped before it was ready"));
    }

    TEST_CASE_FIXTURE(Private, "is given up at the first signal while it recovers or hangs") {
        auto first = serve();
        first->signal(SIGKILL);
        REQUIRE(first->wait() == 128 + SIGKILL);
        signal_server(data, SIGSTOP);
        const auto host = start({"serve"});
        REQUIRE(eventually([&] { return contains(host->errors(), "to recover"); }));

        host->signal(SIGTERM);
        const auto [code, took] = end_of(*host);

        CAPTURE(host->errors());
        CHECK(code == 0);
        CHECK(took < 3s + slack);
        // It was told to stop, and does once it can.
        signal_server(data, SIGCONT);
        CHECK(eventually([&] { return !server_runs(); }));
    }
}

TEST_SUITE("a private PostgreSQL") {
    TEST_CASE_FIXTURE(Private, "ends with a host that leaves a handler behind") {
        set("RADD_SHUTDOWN_GRACE", "200ms");
        const auto host = serve();
        block();

        host->signal(SIGTERM);
        CHECK(host->wait() == 1);

        CHECK(eventually([&] { return !server_runs(); }));
    }

    TEST_CASE_FIXTURE(Private, "ends with a host whose grace is cut") {
        set("RADD_SHUTDOWN_GRACE", "60s");
        const auto host = serve();
        block();

        host->signal(SIGTERM);
        REQUIRE(eventually([&] { return contains(host->errors(), "stopping"); }));
        host->signal(SIGTERM);
        CHECK(host->wait() == 1);

        CHECK(eventually([&] { return !server_runs(); }));
    }

    TEST_CASE_FIXTURE(Private, "stays for another process when a host leaves a handler behind") {
        set("RADD_SHUTDOWN_GRACE", "200ms");
        const auto host = serve();
        const auto other = start({"events", "tail"});
        block();
        REQUIRE(eventually([&] { return contains(other->output(), "chore 1"); }));

        host->signal(SIGTERM);
        CHECK(host->wait() == 1);

        CHECK(server_runs());
        other->signal(SIGTERM);
        CHECK(other->wait() == 0);
        CHECK_FALSE(server_runs());
    }
}
