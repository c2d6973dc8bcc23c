#include <chrono>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <host/config/plugin_settings.hpp>
#include <host/config/secret.hpp>
#include <tests/unit/config_files.hpp>

using namespace std::chrono_literals;
using namespace radd::config;
using radd::testing::Folder;
using radd::testing::lines;

namespace {

std::vector<radd::SettingSpec> specs() {
    return {radd::duration("poll", 2s, {1s, 1h}),
            radd::integer("batch", 50, {1, 1000}),
            radd::boolean("quiet", false),
            radd::text("greeting", "hello"),
            radd::choice("channel", "email", {"email", "chat"}),
            radd::secret("token")};
}

CheckedSettings check(const std::vector<radd::SettingSpec>& declared,
                      const std::string& yaml,
                      const Environment& environment = {},
                      const std::string& file = "csat.yaml") {
    Problems problems;
    const auto root = parse_yaml(yaml, file, problems);
    auto checked = check_settings(declared, root.value(), file, "csat", lookup_in(environment));
    // As the loader prints them: what the file says first, and then what it means.
    for (auto& problem : problems) problem.plugin = "csat";
    checked.problems.insert(checked.problems.begin(), problems.begin(), problems.end());
    return checked;
}

/// The only complaint.
std::string complaint(const std::vector<radd::SettingSpec>& declared,
                      const std::string& yaml,
                      const Environment& environment = {},
                      const std::string& file = "csat.yaml") {
    const auto checked = check(declared, yaml, environment, file);
    const auto found = lines(checked.problems);
    REQUIRE_MESSAGE(found.size() == 1, found.size() << " problems in " << yaml);
    CHECK(checked.settings == nullptr);
    return found.front();
}

}  // namespace

TEST_SUITE("plugin settings") {
    TEST_CASE("without a manifest the defaults hold") {
        const auto checked = check(specs(), "");

        REQUIRE(checked.problems.empty());
        CHECK(checked.settings->duration("poll") == 2s);
        CHECK(checked.settings->integer("batch") == 50);
        CHECK_FALSE(checked.settings->boolean("quiet"));
        CHECK(checked.settings->text("greeting") == "hello");
        CHECK(checked.settings->text("channel") == "email");
        CHECK(checked.settings->text("token").empty());
    }

    TEST_CASE("what the manifest gives wins over the defaults") {
        const auto checked = check(specs(),
                                   "poll: 5s\nbatch: 7\nquiet: true\ngreeting: no\nchannel: chat\n"
                                   "token: {env: TOKEN}\n",
                                   {{"TOKEN", "s3cret"}});

        REQUIRE(lines(checked.problems) == std::vector<std::string>{});
        CHECK(checked.settings->duration("poll") == 5s);
        CHECK(checked.settings->integer("batch") == 7);
        CHECK(checked.settings->boolean("quiet"));
        CHECK(checked.settings->text("greeting") == "no");
        CHECK(checked.settings->text("channel") == "chat");
        CHECK(checked.settings->text("token") == "s3cret");
    }

    TEST_CASE("ten errors are ten lines at once") {
        const std::vector<radd::SettingSpec> declared{
            radd::duration("poll_interval", 5s),
            radd::integer("max_batch", 10, {1, 1000}),
            radd::boolean("enabled", true),
            radd::choice("channel", "email", {"email", "chat"}),
            radd::integer("retries", 3, {0, 10}),
            radd::secret("token"),
            radd::required_text("from_address", "sender of survey mail")};
        const auto checked = check(declared,
                                   "poll_interval: 5\n"
                                   "max_batch: \"100\"\n"
                                   "enabled: yes\n"
                                   "chanel: email\n"
                                   "channel: emial\n"
                                   "max_batch: 7\n"
                                   "retries: -3\n"
                                   "<<: {a: 1}\n"
                                   "token: s3cret\n");

        CHECK(checked.settings == nullptr);
        const std::vector<std::string> expected{
            "E42 csat.yaml:6:1 csat: duplicate key 'max_batch', first given on line 2. Keep one",
            "E41 csat.yaml:8:1 csat: merge keys ('<<') are not supported. Write the keys out",
            "E46 csat.yaml:1:16 csat: settings.poll_interval: a duration needs a unit (ms, s, m, "
            "h), got '5'",
            "E46 csat.yaml:2:12 csat: settings.max_batch: expected an integer, got the text "
            "\"100\". Remove the quotes",
            "E46 csat.yaml:3:10 csat: settings.enabled: expected true or false, got 'yes'",
            "E48 csat.yaml:5:10 csat: settings.channel: 'emial' is not one of: email, chat. Did "
            "you mean 'email'?",
            "E47 csat.yaml:7:10 csat: settings.retries: -3 is outside 0..10",
            "E46 csat.yaml:9:8 csat: settings.token: a secret is given by reference only. Write "
            "{env: NAME} or {file: path}",
            "E45 csat.yaml:1:1 csat: settings: missing required key 'from_address' (sender of "
            "survey mail)",
            "E43 csat.yaml:4:1 csat: settings: unknown key 'chanel'. Did you mean 'channel'?"};
        CHECK(lines(checked.problems) == expected);
    }

    // P57
    TEST_CASE("a misspelt setting names the nearest") {
        CHECK(complaint({radd::duration("poll_seconds", 2s)}, "poll_secnds: 5s") ==
              "E43 csat.yaml:1:1 csat: settings: unknown key 'poll_secnds'. Did you mean "
              "'poll_seconds'?");
        CHECK(complaint({}, "anything: 1") ==
              "E43 csat.yaml:1:1 csat: settings: unknown key 'anything'");
    }

    // P58
    TEST_CASE("a setting without a value is missing even if it has a default") {
        for (const char* yaml : {"greeting:", "greeting: ~"}) {
            CHECK(complaint(specs(), yaml) ==
                  "E45 csat.yaml:1:1 csat: settings.greeting: has no value. Give one or remove the "
                  "line");
        }
        CHECK(check(specs(), "greeting: ''").settings->text("greeting").empty());
    }

    TEST_CASE("settings are a map") {
        CHECK(complaint({}, "[1]") ==
              "E46 csat.yaml:1:1 csat: settings: expected a map of keys and values, got a list");
    }

    TEST_CASE("a mistake of the plugin's author is told as one") {
        auto bad_default = radd::integer("batch", 0, {1, 1000});

        CHECK(complaint({bad_default}, "") ==
              "E47 csat: settings.batch (the plugin's own default): 0 is outside 1..1000");
        CHECK(complaint({radd::text("a", ""), radd::text("a", "")}, "") ==
              "E42 csat: setting 'a' is declared twice by the plugin");
        CHECK(complaint({radd::choice("c", "x", {"a", "b"})}, "").starts_with("E48 csat: "));
    }

    TEST_CASE("asking for what was not declared or by another type throws") {
        const auto checked = check(specs(), "");

        CHECK_THROWS_WITH_AS((void)checked.settings->integer("btach"),
                             "plugin csat: setting 'btach' is not declared; add it to `settings` "
                             "of the plugin's manifest",
                             radd::ConfigError);
        CHECK_THROWS_WITH_AS((void)checked.settings->text("batch"),
                             "plugin csat: setting 'batch' is not a text, a choice or a secret; "
                             "ask for it by the type it is declared with",
                             radd::ConfigError);
        CHECK_THROWS_AS((void)checked.settings->integer("poll"), radd::ConfigError);
        CHECK_THROWS_AS((void)checked.settings->boolean("greeting"), radd::ConfigError);
        CHECK_THROWS_AS((void)checked.settings->duration("batch"), radd::ConfigError);
    }
}

TEST_SUITE("secret") {
    TEST_CASE("a file is read beside the manifest without its last line end") {
        const Folder folder;
        const auto manifest = folder.path("csat.yaml");
        folder.write("unix", "s3cret\n");
        folder.write("windows", "s3cret\r\n");
        folder.write("bare", "s3cret");
        folder.write("two_lines", "a\n\n");

        const auto token = [&](const std::string& name) {
            return check(specs(), "token: {file: " + name + "}", {}, manifest)
                .settings->text("token");
        };
        CHECK(token("unix") == "s3cret");
        CHECK(token("windows") == "s3cret");
        CHECK(token("bare") == "s3cret");
        CHECK(token("two_lines") == "a\n");
        CHECK(token(folder.path("unix")) == "s3cret");
    }

    TEST_CASE("a file that cannot be used is named with its reason") {
        const Folder folder;
        const auto manifest = folder.path("csat.yaml");
        folder.write("empty", "\n");
        folder.write("nul", std::string("a\0b", 3));
        folder.write("limit", std::string(secret_bytes_max, 'x'));
        folder.write("large", std::string(secret_bytes_max + 1, 'x'));

        const auto told = [&](const std::string& name) {
            return complaint(specs(), "token: {file: " + name + "}", {}, manifest);
        };
        CHECK(told("nowhere") == "E45 " + manifest +
                                     ":1:15 csat: settings.token: secret file 'nowhere' does not "
                                     "exist or is no file");
        CHECK(told(".").ends_with("does not exist or is no file"));
        CHECK(told("empty").ends_with("secret file 'empty' is empty"));
        CHECK(told("nul").ends_with("secret file 'nul' contains a NUL byte"));
        CHECK(told("large").ends_with("secret file 'large' is larger than 65536 bytes"));
        CHECK(check(specs(), "token: {file: limit}", {}, manifest).settings->text("token").size() ==
              secret_bytes_max);
    }

    TEST_CASE("a variable that is not set or empty is named") {
        CHECK(complaint(specs(), "token: {env: TOKEN}") ==
              "E45 csat.yaml:1:14 csat: settings.token: environment variable 'TOKEN' is not set. "
              "Set it where the host is started");
        CHECK(complaint(specs(), "token: {env: TOKEN}", {{"TOKEN", ""}}).find("'TOKEN' is empty") !=
              std::string::npos);
    }

    TEST_CASE("any other form is refused and not repeated") {
        for (const char* value : {"s3cret",
                                  "\"s3cret\"",
                                  "[s3cret]",
                                  "{evn: s3cret}",
                                  "{env: s3cret, file: x}",
                                  "{}",
                                  "~"}) {
            const auto text = complaint(specs(), "token: " + std::string{value});
            CHECK(text.find("settings.token: a secret is given by reference only") !=
                  std::string::npos);
            CHECK(text.find("s3cret") == std::string::npos);
        }
    }
}
