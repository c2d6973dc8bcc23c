// The private server: who starts it, who finds it, and who stops it.

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include <host/db/embedded_postgres.hpp>
#include <host/db/server_process.hpp>
#include <host/db/session.hpp>
#include <signal.h>
#include <tests/support/process.hpp>
#include <tests/support/temp_dir.hpp>
#include <tests/support/wait.hpp>
#include <unistd.h>

namespace fs = std::filesystem;
using radd::ConfigError;
using radd::db::EmbeddedPostgres;
using radd::db::is_running;
using radd::db::running_server;
using radd::db::Session;
using radd::testing::eventually;
using radd::testing::Process;
using radd::testing::TempDir;

namespace {

/// A process of its own that uses the server, and what it said about it.
struct User {
    explicit User(const fs::path& data_dir)
        : process{{RADD_BINARY_DIR "/tests/embedded_postgres_user", data_dir.string()}} {}

    std::string how() {
        REQUIRE_MESSAGE(
            eventually([&] { return process.output().ends_with('\n') || !process.is_running(); },
                       std::chrono::seconds{60}),
            process.errors());
        std::string word;
        std::istringstream{process.output()} >> word >> server >> url;
        return word.empty() ? process.errors() : word;
    }
    void end() {
        process.signal(SIGTERM);
        REQUIRE(process.wait() == 0);
    }

    Process process;
    pid_t server = 0;
    std::string url;
};

struct Bench {
    TempDir folder;
    fs::path data_dir = folder.path() / "var";
    fs::path cluster = data_dir / "postgres";

    ~Bench() { (void)radd::db::stop_server(cluster, SIGQUIT, std::chrono::seconds{20}); }

    std::string refusal() {
        try {
            auto server = EmbeddedPostgres::attach_or_start(data_dir, [](const std::string&) {});
        } catch (const ConfigError& error) {
            return error.what();
        }
        return "started";
    }
};

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("private server") {
    TEST_CASE_FIXTURE(Bench, "it is made and started once and stopped by its last user") {
        User first{data_dir};
        CHECK(first.how() == "started");
        CHECK(contains(first.process.errors(), "preparing a private PostgreSQL in "));
        User second{data_dir};
        CHECK(second.how() == "attached");
        CHECK(second.server == first.server);
        CHECK(second.process.errors().empty());

        first.end();
        CHECK(running_server(cluster) == second.server);
        second.end();
        CHECK_FALSE(running_server(cluster));
        CHECK_FALSE(fs::exists(cluster / "postmaster.pid"));
    }

    TEST_CASE_FIXTURE(Bench, "what was written is there at the next start") {
        const auto run = [&](const std::string& script) {
            auto server = EmbeddedPostgres::attach_or_start(data_dir, [](const std::string&) {});
            Session session{{.url = server.url()}};
            session.run_script(script);
            return server.started_here();
        };

        CHECK(run("CREATE TABLE kept (id bigint)"));
        CHECK(run("INSERT INTO kept VALUES (1)"));
        CHECK_FALSE(running_server(cluster));
    }

    TEST_CASE_FIXTURE(Bench, "two processes that race start one server") {
        User one{data_dir};
        User other{data_dir};

        const std::string both = one.how() + " " + other.how();

        CHECK((both == "started attached" || both == "attached started"));
        CHECK(one.server == other.server);
    }

    TEST_CASE_FIXTURE(Bench, "it outlives a user that was killed and the next one finds it") {
        User victim{data_dir};
        REQUIRE(victim.how() == "started");
        victim.process.signal(SIGKILL);
        REQUIRE(victim.process.wait() == 128 + SIGKILL);
        CHECK(running_server(cluster) == victim.server);

        User next{data_dir};
        CHECK(next.how() == "attached");
        CHECK(next.server == victim.server);
        next.end();
        CHECK_FALSE(running_server(cluster));
    }

    TEST_CASE_FIXTURE(Bench,
                      "after the server was killed the next user starts it and it recovers") {
        User first{data_dir};
        REQUIRE(first.how() == "started");
        {
            Session session{{.url = first.url}};
            session.run_script("CREATE TABLE kept AS SELECT 7 AS id");
        }
        REQUIRE(radd::db::stop_server(cluster, SIGKILL, std::chrono::seconds{20}));
        REQUIRE(fs::exists(cluster / "postmaster.pid"));

        User next{data_dir};
        CHECK(next.how() == "started");
        Session session{{.url = next.url}};
        CHECK(session.query("SELECT id FROM kept")[0].integer("id") == 7);
    }

    TEST_CASE_FIXTURE(Bench, "a pid that has come round again is neither trusted nor signalled") {
        User first{data_dir};
        REQUIRE(first.how() == "started");
        first.end();
        Process stranger{{"/bin/sleep", "600"}};
        {
            std::ofstream file{cluster / "postmaster.pid"};
            file << stranger.pid() << '\n' << cluster.string() << "\n1\n5432\n";
            std::ofstream{data_dir / "run" / ".s.PGSQL.5432.lock"} << stranger.pid() << '\n';
        }
        CHECK_FALSE(running_server(cluster));

        User next{data_dir};
        CHECK(next.how() == "started");
        next.end();
        CHECK(stranger.is_running());
    }

    TEST_CASE_FIXTURE(Bench, "a path too long for a socket has its socket elsewhere") {
        data_dir /= std::string(100, 'x');
        auto server = EmbeddedPostgres::attach_or_start(data_dir, [](const std::string&) {});
        User other{data_dir};

        CHECK(other.how() == "attached");
        CHECK(other.url == server.url());
        CHECK(contains(server.url(), "radd-pg-"));
        cluster = data_dir / "postgres";
    }

    TEST_CASE_FIXTURE(Bench, "a cluster of another version is refused in one line") {
        fs::create_directories(cluster);
        std::ofstream{cluster / "PG_VERSION"} << "9\n";

        const std::string message = refusal();

        CHECK(contains(message, "no server of version 9 is installed (found: "));
        CHECK(contains(message, "install postgresql-9"));
        CHECK_FALSE(contains(message, "\n"));
    }

    TEST_CASE_FIXTURE(Bench, "a folder with something else in it is left alone") {
        fs::create_directories(cluster);
        std::ofstream{cluster / "thesis.txt"} << "precious";

        CHECK(contains(refusal(), "is no PostgreSQL cluster and not empty; move it away"));
        CHECK(fs::exists(cluster / "thesis.txt"));
    }

    TEST_CASE_FIXTURE(Bench, "what initdb left half made is made anew") {
        fs::create_directories(data_dir / "postgres.new");
        std::ofstream{data_dir / "postgres.new" / "PG_VERSION"} << "15\n";

        CHECK(refusal() == "started");
    }

    TEST_CASE_FIXTURE(Bench, "a server that ends instead of starting says why") {
        REQUIRE(refusal() == "started");
        std::ofstream{cluster / "postgresql.conf", std::ios::app} << "no_such_setting = 1\n";

        const std::string message = refusal();

        CHECK(contains(message, "ended instead of starting: "));
        CHECK(contains(message, "no_such_setting"));
    }

    TEST_CASE_FIXTURE(Bench, "a folder the server cannot reach is refused with a remedy") {
        if (geteuid() != 0) {
            MESSAGE("not run as root: the server's user is ourselves and this was not tested");
            return;
        }
        fs::permissions(folder.path(), fs::perms::owner_all);

        const std::string message = refusal();

        CHECK(contains(message, "cannot be entered by user postgres"));
        CHECK(contains(message, "--data-dir"));
    }

    TEST_CASE_FIXTURE(Bench, "a folder that cannot be made is refused with a remedy") {
        std::ofstream{data_dir} << "a file";

        CHECK(contains(refusal(), "--data-dir"));
    }
}
