// What a person sees on a terminal, and what a script sees instead.

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <host/cli/table.hpp>
#include <tests/support/radd_process.hpp>

using namespace radd::testing;
using radd::cli::width_of;

namespace {

constexpr const char* rows = R"sql(
    INSERT INTO radd.consumers (name, plugin, cursor, owner, lease_until, updated_at) VALUES
        ('csat.sender', 'csat', 0, 'desk-1:4711:0a1b2c', 'infinity', now()),
        ('a_plugin_with_a_long_name.and_a_consumer_that_has_a_longer_one', 'p',
         9223372036854775807, 'a-host-name.in.a.long.domain.example.com:4194304:0a1b2c',
         'infinity', now() - interval '400 days'),
        ('b.behind', 'b', 0, null, '-infinity', now() - interval '3 hours'),
        ('c.tomorrow', 'c', 0, 'desk-1:4711:0a1b2c', 'infinity', now() + interval '1 day');
    INSERT INTO radd.consumers (name, plugin, kind) VALUES ('d.task', 'd', 'task');
    INSERT INTO radd.events (event_type, entity_type, entity_id)
        SELECT 'a.b', 'a', '1' FROM generate_series(1, 10002);
    INSERT INTO radd.skipped_events (consumer, event_id, event, phase, error, plugin,
                                     plugin_version, attempts, retry_requested_at)
        VALUES ('b.behind', 7, '{"event_type": "a.b", "n": 9007199254740993}', 'plan',
                repeat('the broom is broken ', 20), 'b', '1.0.0', 12, NULL),
               ('b.behind', 8, '{"event_type": "a.b"}', 'deliver', E'\x1b[31mred', 'b', '1.0.0',
                1, now()))sql";

struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} {
        must({"migrate"});
        execute(rows);
    }

    [[nodiscard]] std::size_t widest_line(const std::vector<std::string>& command) const {
        const auto ran = must(command);
        std::size_t widest = 0;
        for (const auto& line : lines_of(ran.out)) widest = std::max(widest, width_of(line));
        CAPTURE(ran.out);
        return widest;
    }
};

/// `radd consumers list` on a terminal that script(1) makes.
std::string on_terminal(const TestDatabase& database, const std::string& environment) {
    Process terminal{{"/usr/bin/script",
                      "-qec",
                      "stty cols 80; " + environment + " \"$RADD\" consumers list",
                      "/dev/null"},
                     {{"RADD", RADD_BINARY_DIR "/bin/radd"},
                      {"RADD_DATABASE_URL", database.url()},
                      {"RADD_PLUGINS_DIR", "/nowhere"},
                      {"RADD_MANIFESTS_DIR", "/nowhere"},
                      {"TERM", "xterm"}}};
    REQUIRE(terminal.wait() == 0);
    return terminal.output();
}

}  // namespace

TEST_SUITE("radd on a terminal") {
    TEST_CASE_FIXTURE(Scene, "consumers list uses 80 columns and not one more") {
        Installation::set("COLUMNS", "80");
        const auto list = must({"consumers", "list"});
        CAPTURE(list.out);
        CHECK(widest_line({"consumers", "list"}) <= 80);
        CHECK(contains(list.out, "csat.sender"));
        CHECK(contains(list.out, "9223372036854775807"));
        CHECK(contains(list.out, "beyond_head"));
        CHECK(contains(list.out, "…"));

        Installation::set("COLUMNS", "200");
        CHECK(widest_line({"consumers", "list"}) > 80);
    }

    TEST_CASE_FIXTURE(Scene, "consumers list of usual names keeps every column in 80") {
        execute("DELETE FROM radd.consumers WHERE name LIKE 'a_plugin%'");
        Installation::set("COLUMNS", "80");

        const auto list = must({"consumers", "list"});

        CAPTURE(list.out);
        CHECK(contains(list.out, "OWNER"));
        CHECK(contains(list.out, "desk-1:4711"));
        CHECK_FALSE(contains(list.out, "…"));
        // In one column, the last digit under the last letter of its title.
        const auto lines = lines_of(list.out);
        const auto end_of_lag = lines[0].find("LAG") + 3;
        CHECK(lines[1].substr(0, end_of_lag).ends_with("~10002"));
        CHECK(contains(lines[1], "3h"));
        CHECK(contains(lines[2], " 0s "));
    }

    TEST_CASE_FIXTURE(Scene, "nothing is cut for a pipe and nothing coloured") {
        const auto list = must({"consumers", "list"});

        CHECK(contains(list.out, "a_plugin_with_a_long_name.and_a_consumer_that_has_a_longer_one"));
        CHECK_FALSE(contains(list.out, "\x1b"));
    }

    TEST_CASE_FIXTURE(Scene, "a terminal gets its width and colours unless NO_COLOR is set") {
        const auto coloured = on_terminal(*this, "");
        CAPTURE(coloured);
        CHECK(contains(coloured, "\x1b[33mcatching_up\x1b[0m"));
        CHECK(contains(coloured, "\x1b[31munowned\x1b[0m"));
        CHECK(contains(coloured, "…"));

        for (const char* plain : {"NO_COLOR=1", "TERM=dumb"}) {
            const auto output = on_terminal(*this, plain);
            CHECK(contains(output, "unowned"));
            CHECK_FALSE(contains(output, "\x1b"));
        }
        CHECK(contains(on_terminal(*this, "NO_COLOR="), "\x1b[31m"));
    }

    TEST_CASE_FIXTURE(Scene, "skipped events are told with why and cannot paint the screen") {
        Installation::set("COLUMNS", "80");
        const auto list = must({"consumers", "skipped", "b.behind"});
        CAPTURE(list.out);
        CHECK(widest_line({"consumers", "skipped", "b.behind"}) <= 80);
        REQUIRE(lines_of(list.out).size() == 3);
        CHECK(contains(lines_of(list.out)[1], "retrying"));
        CHECK_FALSE(contains(list.out, "\x1b"));
        CHECK(contains(lines_of(list.out)[2], "the broom"));
        CHECK(contains(must({"consumers", "skipped", "b.behind", "--limit", "1"}).err,
                       "there may be more"));

        const auto json = must({"consumers", "skipped", "b.behind", "--json"});
        REQUIRE(json.json().size() == 2);
        CHECK(json.json()[1].at("attempts") == 12);
        CHECK(contains(json.out, "9007199254740993"));
        CHECK(must({"consumers", "skipped", "csat.sender", "--json"}).json().empty());
        CHECK(contains(must({"consumers", "skipped", "csat.sender"}).err, "nothing was skipped"));
        CHECK(contains(run({"consumers", "skipped", "csat.sendr"}).err,
                       "did you mean 'csat.sender'?"));
    }

    TEST_CASE_FIXTURE(Scene, "what is stored commands no terminal whichever command shows it") {
        execute(
            "INSERT INTO radd.events (event_type, entity_type, entity_id, payload, changes, "
            "automated_cause) SELECT 'a.b', 'a', it, jsonb_build_object('note', it), "
            "jsonb_build_array(jsonb_build_object('field', it)), it "
            "FROM (SELECT 'x' || chr(155) || '2J' || chr(127) AS it) AS text; "
            "UPDATE radd.consumers SET paused_until = 'infinity', pause_reason = 'y' || chr(155) "
            "|| "
            "'2J' || chr(27) || '[2J' WHERE name = 'b.behind'; "
            "INSERT INTO radd.accounts (name, role) VALUES ('z' || chr(155) || '2J', 'member')");
        const auto id = value("SELECT max(id) FROM radd.events");

        for (const std::vector<std::string>& command :
             {std::vector<std::string>{"events", "query", "--limit", "1"},
              {"events", "show", id},
              {"events", "tail", "-n", "1", "--no-follow"},
              {"consumers", "list"},
              {"account", "list"}}) {
            for (const bool as_json : {false, true}) {
                auto words = command;
                if (as_json) words.emplace_back("--json");
                const auto ran = must(words);
                const auto all = ran.out + ran.err;
                CAPTURE(all);
                CHECK(contains(all, "9b2J"));
                CHECK_FALSE(contains(all, "\u009B"));
                CHECK_FALSE(contains(all, "\x7F"));
                CHECK_FALSE(contains(all, "\x1b"));
            }
        }
        const auto event = must({"events", "show", id, "--json"}).json();
        CHECK(event.at("entity_id") == "x\u009B2J\x7F");
        CHECK(event.at("payload").at("note") == "x\u009B2J\x7F");
    }
}
