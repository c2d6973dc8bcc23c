#include <chrono>
#include <cstdlib>

#include <doctest/doctest.h>

#include <host/cli/service_manager.hpp>
#include <tests/support/notify_socket.hpp>

using namespace std::chrono_literals;
using radd::cli::ServiceManager;
using radd::testing::NotifySocket;

namespace {

/// What systemd sets for a service; taken back with this. No thread runs beside these tests.
struct Bench {
    NotifySocket socket;

    Bench() {
        REQUIRE(socket.is_bound());
        set("NOTIFY_SOCKET", socket.path());
        set("WATCHDOG_USEC", "2000000");
    }
    ~Bench() {
        for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC"})
            unsetenv(name);  // NOLINT(concurrency-mt-unsafe)
    }
    static void set(const char* name, const std::string& value) {
        setenv(name, value.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
    }
};

}  // namespace

TEST_SUITE("service manager") {
    TEST_CASE_FIXTURE(Bench, "hears when the host is ready and when it stops") {
        ServiceManager manager;
        manager.status("starting");
        manager.ready("at event 7");
        CHECK(socket.received() == "STATUS=starting\nREADY=1\nSTATUS=at event 7\n");

        manager.stopping();
        CHECK(socket.received() == "STOPPING=1\nSTATUS=stopping\n");
    }

    TEST_CASE_FIXTURE(Bench, "hears a status once and in one line") {
        ServiceManager manager;
        manager.status("a");
        manager.status("a");
        manager.status("b\nMAINPID=1");
        CHECK(socket.received() == "STATUS=a\nSTATUS=b MAINPID=1\n");
    }

    TEST_CASE_FIXTURE(Bench, "hears no sign of life from work that stands still") {
        ServiceManager manager;
        REQUIRE(manager.watchdog() == 2s);

        manager.alive(1000ms);
        CHECK(socket.received() == "WATCHDOG=1\n");
        manager.alive(1001ms);
        CHECK(socket.received().empty());
    }

    TEST_CASE_FIXTURE(Bench, "that does not watch gets no sign of life") {
        unsetenv("WATCHDOG_USEC");  // NOLINT(concurrency-mt-unsafe)
        ServiceManager manager;
        CHECK_FALSE(manager.watchdog());
        manager.alive(0ms);
        CHECK(socket.received().empty());
    }

    TEST_CASE("nobody is told where there is none or none answers") {
        ServiceManager alone;
        alone.ready("on a terminal");
        Bench::set("NOTIFY_SOCKET", "/nowhere/notify");
        ServiceManager unheard;
        unheard.ready("unheard");
        unheard.alive(0ms);
        unsetenv("NOTIFY_SOCKET");  // NOLINT(concurrency-mt-unsafe)
    }
}
