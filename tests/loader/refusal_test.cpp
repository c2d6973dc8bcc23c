#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include <host/plugins/report.hpp>
#include <tests/loader/bad_plugins.hpp>
#include <tests/loader/bench.hpp>

using namespace radd;
using namespace radd::loader_test;

namespace fs = std::filesystem;

namespace {

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

struct Scene : Bench {
    /// describer is well; probe is refused as `expected` says, and the host does not start.
    void check(const BadPlugin& expected) {
        CAPTURE(expected.name);
        install("describer");
        const auto path = install("probe.so", expected.library());
        declare("describer");
        declare("probe");
        const Variable fault{"FIXTURE_FAULT", expected.fault};
        const auto set = load();

        CHECK(loaded(set) == "describer");
        CHECK_FALSE(set.may_start());
        REQUIRE(set.refused().size() == 1);
        CHECK(set.refused()[0].id == "probe");
        REQUIRE_FALSE(set.refused()[0].problems.empty());
        const std::string text = loader::problems_text(set.refused()[0].problems);
        CAPTURE(text);
        CHECK(contains(text, expected.code + ' ' + path.string()));
        CHECK(contains(text, expected.text));
        CHECK(set.find("probe") == nullptr);
    }
};

}  // namespace

TEST_SUITE("refusal") {
    // P53
    TEST_CASE("a file that does not fit is refused before its code runs") {
        for (const BadPlugin& expected : bad_by_file()) {
            Scene scene;
            const auto marker = scene.root / "marker";
            scene.install("probe.so", expected.library());
            scene.declare("probe");
            const Variable trace{"FIXTURE_MARKER", marker.string()};

            (void)scene.load();

            CAPTURE(expected.name);
            CHECK_FALSE(fs::exists(marker));
        }
        // The trace would have been there.
        Scene control;
        const auto marker = control.root / "marker";
        control.install("probe");
        control.declare("probe");
        const Variable trace{"FIXTURE_MARKER", marker.string()};
        (void)control.load();
        CHECK(fs::exists(marker));
    }

    // P53
    TEST_CASE("a file that does not fit is told by its path and reason") {
        for (const BadPlugin& expected : bad_by_file()) Scene{}.check(expected);
    }

    TEST_CASE("a plugin that misbehaves when asked is told by what it did") {
        for (const BadPlugin& expected : bad_by_behaviour()) Scene{}.check(expected);
    }

    TEST_CASE_FIXTURE(Bench, "a long text is cut between two characters") {
        install("probe");
        declare("probe");
        const Variable fault{"FIXTURE_FAULT", "long_text"};

        const auto set = load();

        const std::string text = problems(set);
        CHECK(contains(text, std::string(506, 'x')));
        CHECK_FALSE(contains(text, "\xEF\xBF\xBD"));  // No half character was replaced.
    }

    // P56
    TEST_CASE_FIXTURE(Bench, "a subject is described by whoever is loaded whatever the order") {
        install("probe");
        install("describer", "zz.so");
        declare("probe");
        declare("describer", "zz.so");

        const auto set = load();

        CHECK(loaded(set) == "describer probe");
        CHECK(set.may_start());
        CHECK(problems(set).empty());
    }

    // P56
    TEST_CASE_FIXTURE(Bench, "a subject whose describer is refused refuses in turn") {
        install("probe");
        install("describer");
        declare("probe");
        declare("describer");
        const Variable fault{"FIXTURE_FAULT", "describer_refused"};

        const auto set = load();

        CHECK(loaded(set).empty());
        CHECK(set.refused().size() == 2);
        CHECK(contains(problems(set), "describer: event 'describer.happened' has an empty label"));
        CHECK(contains(problems(set),
                       "probe: event 'probe.happened' names subject 'item', which only plugin "
                       "'describer' describes, and that is refused. Repair 'describer' first"));
    }

    // P56
    TEST_CASE_FIXTURE(Bench, "a subject whose describer is disabled says so") {
        install("probe");
        install("describer");
        declare("probe");
        declare("describer").enabled = false;
        const Variable trace{"FIXTURE_MARKER", (root / "marker").string()};

        const auto set = load();

        CHECK(contains(problems(set),
                       "It is described by plugin 'describer', which is installed but disabled"));
    }

    TEST_CASE_FIXTURE(Bench, "a disabled plugin that crashes when asked harms nobody") {
        install("probe");
        install("describer");
        declare("probe");
        declare("describer").enabled = false;
        const Variable fault{"FIXTURE_FAULT", "describer_crashes"};

        const auto set = load();

        CHECK(contains(problems(set), "which no loaded plugin describes"));
        CHECK_FALSE(contains(problems(set), "installed but disabled"));
    }

    TEST_CASE_FIXTURE(Bench, "a plugin that is not required is dropped with a warning") {
        install("describer");
        install("probe", "probe.so");
        declare("describer");
        declare("probe").required = false;
        const Variable fault{"FIXTURE_FAULT", "throws_int"};

        const auto set = load();

        CHECK(set.may_start());
        CHECK(loaded(set) == "describer");
        REQUIRE(set.problems().size() == 1);
        CHECK(set.problems()[0].severity == config::Severity::warning);
        CHECK(contains(loader::plugins_text(set), "refused   probe"));
    }

    TEST_CASE_FIXTURE(Bench, "what a manifest says of an unknown consumer is told with its place") {
        install("describer");
        auto& file = declare("describer");
        file.consumers["describer.raeder"] = {.place = {.line = 7, .column = 3}};

        const std::string text = problems(load());

        CHECK(contains(text, "E43 manifests/describer.yaml:7:3 describer: consumers: "));
        CHECK(contains(text, "Did you mean 'describer.reader'?"));
    }

    TEST_CASE_FIXTURE(Bench, "three bad plugins give three reasons at once") {
        write_text(plugins / "a.so", "text");
        install("no_note", "b.so");
        declare("a");
        declare("b");
        declare("c");

        const auto set = load();

        CHECK(set.refused().size() == 3);
        CHECK(contains(problems(set), "E01"));
        CHECK(contains(problems(set), "E04"));
        CHECK(contains(problems(set), "E08"));
    }

    TEST_CASE_FIXTURE(Bench, "the machine reads the same as people do") {
        install("describer");
        install("probe.so", patched("probe", 4, 1));
        declare("describer");
        declare("probe");

        const auto json = nlohmann::json::parse(loader::set_json(load()));

        CHECK(json["may_start"] == false);
        CHECK(json["plugins"][0]["id"] == "describer");
        CHECK(json["plugins"][0]["entities"][0] == "item");
        CHECK(json["plugins"][0]["events"][0]["type"] == "describer.happened");
        CHECK(json["refused"][0]["problems"][0]["code"] == "E03");
        CHECK(json["problems"].size() == 1);
    }
}
