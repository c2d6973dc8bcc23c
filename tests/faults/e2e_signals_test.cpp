// How a host ends, seen from outside.

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include <signal.h>
#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;
using namespace std::chrono_literals;

namespace {

const std::string doer = "chores.doer";

struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} {
        install_chores();
        Installation::set("RADD_CONSUMERS_LEASE", "60s");
        Installation::set("RADD_SHUTDOWN_GRACE", "60s");
    }
    void ask(const std::string& chore, const std::string& what) const {
        must({"events",
              "emit",
              "chores.asked",
              "chore",
              chore,
              "--payload",
              R"({"do": ")" + what + R"("})"});
    }
    [[nodiscard]] bool is_blocked(const std::string& chore) const {
        return eventually([&] { return std::filesystem::exists(path("chores/blocked." + chore)); });
    }
    void open_gate() const { write("chores/open", ""); }
    std::string done_count() { return value("SELECT count(*) FROM chores.done"); }
};

/// How long the host takes to end, and how.
struct Ended {
    std::optional<int> code;
    std::chrono::steady_clock::duration took;
};

Ended end_of(Process& host) {
    const auto begin = std::chrono::steady_clock::now();
    const auto code = host.wait(60s);
    return {code, std::chrono::steady_clock::now() - begin};
}

bool is_long_run() {
    return std::getenv("RADD_LONG") != nullptr;  // NOLINT(concurrency-mt-unsafe)
}

}  // namespace

TEST_SUITE("a signal") {
    // P14
    TEST_CASE("once lets the event at work finish and no other begin") {
        for (const int signal : {SIGTERM, SIGINT}) {
            Scene scene;
            auto host = scene.serve();
            scene.ask("1", "block");
            REQUIRE(scene.is_blocked("1"));
            for (const char* chore : {"2", "3"}) scene.ask(chore, "note");

            host->signal(signal);
            REQUIRE(eventually([&] { return contains(host->errors(), "stopping"); }));
            CHECK(host->is_running());
            scene.open_gate();
            CAPTURE(host->errors());
            CHECK(host->wait() == 0);

            CHECK(scene.done_count() == "1");
            const auto left = scene.consumer(doer);
            CHECK(left.at("last_event_id") == 1);
            CHECK(left.at("lag") == 2);
            CHECK(left.at("owner").is_null());
            // The lease is a minute: it was given back, or this waits in vain.
            const auto next = scene.serve();
            CHECK(eventually([&] { return scene.done_count() == "3"; }));
        }
    }

    // P14
    TEST_CASE("twice cuts the grace") {
        for (const int signal : {SIGTERM, SIGINT}) {
            Scene scene;
            scene.set("RADD_CONSUMERS_LEASE", "1s");
            auto host = scene.serve();
            scene.ask("1", "block");
            REQUIRE(scene.is_blocked("1"));

            host->signal(signal);
            REQUIRE(eventually([&] { return contains(host->errors(), "stopping"); }));
            host->signal(signal);
            const auto [code, took] = end_of(*host);
            CAPTURE(host->errors());
            REQUIRE(code);
            CHECK(*code == 1);
            CHECK(took < 15s);
            CHECK(contains(host->errors(), "worker chores.doer: its handler did not return"));

            // Nothing of it was committed, so it is done once by the next.
            scene.open_gate();
            const auto next = scene.serve();
            CHECK(eventually([&] { return scene.done_count() == "1"; }));
            CHECK(eventually([&] { return scene.consumer(doer).at("state") == "ok"; }));
            CHECK(scene.done_count() == "1");
        }
    }

    // P14
    TEST_CASE_FIXTURE(Scene, "twice ends it while the fifth event of a batch of ten is at work") {
        set("RADD_CONSUMERS_LEASE", "1s");
        must({"migrate"});
        execute(
            "INSERT INTO radd.events (event_type, entity_type, entity_id, payload) SELECT "
            "'chores.asked', 'chore', n::text, jsonb_build_object('do', CASE n WHEN 5 THEN "
            "'block' ELSE 'note' END) FROM generate_series(1, 10) n");
        auto host = serve();
        REQUIRE(is_blocked("5"));

        host->signal(SIGTERM);
        REQUIRE(eventually([&] { return contains(host->errors(), "stopping"); }));
        host->signal(SIGTERM);
        const auto [code, took] = end_of(*host);
        CAPTURE(host->errors());
        CHECK(code == 1);
        CHECK(took < 15s);  // The grace is a minute, and who is at work has two.
        CHECK(done_count() == "0");

        open_gate();
        const auto next = serve();
        CHECK(eventually([&] { return consumer(doer).at("last_event_id") == 10; }));
        CHECK(done_count() == "10");
        CHECK(value("SELECT count(DISTINCT event_id) FROM chores.done") == "10");
        CHECK(value("SELECT count(*) FROM radd.skipped_events") == "0");
    }

    TEST_CASE_FIXTURE(Scene, "is obeyed when the grace is over") {
        set("RADD_SHUTDOWN_GRACE", "200ms");
        auto host = serve();
        ask("1", "block");
        REQUIRE(is_blocked("1"));

        host->signal(SIGTERM);
        const auto [code, took] = end_of(*host);

        CHECK(code == 1);
        CHECK(took < 10s);
    }

    // P14
    TEST_CASE_FIXTURE(Scene, "at any moment ends the host cleanly and costs no event") {
        set("RADD_SHUTDOWN_GRACE", "20s");
        must({"migrate"});
        const int runs = is_long_run() ? 200 : 5;
        std::mt19937 random{20261130};
        for (int i = 0; i < runs; ++i) {
            const auto host = start({"serve"});
            const auto wait = std::chrono::milliseconds{random() % 700};
            ask(std::to_string(i), "note");
            (void)eventually([] { return false; }, wait);
            host->signal(SIGTERM);
            const auto [code, took] = end_of(*host);
            CAPTURE(host->errors());
            REQUIRE(code);
            CHECK((*code == 0 || *code == 128 + SIGTERM));
        }

        const auto last = serve();
        CHECK(eventually([&] { return done_count() == std::to_string(runs); }));
        CHECK(eventually([&] { return consumer(doer).at("state") == "ok"; }));
        CHECK(value("SELECT count(DISTINCT event_id) FROM chores.done") == std::to_string(runs));
        CHECK(done_count() == std::to_string(runs));
    }
}
