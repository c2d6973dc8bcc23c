// What may happen to a database under load, and what its consumers and writers find afterwards.

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sys/mount.h>
#include <tests/faults/scene.hpp>
#include <tests/support/pooler.hpp>
#include <tests/support/tcp_proxy.hpp>
#include <tests/support/temp_dir.hpp>
#include <unistd.h>

using namespace std::chrono_literals;
using namespace radd::testing;

namespace {

bool is_long() {
    return std::getenv("RADD_LONG") != nullptr;  // NOLINT(concurrency-mt-unsafe)
}

std::size_t count_of(const std::string& text, std::string_view part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

using Private = Scene<ClusterBench>;
using Shared = Scene<SharedWorkerBench>;

/// A file system of four megabytes, if we may mount one.
class SmallDisk {
public:
    explicit SmallDisk(const std::optional<radd::db::ServerUser>& user) {
        is_mounted_ = ::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, "size=4m") == 0;
        if (is_mounted_ && user)
            is_ours_ = chown(folder_.path().c_str(), user->uid, user->gid) == 0;
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;
    ~SmallDisk() {
        if (is_mounted_) ::umount2(folder_.path().c_str(), MNT_DETACH);
    }
    [[nodiscard]] bool usable() const noexcept { return is_mounted_ && is_ours_; }
    [[nodiscard]] std::string path() const { return folder_.path().string(); }

private:
    TempDir folder_;
    bool is_mounted_ = false;
    bool is_ours_ = true;
};

}  // namespace

TEST_SUITE("a fault of the database under load") {
    // P07
    TEST_CASE_FIXTURE(Private, "restarts of every kind lose nothing and repeat nothing") {
        start_workers(1);
        start_writers(cluster.url());
        const int rounds = is_long() ? 10 : 1;
        for (int round = 0; round < rounds; ++round) {
            for (const auto& stop :
                 std::vector<std::function<void()>>{[&] { cluster.stop_fast(); },
                                                    [&] { cluster.stop_immediate(); },
                                                    [&] { cluster.kill(); }}) {
                REQUIRE(moves_on());
                stop();
                cluster.start();
            }
        }
        REQUIRE(moves_on());
        check();
    }

    // P07
    TEST_CASE_FIXTURE(Shared, "ended sessions lose nothing and repeat nothing") {
        start_workers(1);
        start_writers(database.url());
        const int rounds = is_long() ? 200 : 15;
        for (int round = 0; round < rounds; ++round) {
            REQUIRE(moves_on(10));
            execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()");
        }
        check();
    }

    // P07
    TEST_CASE_FIXTURE(Private, "a server that turns read-only is waited for") {
        start_workers(1);
        start_writers(cluster.url());
        for (int round = 0; round < 3; ++round) {
            REQUIRE(moves_on());
            execute("ALTER SYSTEM SET default_transaction_read_only = on");
            execute("SELECT pg_reload_conf()");
            const auto before = count_of(workers[0]->errors(), "read-only");
            REQUIRE(eventually([&] { return count_of(workers[0]->errors(), "read-only") > before; },
                               60s));
            execute("ALTER SYSTEM RESET default_transaction_read_only");
            execute("SELECT pg_reload_conf()");
        }
        REQUIRE(moves_on());
        check();
    }

    // P07
    TEST_CASE_FIXTURE(Private, "a disk that is full is waited for") {
        const SmallDisk disk{radd::db::server_user()};
        if (!disk.usable()) {
            MESSAGE("skip: a small disk can be mounted by root alone");
            return;
        }
        execute("CREATE TABLESPACE small LOCATION '" + disk.path() + "'");
        execute("ALTER TABLE projected SET TABLESPACE small");
        execute("CREATE TABLE filler (bytes bytea) TABLESPACE small");
        execute("ALTER TABLE filler ALTER bytes SET STORAGE EXTERNAL");
        start_workers(1);
        start_writers(cluster.url());
        REQUIRE(moves_on());
        CHECK_THROWS(
            execute("DO $$ BEGIN LOOP INSERT INTO filler VALUES (repeat('x', 8000)::bytea); COMMIT;"
                    " END LOOP; END $$"));
        REQUIRE(
            eventually([&] { return count_of(workers[0]->errors(), "No space left") > 0; }, 60s));
        execute("DROP TABLE filler");
        REQUIRE(moves_on());
        check();
        execute("ALTER TABLE projected SET TABLESPACE pg_default");
        execute("DROP TABLESPACE small");
    }

    // P07, P12
    TEST_CASE_FIXTURE(Shared, "a connection that falls silent costs its host the lease alone") {
        TcpProxy proxy{database.url()};
        worker_url = proxy.url();
        start_workers(1);
        REQUIRE(eventually([&] { return owned_by(*workers[0]); }));
        worker_url.clear();
        start_workers(1);
        append(10, "probe.echoed");
        REQUIRE(eventually([&] { return all_at_head(); }));
        proxy.fall_silent();
        start_writers(database.url());
        REQUIRE(eventually([&] { return owned_by(*workers[1]); }, 60s));
        REQUIRE(moves_on());
        proxy.speak();
        REQUIRE(moves_on());
        check();
    }

    // P12, P13
    TEST_CASE_FIXTURE(Shared, "three hosts of which one is frozen or killed share the work") {
        start_workers(3);
        start_writers(database.url());
        const int rounds = is_long() ? 60 : 4;
        for (int round = 0; round < rounds; ++round) {
            REQUIRE(moves_on());
            auto& victim = workers[static_cast<std::size_t>(round) % workers.size()];
            if (round % 2 == 0) {
                victim->signal(SIGSTOP);
                let_pass(1500ms);
                victim->signal(SIGCONT);
                continue;
            }
            victim->signal(SIGKILL);
            REQUIRE(victim->wait() == 128 + SIGKILL);
            victim = start();
        }
        check();
    }

    // P15
    TEST_CASE_FIXTURE(Shared, "a death behind a transaction pooler is like any other") {
        const Pooler pooler{database.url(), 12};
        worker_url = pooler.url();
        worker_environment = {{"RADD_DATABASE_PREPARED_STATEMENTS", "false"}};
        start_writers(database.url());
        start_workers(1);
        for (int round = 0; round < (is_long() ? 20 : 1); ++round) {
            REQUIRE(moves_on());
            workers[0]->signal(SIGKILL);
            REQUIRE(workers[0]->wait() == 128 + SIGKILL);
            workers[0] = start();
        }
        check();
    }
}
