// What a plugin throws, or leaves out, where the host calls it: told with plugin and place.

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;

namespace {

constexpr int failed = 1;
constexpr int refused = 3;
constexpr int no_start = 4;

struct Scene : TestDatabase, Installation {
    explicit Scene(const std::string& fault = "")
        : Installation{static_cast<TestDatabase&>(*this)} {
        set("FIXTURE_FAULT", fault);
        set("FIXTURE_STARTED", path("started").string());
    }

    void install_both() {
        install("describer", "describer");
        install("probe", "probe");
    }

    /// What the host knows of the consumers, tasks and queues of all plugins.
    [[nodiscard]] std::string declared() {
        return value(
            "SELECT coalesce(string_agg(name, ' ' ORDER BY name), '') "
            "FROM radd.consumers WHERE plugin <> 'core'");
    }
};

/// Those that the fixture makes badly all at once.
const std::vector<std::string> made{"delivery queue 'probe.queue'",
                                    "consumer 'probe.reader'",
                                    "periodic task 'probe.task'",
                                    "tail subscriber 'probe.listener'"};

struct BadFactory {
    std::string fault;  ///< See tests/loader/fixture.cpp.
    std::string code;
    std::string text;
};

const std::vector<BadFactory> bad_factories{
    {"make_throws", "E63", ": its factory threw: no licence file"},
    {"make_throws_int", "E63", ": its factory threw: an exception of type int without a text"},
    {"make_null", "E64", ": its factory made nothing"},
};

}  // namespace

TEST_SUITE("plugin boundary") {
    TEST_CASE("what no factory makes is refused at once with plugin and kind and name") {
        for (const BadFactory& bad : bad_factories) {
            Scene scene{bad.fault};
            scene.install_both();

            const auto ran = scene.run({"serve"});
            CAPTURE(bad.fault);
            CAPTURE(ran.err);
            CHECK(ran.code == refused);
            const auto lines = lines_of(ran.err);
            for (const auto& what : made) {
                const auto line = bad.code + " ./plugins/probe.so probe: " + what + bad.text;
                CHECK(std::ranges::count_if(
                          lines, [&](const auto& one) { return one.starts_with(line); }) == 1);
            }
            CHECK(count_of(ran.err, bad.code + " ") == made.size());
            CHECK(scene.declared().empty());
            CHECK(scene.run({"check"}).code == 0);
        }
    }

    TEST_CASE("machines are told the same of a factory") {
        Scene scene{"make_null"};
        scene.install_both();

        const auto ran = scene.run({"serve", "--json"});
        CAPTURE(ran.err);
        CHECK(ran.code == refused);
        const auto lines = lines_of(ran.err);
        const auto told = nlohmann::json::parse(lines.back(), nullptr, false);
        REQUIRE(told.is_object());
        CHECK(told.at("exit_code") == refused);
        REQUIRE(told.at("problems").size() == made.size());
        CHECK(told.at("problems")[0].at("code") == "E64");
        CHECK(told.at("problems")[0].at("plugin") == "probe");
    }

    TEST_CASE("a factory that waits for something absent is no fault of the plugin") {
        Scene scene{"make_unavailable"};
        scene.install_both();

        const auto ran = scene.run({"serve"});
        CAPTURE(ran.err);
        CHECK(ran.code == no_start);
        CHECK(contains(ran.err,
                       "radd: plugin probe: delivery queue 'probe.queue': the licence server is "
                       "away\n"));
    }

    TEST_CASE("a service that throws is named by whoever asked for it") {
        Scene scene{"service_throws_int"};
        scene.install_both();

        const auto ran = scene.run({"serve"});
        CAPTURE(ran.err);
        CHECK(ran.code == refused);
        CHECK(contains(ran.err,
                       "E63 ./plugins/probe.so probe: consumer 'probe.reader': its factory threw: "
                       "service 'probe.tool': an exception of type int without a text\n"));
    }

    TEST_CASE("a command that throws is told with plugin and command") {
        const std::vector<std::pair<std::string, std::string>> told{
            {"command_throws_int",
             "radd: plugin probe: command 'probe act': an exception of type int without a text\n"},
            {"command_throws", "radd: plugin probe: command 'probe act': row 3 of 2\n"},
            {"command_is_told", "radd: file: is not there\n"},
        };
        for (const auto& [fault, line] : told) {
            Scene scene{fault};
            scene.install_both();

            const auto ran = scene.run({"probe", "act"});
            CAPTURE(fault);
            CAPTURE(ran.err);
            CHECK(ran.code == failed);
            CHECK(ran.err.ends_with(line));
        }
    }

    // P56
    TEST_CASE("of a refused plugin nothing is begun in a host that runs without it") {
        struct Case {
            std::string fault;
            bool has_describer;
            std::string declared;
        };
        for (const Case& one : {Case{"", true, "chores.doer describer.reader probe.reader"},
                                Case{"", false, "chores.doer"},
                                Case{"describer_refused", true, "chores.doer"}}) {
            CAPTURE(one.fault);
            CAPTURE(one.has_describer);
            Scene scene{one.fault};
            scene.install_chores();
            scene.install("probe", "probe", "required: false\n");
            if (one.has_describer) scene.install("describer", "describer", "required: false\n");

            const auto host = scene.serve();
            // All are declared together.
            REQUIRE(eventually([&] { return contains(scene.declared(), "chores.doer"); }));
            REQUIRE(eventually([&] { return scene.is_settled(); }));

            const bool is_refused = one.declared == "chores.doer";
            CHECK(scene.declared() == one.declared);
            CHECK(std::filesystem::exists(scene.path("started")) != is_refused);
            CHECK(contains(host->errors(), "E31 ./plugins/probe.so probe: ") == is_refused);
        }
    }
}
