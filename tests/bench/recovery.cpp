// How long recovery takes: when the owner of a consumer was killed, until the other host moves its
// cursor; after each fault of the database, from when that is ready again until lag moves.
//
//     radd_recovery, with RADD_RECOVERY_ROUNDS in the environment for other than 20 of each
//
// The scenes are those of tests/faults, on clusters of their own, under load, and each ends with a
// count of what was promised. Leases and waits of the host decide these figures, not the machine,
// as long as that is not short of time.

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tests/bench/report.hpp>
#include <tests/faults/scene.hpp>
#include <tests/support/tcp_proxy.hpp>

using namespace std::chrono_literals;
using namespace radd::testing;
using std::chrono::steady_clock;

namespace {

int rounds_wanted() {
    const char* const text = std::getenv("RADD_RECOVERY_ROUNDS");  // NOLINT(concurrency-mt-unsafe)
    return text == nullptr ? 20 : std::stoi(text);
}

/// Connections that were lost without a word are the server's until the proxy goes.
struct RoomyCluster {
    PrivateCluster cluster{{{"max_connections", "1000"}}};
};

template <int lease_ms>
struct RecoveryBench : RoomyCluster, WorkerBench {
    RecoveryBench() : WorkerBench{cluster.url(), std::to_string(lease_ms)} {
        static radd::bench::Report one;
        report = &one;
        static const bool has_begun =
            (one.begin(session().server_version(), rounds_wanted()), true);
        static_cast<void>(has_begun);
    }
    radd::bench::Report* report = nullptr;
};

template <int lease_ms>
struct Recovery : Scene<RecoveryBench<lease_ms>> {
    /// Where the projection has come to, once the database answers.
    [[nodiscard]] std::int64_t cursor() {
        std::int64_t found = -1;
        REQUIRE(answers([&] {
            found =
                this->number("SELECT cursor FROM radd.consumers WHERE name = 'probe.projection'");
            return true;
        }));
        return found;
    }
    template <typename Condition>
    bool answers(Condition&& condition) {
        return eventually(
            [&] {
                try {
                    return condition();
                } catch (const radd::Unavailable&) {
                    return false;
                }
            },
            180s);
    }
    [[nodiscard]] static double ms_since(steady_clock::time_point begin) {
        return std::chrono::duration<double, std::milli>(steady_clock::now() - begin).count();
    }
    void tell(const std::string& what, const std::vector<double>& ms) {
        this->report->value(what + ", ms: median", ms, "");
        this->report->value("  worst", {radd::bench::quantile(ms, 1)}, "");
    }

    /// The first of two is killed, the second takes over, and another becomes the second.
    double kill_owner() {
        const auto started = [&] { return !this->workers.back()->output().empty(); };
        REQUIRE(this->moves_on());
        REQUIRE(eventually([&] { return this->owned_by(*this->workers[0]); }, 120s));
        this->start_workers(1);
        REQUIRE(eventually(started, 60s));

        const auto begin = steady_clock::now();
        this->workers[0]->signal(SIGKILL);
        REQUIRE(this->workers[0]->wait() == 128 + SIGKILL);
        const auto from = cursor();
        const auto next_has_moved =
            "radd.consumers WHERE name = 'probe.projection' AND owner LIKE '%:" +
            std::to_string(this->workers[1]->pid()) + ":%' AND cursor > " + std::to_string(from);
        REQUIRE(answers([&] { return this->count(next_has_moved) == 1; }));
        const auto took = ms_since(begin);
        this->workers.erase(this->workers.begin());
        return took;
    }
    void measure_failover(const std::string& what) {
        this->start_workers(1);
        this->start_writers(this->cluster.url());
        std::vector<double> ms;
        for (int round = 0; round < rounds_wanted(); ++round) ms.push_back(kill_owner());
        this->check();
        tell(what, ms);
    }
    /// `fault` returns when the database is ready again.
    void measure_fault(const std::string& what, const std::function<void()>& fault) {
        this->start_workers(1);
        this->start_writers(this->cluster.url());
        std::vector<double> ms;
        for (int round = 0; round < rounds_wanted(); ++round) {
            REQUIRE(this->moves_on());
            fault();
            const auto begin = steady_clock::now();
            const auto from = cursor();
            REQUIRE(answers([&] { return cursor() > from; }));
            ms.push_back(ms_since(begin));
        }
        this->check();
        tell(what, ms);
    }
    void turn_read_only_for_a_while() {
        const auto refusals = [&] {
            const auto said = this->workers[0]->errors();
            std::size_t count = 0;
            for (auto at = said.find("read-only"); at != std::string::npos;
                 at = said.find("read-only", at + 1))
                ++count;
            return count;
        };
        const auto before = refusals();
        this->execute("ALTER SYSTEM SET default_transaction_read_only = on");
        this->execute("SELECT pg_reload_conf()");
        REQUIRE(eventually([&] { return refusals() > before; }, 60s));
        this->execute("ALTER SYSTEM RESET default_transaction_read_only");
        this->execute("SELECT pg_reload_conf()");
    }
};

// As a host has it unless told otherwise, and as short as it may be.
using Default = Recovery<10'000>;
using Shortest = Recovery<1'000>;

}  // namespace

TEST_SUITE("recovery") {
    TEST_CASE_FIXTURE(Default, "from the death of an owner with the lease that is the default") {
        measure_failover("owner killed, lease 10 s: to the other's cursor");
    }
    TEST_CASE_FIXTURE(Shortest, "from the death of an owner with the shortest lease") {
        measure_failover("owner killed, lease 1 s: to the other's cursor");
    }
    TEST_CASE_FIXTURE(Default, "from a fast restart") {
        measure_fault("restart, fast: from ready to lag moving", [&] {
            cluster.stop_fast();
            cluster.start();
        });
    }
    TEST_CASE_FIXTURE(Default, "from an immediate restart") {
        measure_fault("restart, immediate: from ready to lag moving", [&] {
            cluster.stop_immediate();
            cluster.start();
        });
    }
    TEST_CASE_FIXTURE(Default, "from a postmaster that was killed") {
        measure_fault("postmaster killed: from ready to lag moving", [&] {
            cluster.kill();
            cluster.start();
        });
    }
    TEST_CASE_FIXTURE(Default, "from sessions that were ended") {
        measure_fault("sessions ended: from then to lag moving", [&] {
            execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()");
        });
    }
    TEST_CASE_FIXTURE(Default, "from a server that was read-only") {
        measure_fault("read-only: from writable to lag moving",
                      [&] { turn_read_only_for_a_while(); });
    }
    TEST_CASE_FIXTURE(Default, "from a network that was silent") {
        TcpProxy proxy{cluster.url()};
        worker_url = proxy.url();
        measure_fault("network silent for 3 s: from its end to lag moving", [&] {
            proxy.fall_silent();
            let_pass(3s);
            proxy.speak();
        });
    }
    TEST_CASE_FIXTURE(Default, "from connections that were cut without a word") {
        TcpProxy proxy{cluster.url()};
        worker_url = proxy.url();
        measure_fault("all connections cut silently: from then to lag moving",
                      [&] { proxy.lose_connections(); });
    }
}
