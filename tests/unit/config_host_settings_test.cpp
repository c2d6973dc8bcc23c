#include <chrono>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <host/config/host_settings.hpp>
#include <tests/unit/config_files.hpp>

using namespace std::chrono_literals;
using namespace radd::config;
using radd::testing::Folder;
using radd::testing::lines;

namespace {

HostConfig resolve(const std::string& yaml,
                   const Environment& environment = {},
                   const CommandLine& command_line = {},
                   const std::string& file = "host.yaml") {
    Problems problems;
    const auto root = parse_yaml(yaml, file, problems);
    REQUIRE(lines(problems) == std::vector<std::string>{});
    return resolve_host_settings(&root.value(), file, environment, command_line);
}

/// The only complaint about host.yaml.
std::string complaint(const std::string& yaml) {
    const auto found = lines(resolve(yaml).problems);
    REQUIRE_MESSAGE(found.size() == 1, found.size() << " problems in " << yaml);
    return found.front();
}

std::string env_complaint(const std::string& name, const std::string& value) {
    const auto found = lines(resolve("", {{name, value}}).problems);
    REQUIRE_MESSAGE(found.size() == 1, found.size() << " problems with " << name);
    return found.front();
}

}  // namespace

TEST_SUITE("host settings") {
    TEST_CASE("without anything given the defaults hold") {
        const auto config = resolve_host_settings(nullptr, "", {}, {});

        CHECK(config.problems.empty());
        CHECK_FALSE(config.settings.database_url.has_value());
        CHECK(config.settings.database_pool_size == 16);
        CHECK(config.settings.data_dir == "./var");
        CHECK(config.settings.http_listen == Endpoint{"127.0.0.1", 8080});
        CHECK(config.settings.run_workers);
        CHECK(config.settings.log_level == radd::LogLevel::info);
        CHECK(config.settings.log_format == LogFormat::human);
        CHECK(config.settings.webhook_retry_schedule ==
              std::vector<std::chrono::seconds>{5s, 300s, 1800s, 7200s, 18000s, 36000s});
        CHECK(config.settings.consumers_lease == 10s);
        CHECK(config.settings.consumers_poll_busy == 1ms);
        CHECK(config.settings.consumers_poll_idle == 60ms);
        CHECK(config.settings.consumers_buffer_bytes == 32U * 1024 * 1024);
        CHECK(config.settings.shutdown_grace == 20s);
        CHECK(config.settings.startup_timeout == 10s);
        CHECK_FALSE(config.settings.safe_mode);
    }

    TEST_CASE("every default is one that the setting itself accepts") {
        for (const auto& spec : host_setting_specs()) {
            if (spec.default_text.empty()) continue;
            const auto config = resolve("", {{spec.env, spec.default_text}});
            CHECK(lines(config.problems) == std::vector<std::string>{});
            CHECK(config.origins.at(spec.name).kind == Origin::Kind::environment);
        }
    }

    TEST_CASE("a name has one environment variable and one flag") {
        std::set<std::string> spellings;
        for (const auto& spec : host_setting_specs()) {
            CHECK(spellings.insert(spec.env).second);
            CHECK(spellings.insert(spec.flag).second);
            CHECK_FALSE(spec.help.empty());
        }
        CHECK(spellings.contains("RADD_WEBHOOK_RETRY_SCHEDULE"));
        CHECK(spellings.contains("--webhook-retry-schedule"));
        CHECK(spellings.contains("RADD_RUN_WORKERS"));
    }

    TEST_CASE("the command line beats the environment which beats the file") {
        const std::string yaml = "kind: host\nversion: 1\nlog:\n  level: warn\n  format: json\n";
        const Environment environment{{"RADD_LOG_LEVEL", "error"}, {"RADD_DATA_DIR", "/a"}};

        const auto config = resolve(yaml, environment, {{"data_dir", "/b"}});

        CHECK(config.settings.log_format == LogFormat::json);
        CHECK(config.settings.log_level == radd::LogLevel::error);
        CHECK(config.settings.data_dir == "/b");
        CHECK(config.origins.at("log.format").text == "host.yaml:5");
        CHECK(config.origins.at("log.level").text == "environment RADD_LOG_LEVEL");
        CHECK(config.origins.at("data_dir").text == "command line --data-dir");
        CHECK(config.origins.at("http.listen").text == "default");
    }

    TEST_CASE("a setting is nested or dotted and not both") {
        CHECK(resolve("http.listen: localhost:1").settings.http_listen == Endpoint{"localhost", 1});
        CHECK(resolve("http: {listen: localhost:1}").settings.http_listen ==
              Endpoint{"localhost", 1});
        CHECK(complaint("http.listen: a:1\nhttp: {listen: a:1}") ==
              "E42 host.yaml:2:8: http.listen: given twice, nested and with dots");
    }

    TEST_CASE("an empty variable is not set and the last flag wins") {
        const auto config =
            resolve("", {{"RADD_RUN_WORKERS", ""}}, {{"--data-dir", "/a"}, {"--data-dir", "/b"}});

        CHECK(config.problems.empty());
        CHECK(config.settings.run_workers);
        CHECK(config.settings.data_dir == "/b");
    }

    TEST_CASE("workers are switched off by the environment") {
        CHECK_FALSE(resolve("", {{"RADD_RUN_WORKERS", "false"}}).settings.run_workers);
        CHECK(env_complaint("RADD_RUN_WORKERS", "no") ==
              "E46 RADD_RUN_WORKERS: expected true or false, got 'no'");
    }

    TEST_CASE("an error outside a file names the variable or flag and the range") {
        CHECK(env_complaint("RADD_DATABASE_POOL_SIZE", "3") ==
              "E47 RADD_DATABASE_POOL_SIZE: 3 is outside 4..200");
        CHECK(env_complaint("RADD_CONSUMERS_LEASE", "10") ==
              "E46 RADD_CONSUMERS_LEASE: a duration needs a unit (ms, s, m, h), got '10'");
        CHECK(lines(resolve("", {}, {{"consumers.lease", "11m"}}).problems) ==
              std::vector<std::string>{"E47 --consumers-lease: 11m is outside 1s..10m"});
        CHECK(lines(resolve("", {}, {{"log.level", ""}}).problems) ==
              std::vector<std::string>{"E45 --log-level: has no value"});
    }

    TEST_CASE("an unknown name gets the nearest of its kind") {
        CHECK(complaint("http:\n  lisen: a:1") ==
              "E43 host.yaml:2:3: http: unknown key 'lisen'. Did you mean 'listen'?");
        CHECK(complaint("htp: {}") == "E43 host.yaml:1:1: unknown key 'htp'. Did you mean 'http'?");
        CHECK(lines(resolve("", {}, {{"--data-dri", "x"}}).problems) ==
              std::vector<std::string>{
                  "E43 --data-dri: no setting has this flag. Did you mean '--data-dir'?"});
    }

    TEST_CASE("unknown keys are reported to their limit") {
        std::string keys;
        for (int i = 0; i < 500; ++i) keys += "key" + std::to_string(i) + ": 1\n";

        CHECK(resolve(keys).problems.size() == yaml_problems_max);
    }

    TEST_CASE("a variable that is nearly ours is a warning and others are not") {
        const auto config =
            resolve("", {{"RADD_HTTP_LISTN", "a:1"}, {"RADD_SMTP_PASSWORD", "x"}, {"HOME", "/"}});

        CHECK_FALSE(has_errors(config.problems));
        CHECK(lines(config.problems) ==
              std::vector<std::string>{"W43 RADD_HTTP_LISTN: no setting has this variable. Did you "
                                       "mean 'RADD_HTTP_LISTEN'?"});
    }

    TEST_CASE("a wrong value is reported where another overrides it") {
        const auto config =
            resolve("run_workers: off", {{"RADD_RUN_WORKERS", "false"}}, {{"run_workers", "true"}});

        CHECK(lines(config.problems) ==
              std::vector<std::string>{
                  "E46 host.yaml:1:14: run_workers: expected true or false, got 'off'"});
    }

    TEST_CASE("a quoted number or boolean is refused in the file") {
        CHECK(complaint("database: {pool_size: \"16\"}") ==
              "E46 host.yaml:1:23: database.pool_size: expected an integer, got the text \"16\". "
              "Remove the quotes");
        CHECK(complaint("safe_mode: \"true\"").starts_with("E46 host.yaml:1:12: safe_mode: "));
    }

    TEST_CASE("the folder of this file cannot be set in it") {
        CHECK(complaint("manifests_dir: x").starts_with("E41 host.yaml:1:1: manifests_dir: "));
        CHECK(find_manifests_dir({{"RADD_MANIFESTS_DIR", "/a"}}, {}) == "/a");
        CHECK(find_manifests_dir({{"RADD_MANIFESTS_DIR", "/a"}}, {{"--manifests-dir", "/b"}}) ==
              "/b");
    }

    TEST_CASE("polling may not be slower when busy") {
        CHECK(complaint("consumers: {poll_busy: 1s}") ==
              "E47 consumers.poll_busy: 1s (host.yaml:1) is above consumers.poll_idle, 60ms "
              "(default)");
    }

    TEST_CASE("a group without a map and a file without one are refused") {
        CHECK(complaint("http: 5") ==
              "E46 host.yaml:1:7: http: expected a map of settings, got '5'");
        CHECK(complaint("[1]") == "E46 host.yaml:1:1: expected a map of settings, got a list");
    }
}

TEST_SUITE("retry schedule") {
    // P58
    TEST_CASE("a list of integers from 0 up is taken and an empty one means no retries") {
        CHECK(resolve("webhook: {retry_schedule: [5, 0]}").settings.webhook_retry_schedule ==
              std::vector<std::chrono::seconds>{5s, 0s});
        CHECK(resolve("webhook: {retry_schedule: []}").settings.webhook_retry_schedule.empty());
    }

    // P58
    TEST_CASE("anything else is refused at its place") {
        CHECK(complaint("webhook: {retry_schedule: [5, 300, x]}") ==
              "E46 host.yaml:1:36: webhook.retry_schedule[2]: expected an integer, got 'x'");
        CHECK(complaint("webhook: {retry_schedule: [-5]}") ==
              "E47 host.yaml:1:28: webhook.retry_schedule[0]: -5 is outside 0..2592000");
        CHECK(complaint("webhook: {retry_schedule: 5}") ==
              "E46 host.yaml:1:27: webhook.retry_schedule: expected a list of integers, got '5'. "
              "Write [5, 300], or [] for no retries");
        CHECK(complaint("webhook:\n  retry_schedule:\n").starts_with("E46 host.yaml:2:3: "));
    }

    TEST_CASE("the environment has it with commas and brackets for none") {
        const auto schedule = [](const std::string& text) {
            const auto config = resolve("", {{"RADD_WEBHOOK_RETRY_SCHEDULE", text}});
            REQUIRE(config.problems.empty());
            return config.settings.webhook_retry_schedule;
        };
        CHECK(schedule("5,300") == std::vector<std::chrono::seconds>{5s, 300s});
        CHECK(schedule(" [ 5 , 300 ] ") == std::vector<std::chrono::seconds>{5s, 300s});
        CHECK(schedule("[]").empty());
        for (const char* text : {"5,", ",5", "5,,6", "5 6", "5;6", "[5", "-5"}) {
            CHECK(env_complaint("RADD_WEBHOOK_RETRY_SCHEDULE", text).starts_with("E4"));
        }
    }

    TEST_CASE("it is bounded and one more is refused") {
        std::string most = "0";
        for (int i = 1; i < 50; ++i) most += ",0";

        CHECK(resolve("", {{"RADD_WEBHOOK_RETRY_SCHEDULE", most}})
                  .settings.webhook_retry_schedule.size() == 50);
        CHECK(env_complaint("RADD_WEBHOOK_RETRY_SCHEDULE", most + ",0") ==
              "E47 RADD_WEBHOOK_RETRY_SCHEDULE: 51 waits are more than the 50 allowed");
        CHECK(complaint("webhook: {retry_schedule: [" + most + ",0]}")
                  .ends_with("51 waits are more than the 50 allowed"));
    }
}

TEST_SUITE("listen address") {
    TEST_CASE("a host and a port are needed") {
        const auto listen = [](const std::string& text) {
            return resolve("", {{"RADD_HTTP_LISTEN", text}}).settings.http_listen;
        };
        CHECK(listen("0.0.0.0:0") == Endpoint{"0.0.0.0", 0});
        CHECK(listen("[::1]:65535") == Endpoint{"::1", 65535});
        for (const char* text :
             {"8080", ":8080", "::1:8080", "a:", "a:x", "a:65536", "a:-1", "a/b:1", "[]:1"}) {
            CHECK(env_complaint("RADD_HTTP_LISTEN", text).starts_with("E4"));
        }
    }
}

TEST_SUITE("trusted proxies") {
    using Proxies = std::vector<std::string>;

    TEST_CASE("addresses and ranges come as a list or with commas between them") {
        CHECK(resolve("").settings.http_trusted_proxies.empty());
        CHECK(resolve("http: {trusted_proxies: [127.0.0.1, 'fd00::/8']}")
                  .settings.http_trusted_proxies == Proxies{"127.0.0.1", "fd00::/8"});
        CHECK(resolve("", {{"RADD_HTTP_TRUSTED_PROXIES", "10.0.0.0/8, ::1"}})
                  .settings.http_trusted_proxies == Proxies{"10.0.0.0/8", "::1"});
        CHECK(resolve("", {{"RADD_HTTP_TRUSTED_PROXIES", "[]"}})
                  .settings.http_trusted_proxies.empty());
    }

    TEST_CASE("what is no range is refused") {
        for (const char* text : {"proxy.example", "10.0.0.1/8", "10.0.0.0/33", "a,", ","}) {
            CAPTURE(text);
            CHECK(env_complaint("RADD_HTTP_TRUSTED_PROXIES", text).starts_with("E46"));
        }
        CHECK(complaint("http: {trusted_proxies: [10.0.0.1/8]}").find("got '10.0.0.1/8'") !=
              std::string::npos);
        CHECK(complaint("http: {trusted_proxies: 127.0.0.1}").starts_with("E46"));
    }

    TEST_CASE("a hundred are taken and one more is not") {
        std::string most = "::1";
        for (int i = 1; i < 100; ++i) most += ",::1";

        CHECK(resolve("", {{"RADD_HTTP_TRUSTED_PROXIES", most}})
                  .settings.http_trusted_proxies.size() == 100);
        CHECK(env_complaint("RADD_HTTP_TRUSTED_PROXIES", most + ",::1").starts_with("E47"));
    }
}

TEST_SUITE("database url") {
    TEST_CASE("it comes from a variable or a file without being in the manifest") {
        const Folder folder;
        const auto file = folder.write("host.yaml", "");
        folder.write("url", "postgresql://db/a\n");

        CHECK(resolve("database: {url: {env: DB}}", {{"DB", "postgresql://db/b"}})
                  .settings.database_url == "postgresql://db/b");
        CHECK(resolve("database: {url: {file: url}}", {}, {}, file).settings.database_url ==
              "postgresql://db/a");
        CHECK(complaint("database: {url: {env: DB}}") ==
              "E45 host.yaml:1:23: database.url: environment variable 'DB' is not set. Set it "
              "where the host is started");
    }

    TEST_CASE("a password in the manifest is a warning that does not repeat it") {
        const auto config = resolve("database: {url: 'postgresql://u:s3cret@db/a'}");

        CHECK(config.settings.database_url == "postgresql://u:s3cret@db/a");
        CHECK_FALSE(has_errors(config.problems));
        CHECK(
            lines(config.problems) ==
            std::vector<std::string>{"W49 host.yaml:1:17: database.url: holds a password in plain "
                                     "text. Write {env: NAME} or {file: path}"});
        CHECK(resolve("database: {url: 'postgresql://u@db/a'}").problems.empty());
    }

    TEST_CASE("what is no URL is refused without repeating it") {
        const auto text = env_complaint("RADD_DATABASE_URL", "s3cret");

        CHECK(text.starts_with("E46 RADD_DATABASE_URL: expected postgresql://"));
        CHECK(text.find("s3cret") == std::string::npos);
    }

    TEST_CASE("a password is never printed") {
        const auto check_masked = [](const std::string& url, const std::string& masked) {
            CHECK(without_password(url) == masked);
        };
        check_masked("postgresql://u:s3cret@db:5432/a", "postgresql://u:***@db:5432/a");
        check_masked("postgres://u:s3@cr/et@db/a", "postgres://u:***@db/a");
        check_masked("postgresql://u@db:5432/a", "postgresql://u@db:5432/a");
        check_masked("postgresql://db:5432/a", "postgresql://db:5432/a");
        check_masked("postgresql://db/a?password=s3cret&x=1", "postgresql://db/a?password=***&x=1");
        check_masked("postgresql://db/a?sslpassword=s3cret", "postgresql://db/a?sslpassword=***");
        check_masked("host=db password=s3cret user=u", "host=db password=*** user=u");
        check_masked("password = 's3 \\' cret' host=db", "password = *** host=db");
        check_masked("password='s3cret", "password=***");
        check_masked("host=db dbname=password", "host=db dbname=password");
    }
}

TEST_SUITE("printed settings") {
    TEST_CASE("the table shows each value and its origin") {
        const auto config =
            resolve("log: {level: debug}", {{"RADD_DATABASE_URL", "postgresql://u:s3cret@db/a"}});
        const auto table = to_table(config);

        CHECK(table.find("s3cret") == std::string::npos);
        CHECK(table.find("postgresql://u:***@db/a") != std::string::npos);
        CHECK(table.find("log.level") != std::string::npos);
        CHECK(table.find("host.yaml:1\n") != std::string::npos);
        CHECK(shown_value(config.settings, "webhook.retry_schedule") ==
              "5,300,1800,7200,18000,36000");
        CHECK(shown_value(config.settings, "http.listen") == "127.0.0.1:8080");
        CHECK(shown_value(config.settings, "public_url").empty());
        CHECK(shown_value(config.settings, "nothing.such").empty());
    }

    TEST_CASE("JSON has values in their types and no password") {
        const auto config = resolve(
            "",
            {{"RADD_DATABASE_URL", "host=db password=s3cret"}, {"RADD_HTTP_LISTEN", "[::1]:0"}});
        const auto array = nlohmann::json::parse(to_json(config));

        CHECK(array.size() == host_setting_specs().size());
        nlohmann::json values;
        for (const auto& setting : array) values[setting["name"]] = setting["value"];
        CHECK(values["database.url"] == "host=db password=***");
        CHECK(values["database.pool_size"] == 16);
        CHECK(values["run_workers"] == true);
        CHECK(values["http.listen"] == "[::1]:0");
        CHECK(values["log.level"] == "info");
        CHECK(values["public_url"].is_null());
        CHECK(values["consumers.lease"] == "10s");
        CHECK(values["webhook.retry_schedule"][0] == 5);
        CHECK(values["http.trusted_proxies"] == nlohmann::json::array());
    }

    TEST_CASE("what is printed for a value is read back as the same value") {
        const auto config = resolve(
            "http.listen: '[::1]:0'\nwebhook.retry_schedule: []\n"
            "http.trusted_proxies: [10.0.0.0/8, '::1']");
        for (const auto& spec : host_setting_specs()) {
            const auto text = shown_value(config.settings, spec.name);
            if (text.empty()) continue;
            const auto again = resolve("", {{spec.env, text}});
            CHECK(again.problems.empty());
            CHECK(shown_value(again.settings, spec.name) == text);
        }
    }
}
