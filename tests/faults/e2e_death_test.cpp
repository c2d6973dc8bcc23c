// A plugin whose code takes the host with it, each time it is started.

#include <memory>
#include <string>

#include <doctest/doctest.h>

#include <signal.h>
#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;

namespace {

constexpr int exit_of_chores = 70;

struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} {
        ship();
        install_chores();
        Installation::set("RADD_CONSUMERS_LEASE", "1s");
        must({"migrate"});
    }
    void ask(const std::string& what) {
        execute(
            "INSERT INTO radd.events (event_type, entity_type, entity_id, payload) VALUES "
            "('chores.asked', 'chore', '1', '{\"do\": \"" +
            what + "\"}')");
    }
};

}  // namespace

TEST_SUITE("a plugin that ends the process") {
    // P17
    TEST_CASE_FIXTURE(Scene, "loses its event after three deaths and no other") {
        for (const char* what : {"note", "die", "note"}) ask(what);
        // The first takes a batch down and names no event.
        for (int death = 0; death <= 3; ++death) {
            CAPTURE(death);
            const auto doomed = start({"serve"});
            REQUIRE(doomed->wait() == exit_of_chores);
            CHECK(value("SELECT count(*) FROM radd.skipped_events") == "0");
        }

        const auto host = serve();

        REQUIRE(eventually([&] { return is_settled(); }));
        CHECK(value("SELECT string_agg(event_id::text, ',' ORDER BY event_id) FROM chores.done") ==
              "1,3");
        CHECK(value("SELECT consumer || ' ' || event_id || ' ' || phase FROM "
                    "radd.skipped_events") == "chores.doer 2 quarantine");
        CHECK(consumer("chores.doer").at("skipped") == 1);
        CHECK(contains(host->errors(), "the process died 3 times while planning it"));
        ask("note");
        CHECK(eventually([&] { return value("SELECT count(*) FROM chores.done") == "3"; }));
        host->signal(SIGTERM);
        CHECK(host->wait() == 0);
    }
}
