// Rules in a plugin's manifest: as JSON, with their places.

#include <string>

#include <doctest/doctest.h>

#include <host/config/automation_list.hpp>
#include <host/config/manifest_file.hpp>
#include <tests/unit/config_files.hpp>

using namespace radd::config;
using radd::json;
using radd::testing::lines;

namespace {

struct Read {
    std::optional<PluginFile> plugin;
    Problems problems;
};

Read read(const std::string& automations) {
    Read result;
    result.plugin = parse_plugin_file(
        "kind: plugin\nversion: 1\nid: chores\n" + automations, "chores.yaml", result.problems);
    return result;
}

std::string complaint(const std::string& automations) {
    const auto found = lines(read(automations).problems);
    REQUIRE_MESSAGE(found.size() == 1, found.size() << " problems in " << automations);
    return found.front();
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("rules of a manifest") {
    TEST_CASE("are read as the JSON that the API takes") {
        const auto [plugin, problems] = read(R"(automations:
  - name: thanks
    trigger: {events: [item.updated]}
    when:
      any:
        - {field: payload.count, above: 1.5}
        - {field: payload.word, is: "5"}
        - {field: payload.gone, is: ~}
        - {field: payload.word, is: no}
    chain: true
    then:
      - action: items.add_comment
        arguments: {body: "{{entity.key}} is done"}
  - name: nightly
    trigger: {daily: 03:00}
)");

        REQUIRE(problems.empty());
        REQUIRE(plugin->automations.size() == 2);
        CHECK(plugin->automations[0].spec.name == "thanks");
        CHECK(plugin->automations[0].spec.place == "chores.yaml:5:5");
        CHECK(plugin->automations[0].place_of("when.any.1.is") == Place{10, 33});
        CHECK(plugin->automations[0].place_of("then.0.arguments.body.more") == Place{16, 21});
        CHECK(plugin->automations[0].place_of("unless.any") == Place{5, 5});
        CHECK(json::parse(plugin->automations[0].spec.rule.text()) == json::parse(R"({
            "trigger":{"events":["item.updated"]},
            "when":{"any":[{"field":"payload.count","above":1.5},{"field":"payload.word","is":"5"},
                {"field":"payload.gone","is":null},{"field":"payload.word","is":"no"}]},
            "chain":true,
            "then":[{"action":"items.add_comment","arguments":{"body":"{{entity.key}} is done"}}]})"));
        CHECK(json::parse(plugin->automations[1].spec.rule.text()).at("trigger").at("daily") ==
              "03:00");
    }

    TEST_CASE("are refused where they stand") {
        CHECK(contains(complaint("automations: {}\n"), "expected a list of rules"));
        CHECK(contains(complaint("automations:\n  - trigger: {}\n"), "name"));
        CHECK(contains(complaint("automations:\n  - name: ''\n"), "1 to 100 bytes"));
        CHECK(read("").plugin->automations.empty());
        const auto many = [](std::size_t count) {
            std::string text = "automations:\n";
            for (std::size_t i = 0; i < count; ++i)
                text += "  - name: rule " + std::to_string(i) + "\n";
            return text;
        };
        CHECK(read(many(automations_max)).plugin->automations.size() == automations_max);
        CHECK(contains(complaint(many(automations_max + 1)), "more than 100 rules"));
    }
}
