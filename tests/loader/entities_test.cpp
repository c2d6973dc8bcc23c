// A plugin that is one YAML file, on the way that libraries take.

#include <string>

#include <doctest/doctest.h>

#include <tests/loader/bench.hpp>

using namespace radd;
using namespace radd::loader_test;

namespace {

struct Files : Bench {
    /// A manifest as it is read from the folder.
    void write(const std::string& id, const std::string& rest) {
        config::Problems problems;
        const auto file = config::parse_plugin_file(
            "kind: plugin\nversion: 1\nid: " + id + "\n" + rest, id + ".yaml", problems);
        REQUIRE(file);
        REQUIRE_MESSAGE(problems.empty(), config::to_text(problems.front()));
        options.manifests.push_back(*file);
    }
};

std::string entity(const std::string& key, const std::string& fields) {
    return "entities:\n  " + key + ":\n    label: Thing\n    plural: " + key + "s\n    fields: {" +
           fields + "}\n";
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("plugin without code") {
    TEST_CASE_FIXTURE(Files, "is loaded with what follows from its entities") {
        write("plans", entity("plan", "name: {type: text}"));

        const auto set = load();

        REQUIRE(problems(set).empty());
        CHECK(loaded(set) == "plans");
        const Manifest& manifest = set.find("plans")->manifest;
        REQUIRE(manifest.event_types.size() == 3);
        CHECK(manifest.event_types[1].type.name() == "plan.updated");
        CHECK(manifest.event_types[1].has_changes);
        CHECK(manifest.event_types[1].trigger);
        CHECK(manifest.entity_refs.size() == 1);
        CHECK(manifest.routes.size() == 5);
        CHECK(set.entities().find("plan") != nullptr);
        CHECK(set.find("plans")->file == "plans.yaml");
    }

    TEST_CASE_FIXTURE(Files, "is refused with its places and leaves no entity") {
        write("plans", entity("plan", "name: {type: txt}"));
        write("other", entity("thing", "name: {type: text}"));

        const auto set = load();

        CHECK(contains(problems(set), "E48 plans.yaml:8:27 plans: entities.plan.fields.name.type"));
        CHECK_FALSE(set.may_start());
        CHECK(set.entities().find("plan") == nullptr);
        CHECK(set.entities().find("thing") != nullptr);
    }

    TEST_CASE_FIXTURE(Files, "starts after what it refers to") {
        write("aplans",
              entity("plan", "name: {type: text}, goal: {type: reference, references: goal}"));
        write("goals", entity("goal", "name: {type: text}"));

        const auto set = load();

        REQUIRE(problems(set).empty());
        CHECK(loaded(set) == "goals aplans");
        CHECK(set.find("aplans")->manifest.depends_on == std::vector<std::string>{"goals"});
    }

    TEST_CASE_FIXTURE(Files, "a reference to nobody is told with the nearest name") {
        write("plans", entity("plan", "goal: {type: reference, references: gaol, nullable: true}"));
        write("goals", entity("goal", "name: {type: text}"));

        CHECK(contains(problems(load()),
                       "E73 plans.yaml plans: field 'plan.goal' refers to 'gaol', which no loaded "
                       "plugin describes. Did you mean 'goal'?"));

        options.manifests.at(1).enabled = false;
        options.manifests.erase(options.manifests.begin());
        write("plans", entity("plan", "goal: {type: reference, references: goal, nullable: true}"));
        CHECK(contains(problems(load()),
                       "It is described by plugin 'goals', which is installed but disabled"));
    }

    TEST_CASE_FIXTURE(Files, "two of one name or one route do not stand beside each other") {
        write("plans", entity("plan", "name: {type: text}"));
        write("zplans", entity("plan", "name: {type: text}"));

        const auto said = problems(load());

        CHECK(
            contains(said, "E30 zplans.yaml zplans: entity 'plan' is declared by plugin 'plans'"));
        CHECK(contains(said, "E39 zplans.yaml zplans: "));
    }

    TEST_CASE_FIXTURE(Files, "a path of the host's own is refused") {
        write("plans",
              "entities:\n  plan:\n    label: Plan\n    plural: events\n    fields: {a: {type: "
              "text}}\n");

        CHECK(contains(problems(load()), "E38 plans.yaml plans: "));
    }
}
