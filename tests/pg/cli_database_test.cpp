// What a command says of a database it cannot use, and how the schema is brought up to date.

#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <signal.h>
#include <tests/support/pooler.hpp>
#include <tests/support/private_cluster.hpp>
#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;

namespace {

struct Unusable {
    const char* url;
    const char* remedy;
    int code;
};

// The last stops before anybody is asked: a setting is refused.
const std::vector<Unusable> unusable{
    {"postgresql://ada:geheim@127.0.0.1:1/desk",
     "check that the server runs, and host and port",
     4},
    {"postgresql://ada:geheim@no-such-host.invalid/desk", "check that the server runs", 4},
    {"postgresql://ada:ge@heim@127.0.0.1/desk", "write %40 or %2F", 4},
    {"postgresql://ada:geheim%zz@127.0.0.1/desk", "percent-encoded", 4},
    {"geheim", "expected postgresql://user@host:port/database", 3},
};

/// What the command failed with: its last line, behind warnings of what it tried.
std::string last_line(const Ran& ran) {
    const auto lines = lines_of(ran.err);
    return lines.empty() ? "" : lines.back();
}

struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} {
        ship();
        Installation::set("RADD_STARTUP_TIMEOUT", "200ms");
    }
};

nlohmann::json state_of(const Ran& ran, const std::string& name) {
    for (const auto& one : ran.json()) {
        if (one.at("name") == name) return one.at("state");
    }
    return {};
}

}  // namespace

TEST_SUITE("a database that cannot be used") {
    TEST_CASE("is told in one line with the remedy and without the password") {
        for (const Unusable& bad : unusable) {
            Installation radd;
            radd.ship();
            radd.set("RADD_STARTUP_TIMEOUT", "200ms");
            radd.set("RADD_DATABASE_URL", bad.url);
            for (const auto& command : std::vector<std::vector<std::string>>{
                     {"serve"}, {"consumers", "list"}, {"migrate"}, {"item", "list"}}) {
                const auto ran = radd.run(command);
                CAPTURE(std::string{bad.url});
                CAPTURE(ran.err);
                CHECK(ran.code == bad.code);
                CHECK(contains(last_line(ran), bad.remedy));
                CHECK_FALSE(contains(ran.err, "heim"));
                CHECK(lines_of(ran.err).size() <= 2);
            }
        }
    }

    TEST_CASE_FIXTURE(Scene, "of a name nobody knows is told with how it is made") {
        set("RADD_DATABASE_URL", test_cluster_url() + " dbname=no_such_desk");

        const auto ran = run({"serve"});

        CAPTURE(ran.err);
        CHECK(ran.code == 4);
        CHECK(lines_of(ran.err).size() == 1);
        CHECK(contains(ran.err, "no_such_desk"));
        CHECK(contains(ran.err, "create the database with createdb, or correct its name"));
    }

    TEST_CASE_FIXTURE(Scene, "by a role nobody knows is told as such") {
        set("RADD_DATABASE_URL", url() + " user=no_such_role password=geheim");

        const auto ran = run({"serve"});

        CAPTURE(ran.err);
        CHECK(ran.code == 4);
        CHECK(lines_of(ran.err).size() == 1);
        CHECK(contains(ran.err, "no_such_role"));
        CHECK(contains(ran.err, "check the user in database.url"));
        CHECK_FALSE(contains(ran.err, "geheim"));
    }

    TEST_CASE_FIXTURE(Scene, "by a role without rights is told with the grant it lacks") {
        execute("DROP ROLE IF EXISTS radd_cli_guest; CREATE ROLE radd_cli_guest LOGIN");
        set("RADD_DATABASE_URL", url() + " user=radd_cli_guest");

        const auto ran = run({"serve"});
        execute("DROP ROLE radd_cli_guest");

        CAPTURE(ran.err);
        CHECK(ran.code == 4);
        CHECK(lines_of(ran.err).size() == 1);
        CHECK(contains(ran.err, "GRANT CREATE ON DATABASE"));
    }

    TEST_CASE("because it is a standby it is told where to go") {
        PrivateCluster cluster;
        cluster.stop_fast();
        std::ofstream{cluster.data() / "standby.signal"}.close();
        cluster.start();
        Installation radd;
        radd.ship();
        radd.set("RADD_DATABASE_URL", cluster.url());

        const auto ran = radd.run({"serve"});

        CAPTURE(ran.err);
        CHECK(ran.code == 4);
        CHECK(lines_of(ran.err).size() == 1);
        CHECK(contains(ran.err, "the server is a standby, which takes no writes; point"));
    }

    TEST_CASE_FIXTURE(Scene, "because nobody has migrated it is told with the command that does") {
        const auto ran = run({"consumers", "list"});

        CAPTURE(ran.err);
        CHECK(ran.code == 4);
        CHECK(lines_of(ran.err).size() == 1);
        CHECK(contains(ran.err, "is not applied yet; `radd migrate` or `radd serve` does it"));
    }
}

TEST_SUITE("a pooler") {
    // P10
    TEST_CASE("is served behind as soon as the host is told of it") {
        TestDatabase database;
        const Pooler pooler{database.url(), 4};
        Installation host;
        host.install_chores();
        host.set("RADD_DATABASE_URL", pooler.url());
        const auto refused = host.run({"migrate"});
        CAPTURE(refused.err);
        CHECK(refused.code == 4);
        CHECK(contains(refused.err, "set database.prepared_statements to false"));

        host.set("RADD_DATABASE_PREPARED_STATEMENTS", "false");
        host.must({"migrate"});
        const auto first = host.serve();
        const auto second = host.serve();
        for (const char* chore : {"1", "2", "3"})
            host.must({"events", "emit", "chores.asked", "chore", chore});

        CHECK(
            eventually([&] { return database.value("SELECT count(*) FROM chores.done") == "3"; }));
        CHECK(eventually([&] { return host.is_settled(); }));
        CHECK(host.must({"events", "query", "--json"}).json_lines().size() == 3);
        for (const auto* one : {&first, &second}) {
            (*one)->signal(SIGTERM);
            CHECK((*one)->wait() == 0);
        }
    }
}

TEST_SUITE("radd migrate") {
    TEST_CASE_FIXTURE(Scene, "tells what is pending and changes nothing until it is asked to") {
        const auto before = run({"migrate", "--status", "--json"});
        CHECK(before.code == 0);
        CHECK(state_of(before, "0001_outbox") == "pending");
        CHECK(state_of(before, "0001_surveys") == "pending");
        const auto dry = run({"migrate", "--dry-run"});
        CHECK(dry.code == 0);
        CHECK(contains(dry.out, "0001_items"));
        CHECK(value("SELECT count(*) FROM pg_namespace WHERE nspname IN ('radd', 'items')") == "0");

        const auto plain = run({"migrate"});
        CAPTURE(plain.err);
        CHECK(plain.code == 0);
        CHECK(contains(plain.err, std::to_string(before.json().size()) + " applied"));

        const auto after = run({"migrate", "--status", "--json"});
        CHECK(after.code == 0);
        REQUIRE(after.json().size() == before.json().size());
        for (const auto& one : after.json()) {
            CHECK(one.at("state") == "applied");
            CHECK(contains(one.at("applied_at").get<std::string>(), "20"));
        }
        CHECK(contains(run({"migrate", "--status"}).out, "applied"));
        CHECK(run({"migrate", "--dry-run", "--json"}).json().empty());
        CHECK(contains(run({"migrate"}).err, "0 applied"));
    }

    TEST_CASE_FIXTURE(Scene, "refuses by name a migration that was edited after it was applied") {
        must({"migrate"});
        execute(
            "UPDATE radd.migrations SET checksum = repeat('0', 64) "
            "WHERE name = '0001_items'");

        const auto status = run({"migrate", "--status", "--json"});
        CHECK(status.code == 3);
        CHECK(state_of(status, "0001_items") == "edited");
        CHECK(state_of(status, "0001_surveys") == "applied");
        for (const char* command : {"migrate", "serve"}) {
            const auto ran = run({command});
            CAPTURE(ran.err);
            CHECK(ran.code != 0);
            CHECK(lines_of(ran.err).size() == 1);
            CHECK(contains(ran.err, "items/0001_items"));
        }

        execute("UPDATE radd.migrations SET checksum = '' WHERE name = '0002_consumers'");
        const auto list = run({"consumers", "list"});
        CHECK(list.code == 4);
        CHECK(contains(list.err, "core/0002_consumers differs from what was applied"));
    }

    TEST_CASE_FIXTURE(Scene, "refuses by name a migration that this build does not have") {
        must({"migrate"});
        execute(
            "INSERT INTO radd.migrations (owner, name, checksum, took_ms) "
            "VALUES ('csat', '0009_from_the_future', repeat('0', 64), 1)");

        const auto status = run({"migrate", "--status", "--json"});

        CHECK(status.code == 3);
        CHECK(state_of(status, "0009_from_the_future") == "missing");
        const auto ran = run({"serve"});
        CAPTURE(ran.err);
        CHECK(ran.code != 0);
        CHECK(contains(ran.err, "0009_from_the_future"));
    }
}
