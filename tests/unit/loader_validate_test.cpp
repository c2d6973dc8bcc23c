#include <algorithm>
#include <array>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <host/plugins/validate.hpp>

using namespace radd;
using loader::Candidate;

namespace {

enum class Happening { first, second };
consteval auto event_names(Happening) {
    return std::array{Named{Happening::first, "a.first"}, Named{Happening::second, "a.second"}};
}
enum class OtherHappening { other };
consteval auto event_names(OtherHappening) {
    return std::array{Named{OtherHappening::other, "b.other"}};
}
enum class Mistaken { frist };
consteval auto event_names(Mistaken) {
    return std::array{Named{Mistaken::frist, "a.frist"}};
}
enum class Thing { item, itme, survey };
consteval auto entity_names(Thing) {
    return std::array{
        Named{Thing::item, "item"}, Named{Thing::itme, "itme"}, Named{Thing::survey, "survey"}};
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

EntityRefSpec ref_of(EntityType entity) {
    return {.entity_type = entity,
            .label = "Thing",
            .ref = [](Transaction&, std::span<const std::string> ids) {
                return std::vector<std::optional<JsonText>>(ids.size());
            }};
}

std::unique_ptr<Consumer> no_consumer(Services&) {
    return nullptr;
}

/// Candidates, and what is said about them.
class Panel {
public:
    Manifest& add(const std::string& id, std::vector<std::string> needs = {}) {
        Manifest& manifest = manifests_.emplace_back();
        manifest.id = id;
        manifest.version = "1.4.2";
        manifest.depends_on = std::move(needs);
        candidates.push_back({.id = id, .file = "plugins/" + id + ".so", .manifest = &manifest});
        return manifest;
    }

    [[nodiscard]] loader::Verdict judge() const { return loader::validate(candidates, around); }

    [[nodiscard]] std::string order() const {
        std::string ids;
        for (const std::size_t i : judge().start_order)
            ids += (ids.empty() ? "" : " ") + candidates[i].id;
        return ids;
    }
    [[nodiscard]] std::string problems() const {
        std::string text;
        for (const auto& problem : judge().problems) text += config::to_text(problem) + '\n';
        return text;
    }

    std::vector<Candidate> candidates;
    loader::Surroundings around;

private:
    std::deque<Manifest> manifests_;  // A deque, because the candidates point into it.
};

}  // namespace

TEST_SUITE("validation") {
    TEST_CASE_FIXTURE(Panel, "order is dependencies first and then the id") {
        add("z");
        add("c", {"z"});
        add("b");
        add("a", {"c"});

        CHECK(order() == "b z c a");
        CHECK(problems().empty());
    }

    TEST_CASE_FIXTURE(Panel, "the verdict does not depend on the order of the files") {
        add("a").event_types = {{.type = OtherHappening::other, .label = "Other"}};
        add("b", {"missing"}).event_types = {{.type = OtherHappening::other, .label = "Other"}};
        add("c", {"d"});
        add("d", {"c"});
        add("e", {"b"});
        const std::string expected = problems();
        std::mt19937 random{1};

        for (int round = 0; round < 20; ++round) {
            std::ranges::shuffle(candidates, random);
            CHECK(problems() == expected);
        }
        CHECK(contains(expected, "E30 plugins/a.so a: event 'b.other' is declared by plugin 'b'"));
    }

    TEST_CASE_FIXTURE(Panel, "a cascade follows an event that a loaded plugin declares") {
        const auto sweep = [](Transaction&, std::string_view) {};
        add("a").event_types = {{.type = Happening::first, .label = "First"},
                                {.type = Happening::second, .label = "Second"}};
        add("c").cascades = {{.name = "c.rows", .parent_event = Happening::first, .sweep = sweep},
                             {.name = "c.rows", .parent_event = Happening::first, .sweep = sweep},
                             {.name = "c.none", .parent_event = Happening::first, .sweep = {}},
                             {.name = "rows", .parent_event = Happening::first, .sweep = sweep}};
        add("d").cascades = {
            {.name = "d.rows", .parent_event = Mistaken::frist, .sweep = sweep},
            {.name = "d.more", .parent_event = OtherHappening::other, .sweep = sweep}};
        add("e", {"missing"}).event_types = {{.type = OtherHappening::other, .label = "Other"}};

        const std::string text = problems();

        CHECK(order() == "a");
        CHECK(contains(text, "E30 plugins/c.so c: cascade 'c.rows' is declared twice"));
        CHECK(contains(text, "E35 plugins/c.so c: cascade 'c.none' has no 'sweep' function"));
        CHECK(contains(text, "E21 plugins/c.so c: cascade 'rows' must be called 'c.<what>'"));
        CHECK(contains(text,
                       "E36 plugins/d.so d: cascade 'd.rows' follows event 'a.frist', which no "
                       "loaded plugin declares"));
        CHECK(contains(text, "id you mean 'a.first'?"));
        CHECK(contains(text,
                       "E36 plugins/d.so d: cascade 'd.more' follows event 'b.other', which only "
                       "plugin 'e' declares, and that is refused"));
    }

    TEST_CASE_FIXTURE(Panel, "a notification kind tells of an event that somebody declares") {
        add("c").notification_kinds = {
            {.name = "c.told", .label = "Told", .event_type = Mistaken::frist},
            {.name = "told", .label = "Told", .event_type = Mistaken::frist}};

        CHECK(order().empty());
        CHECK(contains(problems(), "notification kind 'told' must be called 'c.<what>'"));
        CHECK(contains(problems(), "notification kind 'c.told' follows event 'a.frist', which no"));
    }

    TEST_CASE_FIXTURE(Panel, "a cycle is told once with its path and refuses all of it") {
        add("a", {"b"});
        add("b", {"c"});
        add("c", {"a"});
        add("d", {"d"});
        add("e");

        const std::string text = problems();

        CHECK(order() == "e");
        CHECK(contains(text,
                       "E52 plugins/a.so a: its dependencies lead back to it: "
                       "a -> b -> c -> a"));
        CHECK(contains(text, "E52 plugins/d.so d: its dependencies lead back to it: d -> d"));
        CHECK(contains(text, "E51 plugins/c.so c: it depends on plugin 'a', which is refused"));
        CHECK_FALSE(contains(text, "E52 plugins/b.so"));
    }

    // P56
    TEST_CASE_FIXTURE(Panel, "a refusal reaches everybody who depends on it") {
        add("a").version = "no version";
        add("b", {"a"});
        add("c", {"b"});
        add("d", {"c"});
        add("e");

        const std::string text = problems();

        CHECK(order() == "e");
        CHECK(contains(text, "E51 plugins/b.so b: it depends on plugin 'a', which is refused"));
        CHECK(contains(text, "E51 plugins/c.so c: it depends on plugin 'b', which is refused"));
        CHECK(contains(text, "E51 plugins/d.so d: it depends on plugin 'c', which is refused"));
    }

    // P56
    TEST_CASE_FIXTURE(Panel, "two plugins may describe each others subjects") {
        auto& a = add("a");
        a.entity_refs = {ref_of(Thing::item)};
        a.event_types = {{.type = Happening::first, .label = "F", .subjects = {Thing::survey}},
                         {.type = Happening::second, .label = "S"}};
        auto& b = add("b");
        b.entity_refs = {ref_of(Thing::survey)};
        b.event_types = {{.type = OtherHappening::other, .label = "O", .subjects = {Thing::item}}};

        CHECK(problems().empty());
        CHECK(order() == "a b");
    }

    // P56
    TEST_CASE_FIXTURE(Panel, "a subject that nobody describes is told with the nearest name") {
        auto& b = add("b");
        b.event_types = {{.type = OtherHappening::other, .label = "O", .subjects = {Thing::itme}}};
        add("items").entity_refs = {ref_of(Thing::item)};

        CHECK(problems() ==
              "E31 plugins/b.so b: event 'b.other' names subject 'itme', which no "
              "loaded plugin describes. Did you mean 'item'?\n");
        CHECK(order() == "items");
    }

    // P56
    TEST_CASE_FIXTURE(Panel, "a plugin that never got so far refuses who depends on it") {
        candidates.push_back(
            {.id = "a",
             .file = "plugins/a.so",
             .found = {{.code = "E01", .file = "plugins/a.so", .message = "the file is empty"}}});
        add("b", {"a"});

        CHECK(order().empty());
        CHECK(contains(problems(), "E01 plugins/a.so a: the file is empty"));
        CHECK(contains(problems(), "E51 plugins/b.so b: it depends on plugin 'a', which is ref"));
    }

    TEST_CASE_FIXTURE(Panel, "a disabled dependency says what to do") {
        add("a", {"off"});
        around.disabled = {{.id = "off", .file = "plugins/off.so"}};

        CHECK(contains(problems(), "'off', which is installed but disabled. Enable 'off'"));
    }

    TEST_CASE_FIXTURE(Panel, "what is not required costs itself and its like alone") {
        add("a", {"missing"});
        candidates.back().required = false;
        add("b", {"a"});
        candidates.back().required = false;
        add("c");

        const auto verdict = judge();

        CHECK(order() == "c");
        CHECK_FALSE(config::has_errors(verdict.problems));
        CHECK(verdict.problems.size() == 2);
    }

    TEST_CASE_FIXTURE(Panel, "a version outside the accepted range is refused") {
        add("a");
        const auto range = config::parse_version_range(">=2 <3");
        candidates[0].versions = std::get<config::VersionRange>(range);

        CHECK(contains(problems(),
                       "E53 plugins/a.so a: it is version 1.4.2, its manifest accepts "
                       "'>=2 <3'"));
    }

    TEST_CASE_FIXTURE(Panel, "an enumerator without spec is told once") {
        add("a").event_types = {{.type = Happening::first, .label = "First"}};

        CHECK(problems() ==
              "E32 plugins/a.so a: event 'a.second' stands in the enum of 'a.first' "
              "and has no spec. Add it to .event_types, or take the enumerator "
              "away\n");
    }

    TEST_CASE_FIXTURE(Panel, "an alias may not be a name that another plugin uses") {
        auto& a = add("a");
        a.event_types = {{.type = Happening::first, .label = "F", .aliases = {"b.other"}},
                         {.type = Happening::second, .label = "S"}};
        add("b").event_types = {{.type = OtherHappening::other, .label = "O"}};

        CHECK(contains(problems(), "E30 plugins/a.so a: event 'b.other' is declared by"));
        CHECK(order() == "b");
    }

    TEST_CASE_FIXTURE(Panel, "names that differ by case get a hint") {
        CHECK(loader::suggestion("ITEM", {"survey", "item"}) ==
              "Did you mean 'item'? Upper and lower case differ");
        CHECK(loader::suggestion("itme", {"survey", "item"}) == "Did you mean 'item'?");
        CHECK(loader::suggestion("webhook", {"survey", "item"}).empty());
    }

    TEST_CASE_FIXTURE(Panel, "a consumer that waits for what nobody declares is a warning") {
        add("a").consumers = {
            {.name = "a.reader", .listens_to = {OtherHappening::other}, .make = no_consumer}};

        CHECK(order() == "a");
        CHECK(contains(problems(),
                       "W36 plugins/a.so a: consumer 'a.reader' waits for event "
                       "'b.other', which no loaded plugin declares"));
    }

    TEST_CASE_FIXTURE(Panel, "a command may not begin with the words of another") {
        const auto run = [](CommandContext&) { return 0; };
        add("a").commands = {{.words = "import", .usage = "", .help = "Imports.", .run = run}};
        add("b").commands = {{.words = "import jira", .usage = "", .help = "Imports.", .run = run}};

        CHECK(
            contains(problems(), "E30 plugins/b.so b: command 'import jira' begins with command"));
    }
}

TEST_SUITE("manifest check") {
    TEST_CASE("every fault of one manifest is found at once") {
        const auto run = [](CommandContext&) { return 0; };
        Manifest manifest{.id = "Core!", .version = "1.0"};
        manifest.event_types = {
            {.type = Happening::first, .label = " ", .payload_schema = JsonText{"{not json"}},
            {.type = Happening::second, .label = "S", .payload_schema = JsonText{"[]"}},
            {.type = Happening::second, .label = "S"}};
        manifest.entity_refs = {
            {.entity_type = Thing::item, .label = "Item", .ref = {}, .url = "items"}};
        manifest.consumers = {{.name = "other.reader",
                               .batch = 0,
                               .deadline = std::chrono::milliseconds{0},
                               .make = {}}};
        manifest.periodic_tasks = {{.name = "other.reader", .make = {}}};
        manifest.services = {{.name = "", .make = {}}};
        manifest.commands = {
            {.words = "events purge", .usage = "", .help = "Purges.", .run = run},
            {.words = "one two three four", .usage = "", .help = "Too long.", .run = run},
            {.words = "Shout", .usage = "", .help = "", .run = {}}};

        std::string text;
        for (const auto& problem : loader::check_manifest(manifest))
            text += problem.code + ' ' + problem.message + '\n';

        const std::vector<std::string> expected{
            "E21 id 'Core!'",
            "E21 version '1.0'",
            "E21 event 'a.first' has an empty label",
            "E33 event 'a.first': payload_schema is no JSON",
            "E33 event 'a.second': payload_schema is no JSON object",
            "E30 event 'a.second' is declared twice",
            "E35 entity 'item' has no 'ref' function",
            "E21 entity 'item': url 'items'",
            "E21 consumer 'other.reader' must be called 'Core!.<what>'",
            "E35 consumer 'other.reader' has no 'make' function",
            "E21 consumer 'other.reader': batch 0 is outside 1..1000",
            "E21 consumer 'other.reader': deadline",
            "E30 consumer 'other.reader' is declared twice",
            "E35 task 'other.reader' has no 'make' function",
            "E21 a service has no name",
            "E21 command 'events purge' begins like the host's own",
            "E21 command 'one two three four' must be one to three",
            "E21 command 'Shout' must be",
            "E21 command 'Shout' has no help",
            "E35 command 'Shout' has no 'run' function"};
        for (const std::string& part : expected) {
            CAPTURE(part);
            CAPTURE(text);
            CHECK(contains(text, part));
        }
    }

    TEST_CASE("limits hold at the edge and not one past it") {
        const auto batch_of = [](std::int32_t batch) {
            Manifest manifest{.id = "a", .version = "1.0.0"};
            manifest.consumers = {{.name = "a.reader", .batch = batch, .make = no_consumer}};
            return loader::check_manifest(manifest).size();
        };

        CHECK(batch_of(1) == 0);
        CHECK(batch_of(1000) == 0);
        CHECK(batch_of(0) == 1);
        CHECK(batch_of(1001) == 1);
    }

    TEST_CASE("the names of the host itself are taken") {
        for (const std::string id : {"core", "events", "radd"}) {
            CAPTURE(id);
            CHECK(loader::check_manifest({.id = id, .version = "1.0.0"}).size() == 1);
        }
        CHECK(loader::check_manifest({.id = "items", .version = "1.0.0"}).empty());
    }

    TEST_CASE("a schema must describe an object") {
        const auto fault = [](const std::string& schema) {
            Manifest manifest{.id = "a", .version = "1.0.0"};
            manifest.event_types = {
                {.type = OtherHappening::other, .label = "O", .payload_schema = JsonText{schema}}};
            const auto problems = loader::check_manifest(manifest);
            return problems.empty() ? std::string{} : problems[0].code;
        };

        CHECK(fault(R"({"type":"object","properties":{"n":{}},"required":["n"]})").empty());
        CHECK(fault("{}").empty());
        CHECK(fault(R"({"type":"array"})") == "E33");
        CHECK(fault(R"({"properties":[]})") == "E33");
        CHECK(fault(R"({"required":["n",1]})") == "E33");
    }
}
