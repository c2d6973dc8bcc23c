// --json: data on standard output and nothing else, a failure as an object on standard error.

#include <memory>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;
using nlohmann::json;

namespace {

using Words = std::vector<std::string>;

struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} {
        ship();
        install_chores();
        must({"migrate"});
        must({"events", "emit", "chores.asked", "chore", "1"});
        execute(
            "INSERT INTO radd.consumers (name, plugin) VALUES ('chores.doer', 'chores');"
            "INSERT INTO radd.skipped_events (consumer, event_id, event, phase, error, plugin,"
            " plugin_version) SELECT 'chores.doer', id, to_jsonb(e), 'plan', 'broken', 'chores', "
            "'1'"
            " FROM radd.events e WHERE id = 1");
    }
};

json error_of(const Ran& ran) {
    const auto lines = lines_of(ran.err);
    REQUIRE_FALSE(lines.empty());
    auto object = json::parse(lines.back(), nullptr, false);
    REQUIRE_MESSAGE(object.is_object(), ran.err);
    CHECK(ran.out.empty());
    CHECK(object.at("exit_code") == ran.code);
    CHECK_FALSE(object.at("error").get<std::string>().empty());
    return object;
}

/// Of the kernel, as `radd --help` lists them: "check", "events show".
std::set<std::string> commands(const std::string& page) {
    const auto lines = lines_of(page.substr(page.find("\nCOMMANDS\n") + 1));
    std::set<std::string> found;
    for (std::size_t at = 1; at < lines.size() && !lines[at].empty(); ++at) {
        if (lines[at].find_first_not_of(' ') == 4) found.insert(lines[at].substr(4));
    }
    CHECK(found.size() > 35);
    return found;
}

/// That succeed, in an order in which each finds what it needs.
std::vector<Words> calls(const std::string& token) {
    return {
        {"check"},
        {"plugins"},
        {"config"},
        {"inspect", "plugins/csat.so"},
        {"inspect", "--live", "plugins/csat.so"},
        {"catalog"},
        {"catalog", "--format", "json"},
        {"catalog", "--format", "asyncapi"},
        {"why", "csat.sender"},
        {"why", "E31"},
        {"schema"},
        {"schema", "csat"},
        {"completion", "bash"},
        {"completion", "zsh"},
        {"new-plugin", "fresh"},
        {"migrate"},
        {"migrate", "--status"},
        {"migrate", "--dry-run"},
        {"migrate", "--roles-sql"},
        {"quarantine", "list"},
        {"events", "show", "1"},
        {"events", "query"},
        {"events", "tail", "--no-follow"},
        {"events", "emit", "chores.asked", "chore", "2"},
        {"consumers", "list"},
        {"consumers", "skipped", "chores.doer"},
        {"consumers", "pause", "chores.doer"},
        {"consumers", "pause", "chores.doer", "--for", "5m", "--reason", "lunch"},
        {"consumers", "resume", "chores.doer"},
        {"consumers", "seek", "chores.doer", "head"},
        {"consumers", "seek", "chores.doer", "head", "--yes"},
        {"consumers", "retry", "chores.doer", "--all"},
        {"consumers", "retire", "chores.doer"},
        {"consumers", "retire", "chores.doer", "--yes"},
        {"deliveries", "queues"},
        {"deliveries", "lanes", "chores.out"},
        {"deliveries", "list"},
        {"deliveries", "show", "1"},
        {"deliveries", "cancel", "--id", "1"},
        {"deliveries", "replay", "--dead"},
        {"account", "create", "--name", "eve"},
        {"account", "list"},
        {"account", "link", "eve"},
        {"account", "role", "eve", "member"},
        {"account", "disable", "eve"},
        {"account", "enable", "eve"},
        {"token", "create", "--name", "other"},
        {"token", "list"},
        {"token", "revoke", token},
        {"verify"},
        {"doctor"},
        {"--version"},
        {"item", "list"},
    };
}

}  // namespace

TEST_SUITE("--json") {
    TEST_CASE_FIXTURE(Scene, "makes every command print JSON") {
        execute(
            "INSERT INTO radd.deliveries (queue, lane, payload, state, next_attempt_at) VALUES "
            "('chores.out', 'a', '{}', 'pending', now() + interval '1 day')");
        const auto token = must({"token", "create", "--name", "ci", "--json"}).json();
        auto untried = commands(must({"--help"}).out);
        for (auto command : calls(token.at("id").get<std::string>())) {
            untried.erase(command[0]);
            if (command.size() > 1) untried.erase(command[0] + " " + command[1]);
            command.emplace_back("--json");
            const auto ran = run(command);
            CAPTURE(command[0] + (command.size() > 2 ? " " + command[1] : ""));
            CAPTURE(ran.err);
            CHECK(ran.code == 0);
            // Events come as one object a line; everything else as one document.
            if (json::accept(ran.out)) continue;
            CHECK_FALSE(ran.json_lines().empty());
        }

        // One has no data and one is tried with a build that is kept out. Whoever adds another
        // command adds a call of it above.
        CHECK(untried == std::set<std::string>{"quarantine clear", "serve"});
    }

    TEST_CASE_FIXTURE(Scene, "wraps what is no JSON by itself") {
        const auto completion = must({"completion", "zsh", "--json"}).json();
        CHECK(completion.at("shell") == "zsh");
        CHECK(completion.at("script") == must({"completion", "zsh"}).out);
        CHECK(must({"migrate", "--roles-sql", "--json"}).json() ==
              json{{"sql", must({"migrate", "--roles-sql"}).out}});
    }

    TEST_CASE_FIXTURE(Scene, "tells what was done") {
        const auto paused = must({"consumers", "pause", "chores.doer", "--for", "5m", "--json"});
        CHECK(paused.json() == json{{"name", "chores.doer"},
                                    {"state", "paused"},
                                    {"for", "5m"},
                                    {"pause_reason", ""}});
        CHECK(must({"consumers", "resume", "chores.doer", "--json"}).json() ==
              json{{"name", "chores.doer"}, {"state", "resumed"}, {"moved", nullptr}});
        CHECK(must({"consumers", "retire", "chores.doer", "--json"}).json().at("done") == false);
        CHECK(must({"consumers", "retire", "chores.doer", "--yes", "--json"}).json().at("done") ==
              true);
        CHECK(must({"migrate", "--json"}).json() == json::array());
        CHECK(must({"--version", "--json"}).json().at("name") == "radd");
    }

    TEST_CASE_FIXTURE(Scene, "makes a failure an object of its own") {
        CHECK(error_of(run({"events", "show", "99", "--json"})).at("reason") == "failed");
        CHECK(error_of(run({"consumers", "pause", "chores.dor", "--json"}))
                  .at("error")
                  .get<std::string>()
                  .find("did you mean 'chores.doer'?") != std::string::npos);
        CHECK(error_of(run({"consumers", "retry", "chores.doer", "--event", "7", "--json"}))
                  .at("exit_code") == 1);
        CHECK(error_of(run({"consumers", "puase", "--json"})).at("reason") == "usage");
        CHECK(error_of(run({"inspect", "--json"})).at("exit_code") == 2);
        CHECK(error_of(run({"chekc", "--json"})).at("error").get<std::string>().find("'check'") !=
              std::string::npos);

        const auto setting = error_of(run({"consumers", "list", "--log-level", "loud", "--json"}));
        CHECK(setting.at("reason") == "refused");
        CHECK(setting.at("problems")[0].at("code") == "E48");
        Installation::set("RADD_STARTUP_TIMEOUT", "200ms");
        Installation::set("RADD_DATABASE_URL", "postgresql://ada:geheim@127.0.0.1:1/desk");
        const auto away = run({"consumers", "list", "--json"});
        CHECK(error_of(away).at("reason") == "no_start");
        CHECK_FALSE(contains(away.err, "geheim"));
    }

    TEST_CASE_FIXTURE(Scene, "leaves failures in plain words to people") {
        const auto ran = run({"chekc"});
        CHECK(ran.code == 2);
        CHECK(ran.err ==
              "radd: unknown command 'chekc'. Did you mean 'check'? `radd --help` lists all\n");
        CHECK(contains(run({"itme", "list"}).err, "Did you mean 'item'?"));
        write("plugins/chores.so", "this is no library\n");
        CHECK(run({"chekc"}).code == 2);
        CHECK(run({"polish"}).code == 3);
    }

    TEST_CASE_FIXTURE(Scene, "catalogue lists what loaded plugins declare") {
        const auto table = must({"catalog"});
        CHECK(contains(table.out, "csat.requested"));
        CHECK(contains(table.out, "chores.asked"));
        const auto whole = must({"catalog", "--json"}).json();
        const auto& actions = whole.at("actions");
        const auto action_lines = actions.empty() ? 0 : actions.size() + 2;
        CHECK(whole.at("event_types").size() + 1 + action_lines == lines_of(table.out).size());
        CHECK(must({"catalog", "--format", "asyncapi"}).json().at("asyncapi") == "3.0.0");
        CHECK(run({"catalog", "--format", "xml"}).code == 2);

        write("plugins/chores.so", "this is no library\n");
        const auto broken = must({"catalog"});
        CHECK(contains(broken.err, "`radd check` tells why"));
        CHECK_FALSE(contains(broken.out, "chores.asked"));
    }
}
