#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <host/config/host_settings.hpp>
#include <host/config/manifest_file.hpp>
#include <tests/unit/config_files.hpp>

using namespace std::chrono_literals;
using namespace radd::config;
using radd::testing::Folder;
using radd::testing::lines;

namespace {

struct Read {
    std::optional<PluginFile> plugin;
    Problems problems;
};

/// A plugin's manifest with `rest` after the keys that every one has.
Read read(const std::string& rest) {
    Read result;
    result.plugin = parse_plugin_file(
        "kind: plugin\nversion: 1\nid: csat\n" + rest, "csat.yaml", result.problems);
    return result;
}

/// The only complaint about it.
std::string complaint(const std::string& rest) {
    const auto found = lines(read(rest).problems);
    REQUIRE_MESSAGE(found.size() == 1, found.size() << " problems in " << rest);
    return found.front();
}

/// The only complaint about a whole file.
std::string file_complaint(const std::string& text) {
    Problems problems;
    (void)parse_plugin_file(text, "a.yaml", problems);
    const auto found = lines(problems);
    REQUIRE_MESSAGE(found.size() == 1, found.size() << " problems in " << text);
    return found.front();
}

std::string minimal(const std::string& id) {
    return "kind: plugin\nversion: 1\nid: " + id + "\n";
}

}  // namespace

TEST_SUITE("plugin manifest") {
    TEST_CASE("an id is enough and the rest has defaults") {
        const auto [plugin, problems] = read("");

        REQUIRE(problems.empty());
        CHECK(plugin->id == "csat");
        CHECK(plugin->library == "csat.so");
        CHECK(plugin->enabled);
        CHECK(plugin->required);
        CHECK_FALSE(plugin->plugin_version.has_value());
        CHECK(plugin->settings.kind == YamlNode::Kind::null);
        CHECK_FALSE(plugin->startup_timeout.has_value());
        CHECK(plugin->shutdown_timeout == 10s);
        CHECK_FALSE(plugin->refused);
    }

    TEST_CASE("everything an operator may say is read") {
        const std::string digest(64, 'a');
        const auto [plugin, problems] = read(
            "library: other.so\nenabled: false\nrequired: false\nplugin_version: '>=1.4 <2'\n"
            "settings: {batch: 5}\ngrants: [db, mail]\nstartup_timeout: 20s\n"
            "shutdown_timeout: 1s\nlog_level: debug\nsha256: " +
            digest +
            "\nconsumers:\n  csat.sender: {batch: 1000, poll: 2s, deadline: 1m, paused: true}\n"
            "  csat.other: {}\n");

        REQUIRE(lines(problems) == std::vector<std::string>{});
        CHECK(plugin->library == "other.so");
        CHECK_FALSE(plugin->enabled);
        CHECK_FALSE(plugin->required);
        CHECK(plugin->plugin_version->contains({1, 5, 0}));
        CHECK(plugin->settings.find("batch")->text == "5");
        CHECK(plugin->grants == std::vector<std::string>{"db", "mail"});
        CHECK(plugin->startup_timeout == 20s);
        CHECK(plugin->shutdown_timeout == 1s);
        CHECK(plugin->log_level == radd::LogLevel::debug);
        CHECK(plugin->sha256 == digest);
        const auto& sender = plugin->consumers.at("csat.sender");
        CHECK(sender.batch == 1000);
        CHECK(sender.poll == 2s);
        CHECK(sender.deadline == 1min);
        CHECK(sender.paused);
        CHECK(sender.place == Place{15, 3});
        CHECK_FALSE(plugin->consumers.at("csat.other").batch.has_value());
    }

    // P57
    TEST_CASE("an unknown key gets the nearest and the plugin is refused") {
        const auto [plugin, problems] =
            read("consumers:\n  csat.sender: {pol: 2s}\nenabeld: true\n");

        CHECK(lines(problems) ==
              std::vector<std::string>{
                  "E43 csat.yaml:5:17 csat: consumers.csat.sender: unknown key 'pol'. Did you mean "
                  "'poll'?",
                  "E43 csat.yaml:6:1 csat: unknown key 'enabeld'. Did you mean 'enabled'?"});
        CHECK(plugin->refused);
    }

    TEST_CASE("unknown keys are reported to their limit and then summed up") {
        std::string keys;
        for (int i = 0; i < 5000; ++i) keys += "key" + std::to_string(i) + ": 1\n";
        const auto problems = read(keys).problems;

        REQUIRE(problems.size() == yaml_problems_max + 1);
        CHECK(to_text(problems.back()) ==
              "E43 csat.yaml:104:1 csat: this and what follows: too many unknown keys");
    }

    TEST_CASE("grants are bounded and one more is refused") {
        std::string most = "grants: [a";
        for (int i = 1; i < 1000; ++i) most += ",a";

        CHECK(read(most + "]").plugin->grants.size() == 1000);
        CHECK(complaint(most + ",a]").ends_with("1001 items are more than the 1000 allowed"));
    }

    // P57
    TEST_CASE("a consumer or a block given twice refuses the plugin") {
        const auto twice = read("consumers:\n  csat.sender: {}\n  csat.sender: {batch: 5}\n");
        const auto blocks = read("consumers: {}\nconsumers: {}\n");

        CHECK(lines(twice.problems) ==
              std::vector<std::string>{"E42 csat.yaml:6:3 csat: consumers: duplicate key "
                                       "'csat.sender', first given on line 5. Keep one"});
        CHECK(blocks.problems.front().message ==
              "duplicate key 'consumers', first given on line 4");
        CHECK(twice.plugin->refused);
        CHECK(blocks.plugin->refused);
        CHECK(complaint("consumers: [csat.sender, csat.sender]") ==
              "E46 csat.yaml:4:12 csat: consumers: expected a map from consumers' names to what "
              "changes, got a list");
    }

    // P58
    TEST_CASE("batch is from 1 to 1000") {
        const auto batch = [](const std::string& text) {
            return complaint("consumers: {c: {batch: " + text + "}}");
        };
        CHECK(read("consumers: {c: {batch: 1}}").problems.empty());
        CHECK(batch("0").ends_with("consumers.c.batch: 0 is outside 1..1000"));
        CHECK(batch("1001").ends_with("consumers.c.batch: 1001 is outside 1..1000"));
        CHECK(batch("-1").ends_with("-1 is outside 1..1000"));
        CHECK(batch("3000000000").ends_with("3000000000 is outside 1..1000"));
        CHECK(batch("0300").find("'0300' begins with a zero") != std::string::npos);
        CHECK(batch(".inf").ends_with("expected an integer, got '.inf'"));
    }

    // P58
    TEST_CASE("poll is above 0 and has a unit") {
        CHECK(complaint("consumers: {c: {poll: 0s}}").ends_with("poll: 0s is outside 1ms..1h"));
        CHECK(complaint("consumers: {c: {poll: 5}}")
                  .ends_with("a duration needs a unit (ms, s, m, h), got '5'"));
    }

    // P58
    TEST_CASE("enabled is true or false") {
        for (const char* text : {"off", "\"no\"", "1", "yes"}) {
            CHECK(complaint(std::string{"enabled: "} + text)
                      .find("enabled: expected true or false, got ") != std::string::npos);
        }
    }

    // P58
    TEST_CASE("an id of nothing is missing and no is an id") {
        CHECK(
            file_complaint("kind: plugin\nversion: 1\nid:\n").starts_with("E45 a.yaml:3:1: id: "));
        CHECK(file_complaint("kind: plugin\nversion: 1\nid: ~\n").starts_with("E45 a.yaml:3:1"));
        CHECK(file_complaint("kind: plugin\nversion: 1\nid: ''\n").starts_with("E46 a.yaml:3:5"));
        CHECK(file_complaint("kind: plugin\nversion: 1\n") ==
              "E45 a.yaml:1:1: missing required key 'id' (of the plugin)");

        Problems problems;
        CHECK(parse_plugin_file(minimal("no"), "a.yaml", problems)->id == "no");
        CHECK(problems.empty());
    }

    // P58
    TEST_CASE("a merge key is refused with the plugin named") {
        CHECK(complaint("settings:\n  <<: {a: 1}\n") ==
              "E41 csat.yaml:5:3 csat: settings: merge keys ('<<') are not supported. Write the "
              "keys out");
    }

    TEST_CASE("an id is lower case with a letter first") {
        CHECK(is_plugin_id("a_1"));
        CHECK(is_plugin_id(std::string(64, 'a')));
        for (const char* id : {"", "A", "1a", "_a", "a-b", "a.b", "../a", "core", "é"}) {
            CHECK_FALSE(is_plugin_id(id));
        }
        CHECK_FALSE(is_plugin_id(std::string(65, 'a')));
    }

    TEST_CASE("a library is a name without a folder") {
        for (const char* name : {"../csat.so", "/tmp/csat.so", "a\\b.so", "..", ".hidden.so"}) {
            CHECK(complaint("library: " + std::string{name})
                      .find("is not the name of a file in plugins_dir") != std::string::npos);
        }
    }

    TEST_CASE("a digest is 64 lower case digits") {
        CHECK(complaint("sha256: " + std::string(63, 'a')).find("sha256: expected 64") !=
              std::string::npos);
        CHECK(complaint("sha256: " + std::string(64, 'A')).starts_with("E46"));
        CHECK(complaint("sha256: " + std::string(64, 'g')).starts_with("E46"));
    }

    TEST_CASE("a version range that cannot be read is placed") {
        CHECK(complaint("plugin_version: '>=1.4 <two'") ==
              "E46 csat.yaml:4:17 csat: plugin_version: expected versions such as '>=1.4 <2', "
              "cannot read '<two'");
    }

    TEST_CASE("another version of the format is refused") {
        CHECK(file_complaint("kind: plugin\nversion: 2\nid: a\n") ==
              "E47 a.yaml:2:10 a: version: 2 is outside 1..1");
        CHECK(file_complaint("kind: plugin\nid: a\n") ==
              "E45 a.yaml:1:1 a: missing required key 'version' (of this format: 1)");
    }

    TEST_CASE("a host manifest is no plugin") {
        CHECK(file_complaint("kind: host\nversion: 1\n") ==
              "E48 a.yaml:1:1: kind is host where a plugin is expected");
    }

    TEST_CASE("settings are a map or nothing") {
        CHECK(read("settings:\n").problems.empty());
        CHECK(complaint("settings: 5") ==
              "E46 csat.yaml:4:11 csat: settings: expected a map of settings, got '5'");
    }
}

TEST_SUITE("manifests directory") {
    TEST_CASE("files are read in the order of their names") {
        const Folder folder;
        folder.write("b.yaml", minimal("beta"));
        folder.write("a.yaml", minimal("alpha"));
        folder.write("host.yaml", "kind: host\nversion: 1\nlog: {level: warn}\n");
        folder.write("notes.txt", "not: [yaml");

        const auto manifests = load_manifests(folder.path());

        REQUIRE(lines(manifests.problems) == std::vector<std::string>{});
        REQUIRE(manifests.plugins.size() == 2);
        CHECK(manifests.plugins[0].id == "alpha");
        CHECK(manifests.plugins[1].id == "beta");
        CHECK(manifests.host->root.find("log") != nullptr);
    }

    TEST_CASE("a file without kind or with another is refused") {
        const Folder folder;
        folder.write("a.yaml", "id: a\nversion: 1\n");
        folder.write("b.yaml", "kind: plugni\nversion: 1\nid: b\n");
        folder.write("c.yaml", "");

        const auto manifests = load_manifests(folder.path());

        CHECK(manifests.plugins.empty());
        CHECK(lines(manifests.problems) ==
              std::vector<std::string>{
                  "E45 " + folder.path("a.yaml") +
                      ":1:1: missing required key 'kind' (host or plugin)",
                  "E48 " + folder.path("b.yaml") +
                      ":1:7: kind: 'plugni' is not one of: host, plugin. Did you mean 'plugin'?",
                  "E46 " + folder.path("c.yaml") +
                      ":1:1: expected a map of keys and values, got nothing"});
    }

    TEST_CASE("two files for one id name each other and neither boots") {
        const Folder folder;
        folder.write("a.yaml", minimal("csat"));
        folder.write("b.yaml", minimal("csat"));

        const auto manifests = load_manifests(folder.path());

        CHECK(lines(manifests.problems) ==
              std::vector<std::string>{"E42 " + folder.path("b.yaml") +
                                       " csat: id 'csat' is also in " + folder.path("a.yaml") +
                                       ". Remove one of the files"});
        REQUIRE(manifests.plugins.size() == 1);
        CHECK(manifests.plugins[0].refused);
    }

    TEST_CASE("two host files name each other") {
        const Folder folder;
        folder.write("a.yaml", "kind: host\nversion: 1\n");
        folder.write("b.yaml", "kind: host\nversion: 1\n");

        CHECK(lines(load_manifests(folder.path()).problems) ==
              std::vector<std::string>{"E42 " + folder.path("b.yaml") + ": kind: host is also in " +
                                       folder.path("a.yaml") + ". Remove one of the files"});
    }

    TEST_CASE("one broken file hides no other") {
        const Folder folder;
        folder.write("a.yaml", "kind: [");
        folder.write("b.yaml", minimal("beta"));
        folder.write("c.yaml", minimal("gamma") + "enabled: off\n");

        const auto manifests = load_manifests(folder.path());

        REQUIRE(manifests.problems.size() == 2);
        CHECK(manifests.problems[0].code == "E40");
        CHECK(manifests.problems[1].plugin == "gamma");
        REQUIRE(manifests.plugins.size() == 2);
        CHECK_FALSE(manifests.plugins[0].refused);
        CHECK(manifests.plugins[1].refused);
    }

    TEST_CASE("a file that ends in yml is pointed out") {
        const Folder folder;
        folder.write("csat.yml", minimal("csat"));

        const auto manifests = load_manifests(folder.path());

        CHECK_FALSE(has_errors(manifests.problems));
        CHECK(lines(manifests.problems) ==
              std::vector<std::string>{"W40 " + folder.path("csat.yml") +
                                       ": not read. Name it .yaml if it is a manifest"});
    }

    TEST_CASE("a directory that is not there is one clear problem") {
        const auto manifests = load_manifests("no/such/folder");

        CHECK(lines(manifests.problems) ==
              std::vector<std::string>{
                  "E40 no/such/folder: manifests directory cannot be read (No such file or "
                  "directory). Create it, or set RADD_MANIFESTS_DIR or --manifests-dir"});
    }

    TEST_CASE("the manifests that ship are without fault") {
        const auto manifests = load_manifests(RADD_SOURCE_DIR "/manifests");

        CHECK(lines(manifests.problems) == std::vector<std::string>{});
        CHECK(manifests.plugins.size() >= 4);
        REQUIRE(manifests.host.has_value());
        CHECK(lines(resolve_host_settings(&manifests.host->root, manifests.host->file, {}, {})
                        .problems) == std::vector<std::string>{});
    }
}
