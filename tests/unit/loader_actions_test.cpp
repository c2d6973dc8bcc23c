// What an automation may do, as a manifest declares it.

#include <array>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <host/plugins/validate.hpp>

using namespace radd;

namespace {

enum class Thing { item, itme };
consteval auto entity_names(Thing) {
    return std::array{Named{Thing::item, "item"}, Named{Thing::itme, "itme"}};
}

EntityRefSpec ref_of(EntityType entity) {
    return {.entity_type = entity,
            .label = "Thing",
            .ref = [](Transaction&, std::span<const std::string> ids) {
                return std::vector<std::optional<JsonText>>(ids.size());
            }};
}

ActionSpec action_on(std::string name, EntityType subject) {
    return {.name = std::move(name),
            .label = "Do something",
            .subject = subject,
            .arguments = R"({"type":"object"})",
            .plan = [](Transaction&, Services&, const ActionCall&) { return ActionPlan{}; },
            .apply = [](Transaction&, Services&, const ActionPlan&) {}};
}

Manifest manifest_of(const char* id) {
    Manifest manifest{};
    manifest.id = id;
    manifest.version = "1.0.0";
    return manifest;
}

std::string problems_of(const std::vector<const Manifest*>& manifests) {
    std::vector<loader::Candidate> candidates;
    for (const auto* manifest : manifests)
        candidates.push_back(
            {.id = manifest->id, .file = "plugins/" + manifest->id + ".so", .manifest = manifest});
    std::string text;
    for (const auto& problem : loader::validate(candidates, {}).problems)
        text += config::to_text(problem) + '\n';
    return text;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("validation of actions") {
    TEST_CASE("an action on what nobody describes is refused with the nearest name") {
        auto b = manifest_of("b");
        b.actions = {action_on("b.close", Thing::itme)};
        auto items = manifest_of("items");
        items.entity_refs = {ref_of(Thing::item)};
        items.actions = {action_on("items.close", Thing::item)};

        CHECK(problems_of({&b, &items}) ==
              "E55 plugins/b.so b: action 'b.close' names subject 'itme', which no loaded plugin "
              "describes. Did you mean 'item'?\n");
        CHECK(problems_of({&items}).empty());
    }

    TEST_CASE("an action has a name of its plugin and a label and both halves and a schema") {
        auto a = manifest_of("a");
        a.entity_refs = {ref_of(Thing::item)};
        a.actions = {action_on("b.close", Thing::item),
                     action_on("a.open", Thing::item),
                     action_on("a.open", Thing::item)};
        a.actions[1].label = " ";
        a.actions[1].plan = nullptr;
        a.actions[1].apply = nullptr;
        a.actions[2].arguments = R"({"type":"array"})";

        const std::string told = problems_of({&a});
        CHECK(contains(told, "'b.close' must be called 'a.<what>'"));
        CHECK(contains(told, "E21 plugins/a.so a: action 'a.open' has an empty label"));
        CHECK(contains(told, "E35 plugins/a.so a: action 'a.open' has no 'plan' function"));
        CHECK(contains(told, "E35 plugins/a.so a: action 'a.open' has no 'apply' function"));
        CHECK(contains(told, "E30 plugins/a.so a: action 'a.open' is declared twice"));
        CHECK(contains(told, "E33 plugins/a.so a: action 'a.open': arguments"));
    }

    TEST_CASE("two plugins do not share the name of an action") {
        auto a = manifest_of("a");
        a.entity_refs = {ref_of(Thing::item)};
        a.actions = {action_on("b.close", Thing::item)};
        auto b = manifest_of("b");
        b.actions = {action_on("b.close", Thing::item)};

        CHECK(contains(problems_of({&a, &b}), "E30 plugins/a.so a: action 'b.close' is declared"));
    }
}
