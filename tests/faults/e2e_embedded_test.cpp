// A host without a database of its own choosing: radd runs a private PostgreSQL in its data_dir.

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <host/db/server_process.hpp>
#include <signal.h>
#include <sys/stat.h>
#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;
using namespace std::chrono_literals;

namespace {

struct Scene : Installation {
    Scene() {
        install_chores();
        set("RADD_CONSUMERS_LEASE", "1s");
    }
    [[nodiscard]] bool server_runs() const {
        return radd::db::running_server(path("var/postgres")).has_value();
    }
    void ask(const std::string& chore) const {
        must({"events", "emit", "chores.asked", "chore", chore});
    }
    [[nodiscard]] bool has_handled(int count) const {
        return eventually([&] { return consumer("chores.doer").at("handled_count") == count; });
    }
};

}  // namespace

TEST_SUITE("private PostgreSQL") {
    // P15
    TEST_CASE_FIXTURE(Scene,
                      "serves a host that is killed and the next one and ends with the last") {
        auto first = serve();
        CHECK(contains(first->errors(), "preparing a private PostgreSQL"));
        CHECK(server_runs());
        ask("1");
        CHECK(has_handled(1));

        first->signal(SIGKILL);
        REQUIRE(first->wait() == 128 + SIGKILL);
        const auto left = run({"events", "query", "--json"});
        CHECK(left.code == 0);
        CHECK(left.json_lines().size() == 1);

        const auto second = serve();
        ask("2");
        CHECK(has_handled(2));
        CHECK(server_runs());
        second->signal(SIGTERM);
        CHECK(second->wait() == 0);
        CHECK_FALSE(server_runs());
    }

    TEST_CASE_FIXTURE(Scene, "is started and stopped by a command of its own") {
        CHECK(run({"migrate"}).code == 0);
        CHECK_FALSE(server_runs());

        ask("1");
        CHECK_FALSE(server_runs());
        CHECK(run({"events", "query", "--json"}).json_lines().size() == 1);
        CHECK_FALSE(server_runs());
    }

    TEST_CASE_FIXTURE(Scene, "recovers when it is killed together with the host") {
        const auto host = serve();
        ask("1");
        const auto server = radd::db::running_server(path("var/postgres"));
        REQUIRE(server);

        host->signal(SIGKILL);
        REQUIRE(host->wait() == 128 + SIGKILL);
        REQUIRE(::kill(*server, SIGKILL) == 0);

        const auto next = serve();
        CHECK(has_handled(1));
        next->signal(SIGTERM);
        CHECK(next->wait() == 0);
        CHECK_FALSE(server_runs());
    }

    // P07
    TEST_CASE_FIXTURE(Scene, "is started again by the host when it dies alone") {
        const auto host = serve();
        ask("1");
        CHECK(has_handled(1));

        const auto server = radd::db::running_server(path("var/postgres"));
        REQUIRE(server);
        kill(*server, SIGKILL);
        // No command must be run before it is back: it would start the server itself.
        REQUIRE(eventually([&] { return contains(host->errors(), "was started again"); }));
        CHECK(radd::db::running_server(path("var/postgres")) != server);

        ask("2");
        CHECK(has_handled(2));
        host->signal(SIGTERM);
        CHECK(host->wait() == 0);
        CHECK_FALSE(server_runs());
    }

    TEST_CASE_FIXTURE(Scene, "survives a host that stops while another command runs") {
        const auto host = serve();
        ask("1");
        const auto tail = start({"events", "tail"});
        REQUIRE(eventually([&] { return contains(tail->output(), "chore 1"); }));

        host->signal(SIGTERM);
        CHECK(host->wait() == 0);
        CHECK(server_runs());
        tail->signal(SIGTERM);
        CHECK(tail->wait() == 0);
        CHECK_FALSE(server_runs());
    }

    TEST_CASE_FIXTURE(Scene, "is shared by two hosts that start together") {
        auto first = start({"serve"});
        auto second = start({"serve"});
        for (auto* host : {first.get(), second.get()})
            REQUIRE(eventually([&] { return contains(host->errors(), "ready: "); }, 60s));
        ask("1");
        CHECK(has_handled(1));

        first->signal(SIGTERM);
        CHECK(first->wait() == 0);
        CHECK(server_runs());
        ask("2");
        CHECK(has_handled(2));
        second->signal(SIGTERM);
        CHECK(second->wait() == 0);
        CHECK_FALSE(server_runs());
    }

    TEST_CASE_FIXTURE(Scene, "comes up in a folder that nobody else may look into") {
        const auto before = ::umask(S_IRWXG | S_IRWXO);
        const auto ran = run({"migrate"});
        ::umask(before);

        CAPTURE(ran.err);
        CHECK(ran.code == 0);
    }

    TEST_CASE_FIXTURE(Scene, "tells in one line which data_dir it cannot use") {
        write("a_file", "");
        std::filesystem::create_directories(path("full/postgres"));
        write("full/postgres/a_file", "");
        for (const std::string folder : {"a_file", "a_file/below", "full", "/proc/radd"}) {
            set("RADD_DATA_DIR", folder);
            const auto ran = run({"serve"});
            CAPTURE(folder);
            CAPTURE(ran.err);
            CHECK(ran.code == 4);
            CHECK(lines_of(ran.err).size() == 1);
            CHECK(contains(ran.err, folder.substr(0, 6)));
        }
    }
}
