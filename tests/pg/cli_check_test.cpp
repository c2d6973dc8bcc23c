// radd check: what would be loaded, and why something is not. None of it needs a database.

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tests/loader/bench.hpp>
#include <tests/support/radd_process.hpp>

using namespace radd::testing;

namespace {

struct Scene : Installation {
    // Nobody listens there: whoever connects fails.
    Scene() { set("RADD_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/nowhere"); }
};

const nlohmann::json& plugin_in(const nlohmann::json& set, const std::string& id) {
    const auto& all = set.at("plugins");
    const auto found =
        std::ranges::find_if(all, [&](const auto& one) { return one.at("id") == id; });
    REQUIRE_MESSAGE(found != all.end(), id << " is not in " << all.dump());
    return *found;
}

constexpr const char* eleven_mistakes = R"(kind: plugin
version: 2
id: csat
libary: csat.so
enabled: yes
required: 1
plugin_version: '>=x'
startup_timeout: 20
sha256: zz
grants: 5
log_level: loud
settings: [1]
consumers:
  csat.sender: {batch: 0, poll: 2s}
)";

}  // namespace

TEST_SUITE("radd check") {
    TEST_CASE_FIXTURE(Scene, "lists what every shipped plugin brings") {
        ship();

        const auto text = run({"check"});
        CAPTURE(text.out);
        CAPTURE(text.err);
        CHECK(text.code == 0);
        CHECK(text.err.empty());
        for (const char* part : {"items 1.0.0",
                                 "mail 1.0.0",
                                 "csat 1.0.0",
                                 "importer 1.0.0",
                                 "item.updated",
                                 "csat.requested  'CSAT survey sent'  subjects item",
                                 "consumers  csat.sender",
                                 "4 loaded, 0 refused"})
            CHECK_MESSAGE(contains(text.out, part), part);
        CHECK_FALSE(std::filesystem::exists(path("var/postgres")));

        const auto json = run({"check", "--json"});
        CHECK(json.code == 0);
        const auto set = json.json();
        CHECK(set.at("may_start") == true);
        CHECK(set.at("problems").empty());
        CHECK(set.at("plugins").size() == 4);
        const auto& csat = plugin_in(set, "csat");
        CHECK(csat.at("events")[0].at("type") == "csat.requested");
        CHECK(csat.at("events")[0].at("subjects")[0] == "item");
        CHECK(csat.at("consumers")[0].at("name") == "csat.sender");
        CHECK(plugin_in(set, "items").at("events").size() == 11);
    }

    TEST_CASE_FIXTURE(Scene, "lists all that ships with the entity of a manifest") {
        ship();
        for (const char* more :
             {"automations", "chat", "notify", "realtime", "search", "sla", "webhooks"})
            ship(more);
        ship_enabled("milestones");

        const auto text = must({"check"}).out;
        const auto set = must({"check", "--json"}).json();
        CAPTURE(text);
        CHECK(contains(text, "12 loaded, 0 refused"));
        CHECK(set.at("plugins").size() == 12);
        std::string consumers;
        std::size_t events = 0;
        for (const auto& plugin : set.at("plugins")) {
            const auto id = plugin.at("id").get<std::string>();
            CHECK_MESSAGE(contains(text, id + " 1.0.0"), id);
            for (const auto& event : plugin.at("events")) {
                const auto type = event.at("type").get<std::string>();
                const auto at = text.find(type + "  '");
                REQUIRE_MESSAGE(at != std::string::npos, type);
                const auto line = text.substr(at, text.find('\n', at) - at);
                // Only behind the word: the type itself often says the subject's name.
                const auto told = line.substr(std::min(line.find("  subjects "), line.size()));
                for (const auto& subject : event.at("subjects"))
                    CHECK_MESSAGE(contains(told, subject.get<std::string>()), type);
                ++events;
            }
            for (const auto& consumer : plugin.at("consumers")) {
                const auto name = consumer.at("name").get<std::string>();
                CHECK_MESSAGE(contains(text, name), name);
                consumers += name + " ";
            }
        }
        for (const char* name : {"automations.runner ",
                                 "chat.planner ",
                                 "csat.sender ",
                                 "notify.teller ",
                                 "search.indexer ",
                                 "sla.follower ",
                                 "webhooks.fan_out "})
            CHECK_MESSAGE(contains(consumers, name), name);
        CHECK(events > 20);
        CHECK(plugin_in(set, "milestones").at("events").size() == 3);
    }

    TEST_CASE_FIXTURE(Scene, "keeps what each plugin brings apart from its heading") {
        ship();
        for (const char* more : {"search", "webhooks", "realtime"}) ship(more);

        const auto text = run({"check"});
        CAPTURE(text.out);
        CHECK(text.code == 0);
        const std::regex run_together{R"((^|\n)  \S[^\n]{9}\S)"};
        std::smatch found;
        CHECK_MESSAGE(!std::regex_search(text.out, found, run_together), found.str());
        CHECK(contains(text.out, "  queues     webhooks.deliveries\n"));
    }

    TEST_CASE_FIXTURE(Scene, "names the plugin and the event whose subject nobody describes") {
        ship();
        install("csat_itme", "csat");

        const auto text = run({"check"});
        CAPTURE(text.err);
        CHECK(text.code == 3);
        CHECK(contains(text.err,
                       "E31 ./plugins/csat.so csat: event 'csat.requested' names subject 'itme', "
                       "which no loaded plugin describes. Did you mean 'item'?"));
        CHECK(count_of(text.err, "E31") == 1);

        const auto json = run({"check", "--json"});
        CHECK(json.code == 3);
        const auto set = json.json();
        CHECK(set.at("may_start") == false);
        REQUIRE(set.at("problems").size() == 1);
        const auto& problem = set.at("problems")[0];
        CHECK(problem.at("code") == "E31");
        CHECK(problem.at("plugin") == "csat");
        CHECK(problem.at("hint") == "Did you mean 'item'?");
        CHECK(run({"serve"}).code == 3);
    }

    // P57 P58
    TEST_CASE_FIXTURE(Scene, "tells every mistake of a manifest at once with its place") {
        ship();
        write("manifests/csat.yaml", eleven_mistakes);

        const auto ran = run({"check"});
        CAPTURE(ran.err);
        CHECK(ran.code == 3);
        const std::regex placed{R"(E4\d \./manifests/csat\.yaml:\d+:\d+ csat: .+)"};
        const auto lines = lines_of(ran.err);
        CHECK(std::ranges::count_if(
                  lines, [&](const auto& line) { return std::regex_match(line, placed); }) == 11);
        CHECK(
            contains(ran.err, "csat.yaml:4:1 csat: unknown key 'libary'. Did you mean 'library'?"));
        CHECK(contains(ran.err, "csat.yaml:8:18 csat: startup_timeout: a duration needs a unit"));

        const auto serve = run({"serve"});
        CHECK(serve.code == 3);
        CHECK(count_of(serve.err, "manifests/csat.yaml:") == 11);
    }

    TEST_CASE_FIXTURE(Scene, "tells machines of a broken manifest what it tells people") {
        ship();
        write("manifests/csat.yaml", eleven_mistakes);

        const auto ran = run({"check", "--json"});
        CHECK(ran.code == 3);
        const auto set = ran.json();
        CHECK(set.at("may_start") == false);
        CHECK(set.at("problems").size() == 11);
    }

    TEST_CASE_FIXTURE(Scene, "tells the mistakes of all manifests at once") {
        ship();
        declare("csat", "enabeld: true\n");
        write("manifests/host.yaml", "kind: host\nversion: 1\ndatabase:\n  pool_size: 1\n");
        write("manifests/mail.yaml", "kind: plugin\n  version: 1\n");

        for (const char* command : {"check", "serve"}) {
            const auto ran = run({command});
            CAPTURE(ran.err);
            CHECK(ran.code == 3);
            CHECK(contains(ran.err, "manifests/csat.yaml:4:1"));
            CHECK(contains(ran.err, "manifests/host.yaml:4:14"));
            CHECK(contains(ran.err, "manifests/mail.yaml:2:"));
        }
    }

    // P08
    TEST_CASE_FIXTURE(Scene, "refuses a pool of three sessions and takes one of four") {
        ship();
        const auto checked = [&](const std::string& sessions) {
            write("manifests/host.yaml",
                  "kind: host\nversion: 1\ndatabase:\n  pool_size: " + sessions + "\n");
            return run({"check", "--json"});
        };

        const auto refused = checked("3");
        CHECK(refused.code == 3);
        REQUIRE(refused.json().at("problems").size() == 1);
        const auto problem = refused.json().at("problems")[0];
        CHECK(problem.at("code") == "E47");
        CHECK(problem.at("line") == 4);
        CHECK(problem.at("message") == "database.pool_size: 3 is outside 4..200");
        const auto accepted = checked("4");
        CHECK(accepted.code == 0);
        CHECK(accepted.json().at("may_start") == true);
    }

    TEST_CASE_FIXTURE(Scene, "refuses who brings a rule that is none with every place") {
        ship();
        ship("automations");
        write("manifests/chores.yaml", R"(kind: plugin
version: 1
id: chores
automations:
  - name: thanks
    trigger: {evens: [item.updated]}
    then:
      - {action: items.add_comment, arguments: {body: Thanks}}
      - {acton: items.add_comment}
  - name: nightly
    trigger: {daily: "25:00"}
  - name: far
    trigger: {daily: "09:00", zone: Mars/Olympus}
    then: [{action: items.create_item, arguments: {project: DEMO, title: Backup}}]
  - name: sound
    trigger: {events: [item.updated]}
    then: [{action: items.add_label, arguments: {label: seen}}]
event_types: {}
)");

        for (const char* command : {"check", "serve"}) {
            const auto ran = run({command});
            CAPTURE(ran.err);
            CHECK(ran.code == 3);
            CHECK(contains(ran.err,
                           "E56 ./manifests/chores.yaml:6:15 chores: automation 'thanks': "
                           "trigger.evens: is no such key"));
            CHECK(contains(ran.err,
                           "E56 ./manifests/chores.yaml:9:10 chores: automation 'thanks': "));
            CHECK(contains(ran.err,
                           "E56 ./manifests/chores.yaml:11:15 chores: automation 'nightly': "
                           "trigger.daily: is no time of day; write 09:00"));
            CHECK(
                contains(ran.err, "chores.yaml:10:5 chores: automation 'nightly': then: is miss"));
            CHECK(contains(ran.err,
                           "E56 ./manifests/chores.yaml:13:31 chores: automation 'far': "
                           "trigger.zone: there is no 'Mars/Olympus'; write it like Europe/B"));
            CHECK(count_of(ran.err, "E56") == 5);
        }
        const auto set = run({"check", "--json"}).json();
        CHECK(set.at("problems").size() == 5);
        CHECK(set.at("may_start") == false);
    }

    TEST_CASE_FIXTURE(Scene, "runs with rules alone") {
        ship();
        ship("automations");
        write("manifests/chores.yaml", R"(kind: plugin
version: 1
id: chores
automations:
  - name: sound
    trigger: {events: [item.updated]}
    then: [{action: items.add_label, arguments: {label: seen}}]
event_types: {}
)");

        const auto ran = run({"check"});

        CHECK_MESSAGE(ran.code == 0, ran.err);
        CHECK(contains(ran.out, "chores"));
    }

    TEST_CASE_FIXTURE(Scene, "is one object for machines whatever is wrong") {
        ship();
        write("manifests/host.yaml", "kind: host\nversion: 1\ndatabase:\n  pool_size: 1\n");

        const auto ran = run({"check", "--json"});

        CHECK(ran.code == 3);
        CHECK(ran.json().at("may_start") == false);
        CHECK(ran.json().at("problems")[0].at("code") == "E47");
    }
}

namespace {

struct BadPlugin {
    std::string name;
    std::string fixture;  ///< Of tests/fixtures; empty for a text file.
    std::string fault;    ///< See tests/loader/fixture.cpp.
    std::string code;
    std::string text;
};

const std::vector<BadPlugin> bad_plugins{
    {"throws an int", "probe", "throws_int", "E20", "no std::exception"},
    {"throws what has no text", "probe", "null_what", "E20", "what() is null"},
    {"takes an event of another",
     "probe",
     "duplicate_event",
     "E30",
     "event 'describer.happened' is declared by plugin 'describer'"},
    {"names an unknown subject", "probe", "undescribed", "E31", "Did you mean 'item'?"},
    {"is built for another layout", "debug_mode", "", "E12", "host debugmode=0, plugin"},
    {"is no plugin", "no_note", "", "E04", ""},
    {"returns null", "strange_entry", "entry_null", "E14", "its entry returned nothing"},
    {"is a text", "", "", "E01", ""},
};

}  // namespace

TEST_SUITE("bad plugin") {
    // P53
    TEST_CASE("is refused with one clear block and the host does not start") {
        for (const BadPlugin& bad : bad_plugins) {
            Scene scene;
            scene.install("describer", "describer");
            const std::string& fixture = bad.fixture;
            const std::string id = fixture == "debug_mode" ? fixture : "probe";
            scene.declare(id);
            if (fixture.empty()) scene.write("plugins/probe.so", "this is no library\n");
            if (!fixture.empty()) scene.install(fixture, id);
            scene.set("FIXTURE_FAULT", bad.fault);

            for (const char* command : {"check", "serve"}) {
                const auto ran = scene.run({command});
                CAPTURE(bad.name);
                CAPTURE(ran.err);
                CHECK(ran.code == 3);
                const auto lines = lines_of(ran.err);
                REQUIRE_FALSE(lines.empty());
                CHECK(lines[0].starts_with(bad.code + " ./plugins/" + id + ".so " + id + ": "));
                CHECK(contains(lines[0], bad.text));
                CHECK(std::ranges::count_if(
                          lines, [](const auto& line) { return line.starts_with("E"); }) == 1);
            }
        }
    }

    TEST_CASE_FIXTURE(Scene, "of another ABI is refused by its number") {
        install("probe", "probe");
        const auto file = path("plugins/probe.so");
        radd::loader_test::write_file(
            file, radd::loader_test::with_note(radd::loader_test::read_file(file), [](auto& note) {
                note.abi_major = radd::abi::abi_major + 1;
            }));

        for (const char* command : {"check", "serve"}) {
            const auto ran = run({command});
            CAPTURE(ran.err);
            CHECK(ran.code == 3);
            CHECK(contains(ran.err, "E13 ./plugins/probe.so probe: it was built for ABI 2.0"));
        }
    }

    TEST_CASE_FIXTURE(Scene, "without a manifest is named and not opened") {
        install("describer", "describer");
        write("plugins/stray.so", "this is no library\n");

        const auto ran = run({"check"});

        CHECK(ran.code == 0);
        CHECK(contains(ran.out, "ignored ./plugins/stray.so"));
    }
}
