// The language of rules: what they may ask, what they may name, and where it ends.

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include <plugins/automations/chain.hpp>
#include <plugins/automations/condition.hpp>
#include <plugins/automations/facts.hpp>
#include <plugins/automations/rule.hpp>
#include <radd/handover.hpp>
#include <radd/testing/catalog.hpp>
#include <radd/testing/events.hpp>
#include <radd/testing/services.hpp>

using namespace radd;
using namespace automations;

namespace {

enum class Thing { item, person };
consteval auto entity_names(Thing) {
    return std::array{Named{Thing::item, "item"}, Named{Thing::person, "person"}};
}
enum class Happening { changed, hidden };
consteval auto event_names(Happening) {
    return std::array{Named{Happening::changed, "item.changed"},
                      Named{Happening::hidden, "item.hidden"}};
}

/// Reads the path off a document.
bool asks(const char* condition, const char* document) {
    const auto parsed = json::parse(condition);
    check_condition(parsed, "when");
    const auto facts = json::parse(document);
    return holds(parsed, [&](const std::string& path) {
        return facts.contains(path) ? facts.at(path) : json();
    });
}

std::string fault(const json& condition) {
    try {
        check_condition(condition, "when");
    } catch (const InvalidInput& wrong) {
        return wrong.what();
    }
    return "";
}

json nested(std::size_t depth) {
    json condition{{"field", "event.type"}, {"is", 1}};
    for (std::size_t i = 1; i < depth; ++i) condition = json{{"not", condition}};
    return condition;
}

json tests(std::size_t count) {
    json all = json::array();
    for (std::size_t i = 0; i < count; ++i) all.push_back({{"field", "event.id"}, {"is", i}});
    return {{"all", all}};
}

std::string read_fault(const std::string& definition) {
    RuleDraft draft;
    try {
        read_definition(json::parse(definition), draft);
    } catch (const InvalidInput& wrong) {
        return wrong.what();
    }
    return "";
}

struct Catalogue {
    Catalogue() {
        manifest.id = "items";
        manifest.event_types = {
            {.type = Happening::changed, .label = "C", .entity_type = EntityType{Thing::item}},
            {.type = Happening::hidden, .label = "H", .trigger = false}};
        manifest.entity_refs = {
            {.entity_type = Thing::item,
             .label = "Item",
             .ref = [this](Transaction&, std::span<const std::string>) {
                 ++reads;
                 return std::vector<std::optional<JsonText>>{JsonText{json{{"key", "DEMO-1"}}}};
             }}};
        catalog.add(manifest, services);
    }

    Manifest manifest{};
    testing::FakeServices services;
    testing::FakeCatalog catalog;
    testing::FakeTransaction tx;
    int reads = 0;
};

}  // namespace

TEST_SUITE("condition") {
    TEST_CASE("each word has an answer for every value") {
        const char* facts = R"({"event.type":"item.updated","payload.n":5,"payload.list":["a","b"],
            "payload.none":null,"event.occurred_at":"2026-11-30T12:00:00Z"})";

        CHECK(asks(R"({})", facts));
        CHECK(asks(R"({"field":"event.type","is":"item.updated"})", facts));
        CHECK(asks(R"({"field":"payload.n","is":5.0})", facts));
        CHECK_FALSE(asks(R"({"field":"payload.n","is":"5"})", facts));
        CHECK(asks(R"({"field":"payload.away","is":null})", facts));
        CHECK(asks(R"({"field":"payload.n","is_not":6})", facts));
        CHECK(asks(R"({"field":"payload.n","in":[1,5]})", facts));
        CHECK_FALSE(asks(R"({"field":"payload.n","in":[]})", facts));
        CHECK(asks(R"({"field":"event.type","contains":"updated"})", facts));
        CHECK(asks(R"({"field":"payload.list","contains":"b"})", facts));
        CHECK_FALSE(asks(R"({"field":"payload.n","contains":5})", facts));
        CHECK(asks(R"({"field":"payload.n","above":4})", facts));
        CHECK_FALSE(asks(R"({"field":"payload.n","above":"4"})", facts));
        CHECK_FALSE(asks(R"({"field":"payload.none","below":4})", facts));
        CHECK(asks(R"({"field":"event.occurred_at","below":"2026-12-01"})", facts));
        CHECK(asks(R"({"field":"payload.none","exists":false})", facts));
        CHECK(asks(R"({"field":"payload.n","exists":true})", facts));
        CHECK(asks(R"({"all":[]})", facts));
        CHECK_FALSE(asks(R"({"any":[]})", facts));
        CHECK(asks(R"({"not":{"any":[{"field":"payload.n","is":1},{"field":"payload.n","is":2}]}})",
                   facts));
    }

    TEST_CASE("what is wrong is told with its place") {
        CHECK(fault(json::parse(R"({"all":[{"field":"event.type","equals":1}]})"))
                  .find("when.all.0.equals: is no word of a test") == 0);
        CHECK(fault(json::parse(R"({"field":"event.type"})")).find("when: asks nothing") == 0);
        CHECK(fault(json::parse(R"({"field":"secrets.key","is":1})")).find("when.field: begins") ==
              0);
        CHECK(fault(json::parse(R"({"field":"event..type","is":1})")) ==
              "when.field: has an empty word");
        CHECK(fault(json::parse(R"({"all":[],"any":[]})")).find("when: has more than one") == 0);
        CHECK(fault(json::parse(R"({"field":"event.id","above":true})")).find("when.above") == 0);
        CHECK(fault(json::parse("[]")) == "when: is no object");
    }

    TEST_CASE("its size ends at the limits") {
        CHECK(fault(nested(condition_depth_max)).empty());
        CHECK(fault(nested(condition_depth_max + 1)).find("nested more than 8 deep") !=
              std::string::npos);
        CHECK(fault(tests(condition_tests_max)).empty());
        CHECK(fault(tests(condition_tests_max + 1)).find("is one test too many") !=
              std::string::npos);
        const auto path = [](std::size_t bytes) {
            return json{{"field", "event." + std::string(bytes - 6, 'a')}, {"is", 1}};
        };
        CHECK(fault(path(path_bytes_max)).empty());
        CHECK_FALSE(fault(path(path_bytes_max + 1)).empty());
        std::string words = "event";
        for (std::size_t i = 1; i < path_words_max; ++i) words += ".a";
        CHECK(fault({{"field", words}, {"is", 1}}).empty());
        CHECK_FALSE(fault({{"field", words + ".a"}, {"is", 1}}).empty());
    }
}

TEST_SUITE("facts") {
    TEST_CASE_FIXTURE(Catalogue, "paths lead into the event and its entity") {
        const Event event = testing::an_event{Happening::changed}
                                .about(Thing::item, 7)
                                .by("00000000-0000-4000-8000-00000000000a")
                                .with_payload(json{{"item", {{"labels", {"a", "b"}}}}})
                                .changed("state", {{"name", "To Do"}}, {{"name", "Done"}});
        Facts facts{tx, catalog, &event};

        CHECK(facts.at("event.entity_id") == "7");
        CHECK(facts.at("event.occurred_at") == "1970-01-01T00:00:00.000000Z");
        CHECK(facts.at("payload.item.labels.1") == "b");
        CHECK(facts.at("payload.item.labels.2").is_null());
        CHECK(facts.at("changes.state.to.name") == "Done");
        CHECK(facts.at("changes.title.to").is_null());
        CHECK(reads == 0);
        CHECK(facts.at("entity.key") == "DEMO-1");
        CHECK(facts.at("entity.key") == "DEMO-1");
        CHECK(reads == 1);

        Facts clock{tx, catalog, nullptr};
        CHECK(clock.at("event.type").is_null());
        CHECK(clock.at("entity.key").is_null());
    }

    TEST_CASE_FIXTURE(Catalogue, "arguments are filled in and stay what they are") {
        const Event event = testing::an_event{Happening::changed}
                                .about(Thing::item, 7)
                                .with_payload(json{{"n", 5}, {"text", "{{event.type}}"}});
        Facts facts{tx, catalog, &event};
        const auto fill = [&](const char* text) {
            return filled(json{{"a", json::array({text})}}, facts).at("a")[0];
        };

        CHECK(fill("{{payload.n}}") == 5);
        CHECK(fill("n is {{ payload.n }}, {{payload.none}}") == "n is 5, ");
        CHECK(fill("{{payload.n}}{{payload.n}}") == "55");
        CHECK(fill("{{payload.text}} once") == "{{event.type}} once");
        CHECK(fill("plain") == "plain");
        CHECK_THROWS_AS((void)check_places(json("{{event.type"), "a"), InvalidInput);
        CHECK_THROWS_AS((void)check_places(json("{{nowhere}}"), "a"), InvalidInput);
        CHECK_FALSE(check_places(json("plain"), "a"));
    }

    TEST_CASE_FIXTURE(Catalogue, "arguments end at their limit") {
        const auto with = [&](std::size_t bytes) {
            return testing::an_event{Happening::changed}
                .about(Thing::item, 7)
                .with_payload(json{{"text", std::string(bytes, 'x')}});
        };
        const json arguments{{"a", "{{payload.text}}"}};
        const std::size_t frame = json{{"a", ""}}.dump().size();
        const Event fits = with(arguments_bytes_max - frame);
        const Event too_long = with(arguments_bytes_max - frame + 1);
        Facts facts{tx, catalog, &fits};
        Facts more{tx, catalog, &too_long};

        CHECK(filled(arguments, facts).dump().size() == arguments_bytes_max);
        CHECK_THROWS_AS((void)filled(arguments, more), InvalidInput);
    }
}

TEST_SUITE("rule") {
    TEST_CASE("what is wrong is told with its place") {
        CHECK(read_fault(R"({"trigger":{"events":["a.b"]},"whne":{}})")
                  .find("rule.whne: is no such") == 0);
        CHECK(read_fault(R"({"trigger":{"events":[]}})").find("trigger.events") == 0);
        CHECK(read_fault(R"({"trigger":{}})").find("trigger: has one of") == 0);
        CHECK(read_fault(R"({"trigger":{"every":"1h","daily":"09:00"}})").find("trigger") == 0);
        CHECK(read_fault(R"({"trigger":{"every":"1"}})").find("trigger.every: is no duration") ==
              0);
        CHECK(read_fault(R"({"trigger":{"every":"59s"}})").find("outside") != std::string::npos);
        CHECK(read_fault(R"({"trigger":{"every":"60s"}})").empty());
        CHECK(read_fault(R"({"trigger":{"daily":"24:00"}})").find("trigger.daily") == 0);
        CHECK(read_fault(R"({"trigger":{"daily":"9:00"}})").find("trigger.daily") == 0);
        CHECK(read_fault(R"({"trigger":{"events":["a"],"zone":"UTC"}})").find("trigger.zone") == 0);
        CHECK(read_fault(R"({"then":[{"action":5}]})") == "then.0.action: is no text");
        CHECK(read_fault(R"({"then":[{"action":"a.b","arguments":{"x":"{{nowhere}}"}}]})")
                  .find("then.0.arguments.x") == 0);
        CHECK(read_fault(R"({"chain":"yes"})").find("chain") == 0);
    }

    TEST_CASE("its size ends at the limits") {
        const auto many = [](const char* key, const json& entry, std::size_t count) {
            return json{{key, std::vector<json>(count, entry)}};
        };
        const json action{{"action", "a.b"}};
        CHECK(read_fault(many("then", action, actions_max).dump()).empty());
        CHECK_FALSE(read_fault(many("then", action, actions_max + 1).dump()).empty());
        const auto events = [&](std::size_t count) {
            return read_fault(json{{"trigger", many("events", "a.b", count)}}.dump());
        };
        CHECK(events(trigger_events_max).empty());
        CHECK_FALSE(events(trigger_events_max + 1).empty());
        const auto sized = [](std::size_t bytes) {
            json rule{{"then", {{{"action", ""}}}}};
            rule["then"][0]["action"] = std::string(bytes - rule.dump().size(), 'a');
            return read_fault(rule.dump());
        };
        CHECK(sized(rule_bytes_max).empty());
        CHECK(sized(rule_bytes_max + 1).find("rule: has more than") == 0);
    }

    TEST_CASE("what was read is what is written") {
        const auto definition = json::parse(R"({"trigger":{"daily":"09:00","zone":"Europe/Berlin"},
            "when":{"field":"event.id","above":1},"chain":true,"project_id":7,
            "then":[{"action":"a.b","arguments":{"x":"{{event.id}}"},"subject_id":"12"}]})");
        RuleDraft draft;
        read_definition(definition, draft);
        CHECK(definition_of(draft) == definition);
    }

    TEST_CASE("everything that is wrong with a rule is told at once") {
        std::vector<std::string> told;
        for (const auto& [path, problem] : faults_of(json::parse(R"({
                "trigger": {"evens": []}, "wehn": {}, "chain": "yes", "project_id": "x",
                "when": {"any": [{"field": "payload.a", "is": 1}, {"field": "weather", "is": 1}]},
                "then": [{"action": "x.y"}, {"acton": "x.y"}, {"action": 5}]})"))) {
            told.push_back(path);
            CHECK_FALSE(problem.starts_with(path));
        }
        CHECK(told == std::vector<std::string>{"wehn",
                                               "trigger.evens",
                                               "when.any.1.field",
                                               "then.1.acton",
                                               "then.2.action",
                                               "project_id",
                                               "chain"});

        REQUIRE(faults_of(json::array()).size() == 1);
        CHECK(faults_of(json::array())[0].path.empty());
        const auto missing = faults_of(json::object());
        REQUIRE(missing.size() == 2);
        CHECK(missing[0].path == "trigger");
        CHECK(missing[1].problem == "is missing");
        CHECK(faults_of({{"trigger", {{"every", "1h"}}}, {"then", {{{"action", "x.y"}}}}}).empty());
    }

    TEST_CASE_FIXTURE(Catalogue,
                      "an event that starts nothing is told with the nearest that does") {
        RuleDraft draft{.trigger = {.events = {"item.hidden", "item.chnaged"}}};
        const auto problems = problems_of(draft, catalog);
        REQUIRE(problems.size() == 2);
        CHECK(problems[0].find("event 'item.hidden' starts no automation") == 0);
        CHECK(problems[1] ==
              "event 'item.chnaged' is declared by no loaded plugin; did you mean 'item.changed'?");
    }
}

TEST_SUITE("chain") {
    TEST_CASE("a cause says which rules led to an event") {
        CHECK(cause_of({7, 9}) == "automations/7/9");
        CHECK(chain_of("automations/7/9") == Chain{7, 9});
        for (const char* odd : {"",
                                "automations",
                                "automations/",
                                "automations/x",
                                "automations7",
                                "rule 7",
                                "other/7"})
            CHECK_FALSE(chain_of(odd));
    }

    // P37
    TEST_CASE("work that is handed to another thread keeps its cause there and nowhere else") {
        std::optional<std::string> seen;
        std::optional<std::string> seen_after;
        std::function<void()> work;
        {
            const Automated automated{cause_of({7})};
            work = handed_over([&] { seen = Automated::cause(); });
        }
        std::thread{[&] {
            work();
            seen_after = Automated::cause();
        }}.join();

        CHECK(seen == "automations/7");
        CHECK_FALSE(seen_after);
        CHECK_FALSE(Automated::cause());
    }

    TEST_CASE("nothing starts from what nobody can follow") {
        const Event foreign = testing::an_event{Happening::changed}.caused_by("another engine");
        CHECK(stopped_by(foreign, 1, true) == "an automation did it");
        const Event silent = testing::an_event{Happening::changed}.silent();
        CHECK(stopped_by(silent, 1, true) == "it is silent");
        const Event own = testing::an_event{Happening::changed}.caused_by("automations/1/2");
        CHECK(stopped_by(own, 1, true).find("this rule had a part in it") == 0);
        CHECK(stopped_by(own, 3, false) == "rule 2 did it");
        CHECK(stopped_by(own, 3, true).empty());
        const Event plain = testing::an_event{Happening::changed};
        CHECK(stopped_by(plain, 3, false).empty());
    }
}
