// Random faults for as long as one likes: RADD_SOAK_MINUTES says how long at least, RADD_SOAK_SEED
// which, and RADD_SOAK_EVENTS how many events at least, however long they take.
// Each run prints its seed; the faults of a seed come in the same order, not at the same event.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include <tests/faults/scene.hpp>

using namespace std::chrono_literals;
using namespace radd::testing;
using std::chrono::steady_clock;
using Minutes = std::chrono::duration<double, std::chrono::minutes::period>;

namespace {

// A sanitizer keeps what was freed, up to 256 MiB, to see its use.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool keeps_freed = true;
#elif defined(__has_feature)
constexpr bool keeps_freed = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool keeps_freed = false;
#endif

/// What the host that lives through it all may hold at rest beyond its most in the first two
/// thirds.
constexpr std::int64_t resident_growth_kib_max = (keeps_freed ? 512 : 16) * 1024;
constexpr std::int64_t threads_growth_max = 1;
constexpr std::int64_t descriptors_growth_max = 24;  // Sessions come and go with each fault.

/// At least; a sanitizer has as much to see in fewer.
constexpr std::int64_t events_min_default = keeps_freed ? 20'000 : 200'000;

/// Who commits each event by itself is slower than those who write. Beyond so many they wait.
constexpr std::int64_t lag_max = 20'000;

/// The lease of a worker is 1000 ms, so more than half of the freezes outlast it.
constexpr std::int64_t freeze_ms_max = 2500;

const char* setting(const char* name) {
    return std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread begins
}

struct Held {
    std::int64_t resident_kib = 0;
    std::int64_t threads = 0;
    std::int64_t descriptors = 0;
};

Held held_by(const Process& process) {
    const std::filesystem::path folder{"/proc/" + std::to_string(process.pid())};
    Held held;
    std::ifstream status{folder / "status"};
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmRSS:")) held.resident_kib = std::stoll(line.substr(6));
        if (line.starts_with("Threads:")) held.threads = std::stoll(line.substr(8));
    }
    held.descriptors = std::distance(std::filesystem::directory_iterator{folder / "fd"},
                                     std::filesystem::directory_iterator{});
    return held;
}

Held most_of(const Held& a, const Held& b) {
    return {.resident_kib = std::max(a.resident_kib, b.resident_kib),
            .threads = std::max(a.threads, b.threads),
            .descriptors = std::max(a.descriptors, b.descriptors)};
}

/// A host that lives through it all, one that is killed and replaced, and a server of their own.
struct Soak : Scene<ClusterBench> {
    Soak() {
        start_workers(2);
        for (const auto& worker : workers) wait_until_started(*worker);
    }

    static void wait_until_started(const Process& worker) {
        REQUIRE(
            eventually([&] { return worker.output().find("started") != std::string::npos; }, 60s));
    }
    void meet(std::uint32_t fault, std::chrono::milliseconds freeze) {
        CAPTURE(fault);
        REQUIRE(moves_on());
        switch (fault) {
            case 0:
                return restart([&] { cluster.stop_fast(); });
            case 1:
                return restart([&] { cluster.stop_immediate(); });
            case 2:
                return end_sessions();
            case 3:
                return replace(workers[1]);
            case 4:
                return pause(*workers[1], freeze);
            default:
                return pause(*workers[0], freeze);
        }
    }
    /// At most half of lag_max is left, within `deadline`.
    void catch_up(std::chrono::seconds deadline = 300s) {
        const auto lag = [&] {
            try {
                return number(
                    "SELECT (SELECT max(id) FROM radd.events) - min(cursor) FROM "
                    "radd.consumers");
            } catch (const radd::Unavailable&) {
                return lag_max + 1;
            }
        };
        if (lag() <= lag_max) return;
        writers->hold();
        REQUIRE(eventually([&] { return lag() <= lag_max / 2; }, deadline));
        writers->go_on();
    }
    template <typename Stop>
    void restart(Stop&& stop) {
        stop();
        cluster.start();
    }
    void end_sessions() {
        execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid() AND random() < 0.3");
    }
    void replace(std::unique_ptr<Process>& victim) {
        victim->signal(SIGKILL);
        REQUIRE(victim->wait() == 128 + SIGKILL);
        victim = start();
        wait_until_started(*victim);
    }
    static void pause(const Process& victim, std::chrono::milliseconds time) {
        victim.signal(SIGSTOP);
        let_pass(time);
        victim.signal(SIGCONT);
    }
};

}  // namespace

TEST_SUITE("soak") {
    // P07, P12, P13, P15
    TEST_CASE_FIXTURE(Soak, "random faults lose nothing and leave nothing behind") {
        const bool is_long = setting("RADD_LONG") != nullptr;
        const char* const seed_text = setting("RADD_SOAK_SEED");
        const char* const minutes_text = setting("RADD_SOAK_MINUTES");
        const auto seed = seed_text == nullptr ? std::random_device{}()
                                               : static_cast<std::uint32_t>(std::stoul(seed_text));
        const Minutes time{minutes_text == nullptr ? (is_long ? 5 : 0.2) : std::stod(minutes_text)};
        const char* const events_text = setting("RADD_SOAK_EVENTS");
        const std::int64_t events_min =
            events_text == nullptr ? events_min_default : std::stoll(events_text);
        MESSAGE("RADD_SOAK_SEED=",
                seed,
                " RADD_SOAK_MINUTES=",
                time.count(),
                " RADD_SOAK_EVENTS=",
                events_min);

        std::mt19937 random{seed};
        start_writers(cluster.url());
        const auto began_at = steady_clock::now();
        Held before;
        int faults = 0;
        for (; steady_clock::now() - began_at < time || writers->committed() < events_min;
             ++faults) {
            CAPTURE(faults);
            const auto fault = static_cast<std::uint32_t>(random() % 6);
            meet(fault, std::chrono::milliseconds{random() % freeze_ms_max});
            catch_up();
            const auto passed = steady_clock::now() - began_at;
            const bool is_young =
                passed < time * 2 / 3 || writers->committed() < events_min * 2 / 3;
            if (faults == 0 || is_young) before = most_of(before, held_by(*workers[0]));
        }
        writers->stop();
        REQUIRE(eventually([&] { return all_at_head(); }, 600s));
        const auto rest = held_by(*workers[0]);

        MESSAGE(faults,
                " faults, ",
                writers->committed(),
                " events; resident ",
                before.resident_kib,
                " to ",
                rest.resident_kib,
                " KiB, threads ",
                before.threads,
                " to ",
                rest.threads,
                ", descriptors ",
                before.descriptors,
                " to ",
                rest.descriptors);
        check();
        CHECK(rest.resident_kib <= before.resident_kib + resident_growth_kib_max);
        CHECK(rest.threads <= before.threads + threads_growth_max);
        CHECK(rest.descriptors <= before.descriptors + descriptors_growth_max);
    }
}
