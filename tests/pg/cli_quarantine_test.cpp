// radd quarantine, and what a plugin that crashes does to a host and to the next one.

#include <csignal>

#include <doctest/doctest.h>

#include <tests/support/radd_process.hpp>

using namespace radd::testing;

namespace {

// Nobody listens there: who gets past the plugins is told so.
void without_database(Installation& installation) {
    installation.set("RADD_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/nowhere");
    installation.set("RADD_STARTUP_TIMEOUT", "100ms");
}

}  // namespace

TEST_SUITE("radd quarantine") {
    TEST_CASE("a build that crashes is named once and kept out until somebody clears it") {
        Installation scene;
        without_database(scene);
        scene.install("constructor_writes_wild", "probe");
        scene.install("describer", "describer");

        const auto first = scene.run({"serve"});
        CAPTURE(first.err);
        CHECK(first.code == 3);
        CHECK(contains(first.err, "E15 "));
        CHECK(contains(first.err, "by signal 11 (Segmentation fault), in probe.so+0x"));
        const auto second = scene.run({"serve"});
        CAPTURE(second.err);
        CHECK(second.code == 3);
        CHECK(contains(second.err, "E18 "));
        CHECK(contains(scene.must({"plugins"}).out, "this build is kept out since 2"));

        const auto list = scene.must({"quarantine", "list", "--json"}).json();
        REQUIRE(list.size() == 1);
        CHECK(list[0]["plugin"] == "probe");
        CHECK(list[0]["build"].get<std::string>().size() == 40);
        CHECK(contains(list[0]["reason"].get<std::string>(), "E15 "));
        CHECK(contains(scene.must({"quarantine", "list"}).out, "probe"));

        const auto wrong = scene.run({"quarantine", "clear", "prob"});
        CHECK(wrong.code == 1);
        CHECK(contains(wrong.err, "no build of 'prob' is kept out; these are: probe"));
        CHECK(scene.must({"quarantine", "clear", "probe", "--json"}).json() ==
              nlohmann::json{{"plugin", "probe"}, {"state", "cleared"}});
        CHECK(scene.must({"quarantine", "list", "--json"}).json().empty());
        CHECK(contains(scene.run({"serve"}).err, "E15 "));
    }

    TEST_CASE("a host that must start does so without it") {
        Installation scene;
        without_database(scene);
        scene.install("constructor_exits", "probe", "required: false\n");

        const auto left_out = scene.run({"serve"});
        CAPTURE(left_out.err);
        CHECK(left_out.code == 4);  // For the database.
        CHECK(contains(left_out.err, "E17 "));

        for (const std::vector<std::string>& line :
             {std::vector<std::string>{"serve", "--safe-mode", "true"}, {"serve", "--safe-mode"}}) {
            const auto safe = scene.run(line);
            CAPTURE(safe.err);
            CHECK(safe.code == 4);
            CHECK_FALSE(contains(safe.err, "probe"));
        }
    }

    TEST_CASE("a crash in on_startup is told to the next start") {
        const TestDatabase database;
        Installation scene{database};
        scene.install("probe", "probe");
        scene.install("describer", "describer");
        scene.set("FIXTURE_FAULT", "startup_crashes");
        auto host = scene.start({"serve"});
        CHECK(host->wait() == 128 + SIGILL);

        scene.set("FIXTURE_FAULT", "");
        const auto next = scene.run({"serve"});
        CAPTURE(next.err);
        CHECK(next.code == 3);
        CHECK(contains(next.err, "probe: this build is kept out since"));
        CHECK(contains(next.err, "while it was starting, by signal 4 (Illegal instruction)"));
    }
}
