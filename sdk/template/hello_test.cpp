// The plugin without a database: what it declares, driven by a host in memory with the rules of
// the real one. The script in tx() answers its statements; one that nobody scripted fails the test.

#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <hello/events.hpp>
#include <radd/testing/fixture_host.hpp>
#include <radd/typed_event.hpp>

using namespace hello_plugin;
using namespace radd::testing;

namespace {

struct Scene {
    Scene() {
        host.tx().when("INSERT INTO hello.people", [](const Statement&) { return radd::Rows{1}; });
        host.tx().when("SET greetings", [this](const Statement& statement) {
            counted.push_back(statement.params[0].value_or("NULL") + " " +
                              statement.params[1].value_or("NULL"));
            return radd::Rows{1};
        });
        host.start();
    }

    FixtureHost host{linked_manifest()};
    std::vector<std::string> counted;
};

radd::Event greeted(const char* name) {
    return an_event(Event::greeted).about(Entity::person, name).with_payload(R"({"words": "hi"})");
}

}  // namespace

TEST_SUITE("hello") {
    TEST_CASE_FIXTURE(Scene, "a greeting is an event about whoever was greeted") {
        CHECK(host.command("hello greet", {"ada"}).err == "greeted ada\n");

        REQUIRE(host.stream().size() == 1);
        CHECK(host.stream().front().is(Event::greeted));
        CHECK(host.stream().front().about(Entity::person));
        CHECK(host.stream().front().entity_id == "ada");
        CHECK(radd::payload_of<Event::greeted>(host.stream().front()).words == "good day");
    }

    TEST_CASE_FIXTURE(Scene, "a greeting counts once") {
        host.append(greeted("ada"));

        host.run();
        host.run();

        CHECK(counted == std::vector<std::string>{"ada hi"});
        CHECK(host.skipped().empty());
    }

    TEST_CASE_FIXTURE(Scene, "a greeting counts also if the process dies before the commit") {
        host.append(greeted("ada"));

        host.die("hello.counter", FixtureHost::Death::before_commit);
        CHECK(host.lag("hello.counter") == 1);
        host.run();

        CHECK(counted.back() == "ada hi");
        CHECK(host.lag("hello.counter") == 0);
    }

    TEST_CASE_FIXTURE(Scene, "a greeting needs a name") {
        CHECK(host.command("hello greet").code == 2);
        CHECK(host.stream().empty());
    }
}
