// radd migrate --roles: what each role may do and may not, tried by connecting as one of its
// members. The schema is owned by a role that is no superuser.

#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <host/db/session.hpp>
#include <signal.h>
#include <tests/support/private_cluster.hpp>
#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;
using radd::db::Session;

namespace {

struct Desk {
    PrivateCluster cluster;
    Installation radd;

    Desk() {
        Session admin{{.url = cluster.url()}};
        admin.run_script("CREATE ROLE keeper LOGIN CREATEROLE");
        admin.query_text("CREATE DATABASE desk OWNER keeper", {}, false);
        // As a careful administrator leaves a database: PUBLIC may not even make temporary tables.
        admin.run_script("REVOKE ALL ON DATABASE desk FROM PUBLIC");
        radd.ship();
        radd.install_chores();
        as("keeper");
    }
    [[nodiscard]] std::string url_of(const std::string& role) const {
        return cluster.url() + " dbname=desk user=" + role;
    }
    void as(const std::string& role) { radd.set("RADD_DATABASE_URL", url_of(role)); }
    void give_logins() {
        Session admin{{.url = cluster.url() + " dbname=desk"}};
        admin.run_script(
            "CREATE ROLE app LOGIN IN ROLE radd_emitter; CREATE ROLE report LOGIN IN ROLE "
            "radd_reader; CREATE ROLE worker LOGIN IN ROLE radd_host; CREATE ROLE guest LOGIN;"
            "GRANT CONNECT ON DATABASE desk TO app, report, worker, guest");
    }
    [[nodiscard]] std::string asked(const std::string& role, const std::string& query) const {
        Session session{{.url = url_of(role)}};
        return session.query_text(query, {}, false)[0].text("answer");
    }
    /// The SQLSTATE with which `role` is refused; empty if it is not.
    [[nodiscard]] std::string refusal(const std::string& role, const std::string& script) const {
        Session session{{.url = url_of(role)}};
        try {
            session.run_script(script);
        } catch (const radd::SqlError& error) {
            return error.sqlstate();
        }
        return {};
    }
    void check_denied(const std::string& role, const std::vector<std::string>& scripts) const {
        for (const auto& script : scripts) {
            CAPTURE(role);
            CAPTURE(script);
            CHECK(refusal(role, script) == "42501");
        }
    }
};

struct Granted : Desk {
    Granted() {
        const auto ran = radd.must({"migrate", "--roles"});
        CHECK(contains(ran.err, "radd_emitter, radd_reader, radd_host: have their rights"));
        give_logins();
    }
};

const std::string append =
    "INSERT INTO radd.events (event_type, entity_type, entity_id, payload) "
    "VALUES ('chores.asked', 'chore', '1', '{\"do\": \"note\"}')";

/// What nobody but the owner may do.
const std::vector<std::string> for_the_owner{
    "CREATE TABLE radd.x (id int)",
    "DROP TABLE radd.consumers",
    "ALTER TABLE radd.events ADD COLUMN x int",
    "TRUNCATE radd.events",
    "DELETE FROM radd.events",
    "UPDATE radd.events SET payload = '{}'",
    "UPDATE radd.events_from_0 SET payload = '{}'",
    "INSERT INTO radd.events_from_0 (event_type, entity_type, entity_id) VALUES ('a', 'a', '1')",
    "INSERT INTO radd.events (event_type, entity_type, entity_id, recorded_at) "
    "VALUES ('a.b', 'a', '1', now())",
    "SELECT nextval('radd.events_id_seq')",
    "SELECT setval('radd.events_id_seq', 1000)",
    "UPDATE radd.stream SET settled = 1000",
    "INSERT INTO radd.migrations (owner, name, checksum, took_ms) VALUES ('core', '9', '', 0)",
    "CREATE SCHEMA other"};

}  // namespace

TEST_SUITE("roles") {
    TEST_CASE_FIXTURE(Granted, "an emitter appends and does nothing else") {
        CHECK(refusal("app", append).empty());
        CHECK(asked("app", "SELECT radd.emit('a.b', 'a', '1')::text AS answer") == "2");

        check_denied("app", for_the_owner);
        check_denied("app",
                     {"SELECT payload FROM radd.events",
                      "SELECT name FROM radd.consumers",
                      "SELECT settled FROM radd.stream",
                      "SELECT name FROM radd.accounts",
                      "SELECT id FROM items.items",
                      "SELECT radd.ensure_partitions()"});
        check_denied("guest", {append, "SELECT radd.emit('a.b', 'a', '1')"});
    }

    TEST_CASE_FIXTURE(Granted, "a reader reads the stream and does nothing else") {
        REQUIRE(refusal("app", append).empty());

        Session session{{.url = url_of("report")}};
        session.run_script("SELECT radd.settle()");
        CHECK(session
                  .query_text(
                      "SELECT payload ->> 'do' AS answer FROM radd.read_after(0)", {}, false)[0]
                  .text("answer") == "note");
        CHECK(asked("report", "SELECT radd.head()::text AS answer") == "1");
        CHECK(asked("report", "SELECT count(*)::text AS answer FROM radd.blockers") == "0");

        check_denied("report", for_the_owner);
        check_denied("report",
                     {append,
                      "SELECT cursor FROM radd.consumers",
                      "SELECT name FROM radd.accounts",
                      "SELECT event FROM radd.skipped_events",
                      "SELECT radd.ensure_partitions()"});
    }

    TEST_CASE_FIXTURE(Granted, "a host serves without any right to change the schema") {
        as("worker");
        const auto host = radd.serve();
        REQUIRE(eventually([&] { return radd.is_settled(); }));

        REQUIRE(refusal("app", append).empty());
        CHECK(eventually([&] {
            return asked("keeper", "SELECT count(*)::text AS answer FROM chores.done") == "1";
        }));
        CHECK_FALSE(contains(host->errors(), "denied"));
        CHECK_FALSE(contains(host->errors(), "partitions end"));
        radd.must({"project", "add", "DEMO", "Demonstration"});
        radd.must({"consumers", "pause", "chores.doer"});
        radd.must({"consumers", "resume", "chores.doer"});
        radd.must({"consumers", "seek", "chores.doer", "beginning", "--yes"});
        radd.must({"events", "emit", "chores.asked", "chore", "2"});
        host->signal(SIGTERM);
        CHECK(host->wait() == 0);
        check_denied("worker", for_the_owner);
    }

    TEST_CASE_FIXTURE(Granted, "a host makes partitions that belong to the owner") {
        const auto before = asked("worker", "SELECT radd.partitions_end()::text AS answer");

        CHECK(asked("worker",
                    "SELECT radd.ensure_partitions(10000000, 80000000)::text AS answer") != "0");

        CHECK(asked("worker", "SELECT radd.partitions_end()::text AS answer") > before);
        CHECK(asked("keeper",
                    "SELECT string_agg(DISTINCT pg_get_userbyid(relowner), ',') AS answer FROM "
                    "pg_class WHERE relname LIKE 'events_from_%' AND relkind = 'r'") == "keeper");
    }

    TEST_CASE_FIXTURE(Granted, "run again the rights are what they were") {
        const std::string rights =
            "SELECT string_agg(c.relname || coalesce(c.relacl::text, ''), ';' ORDER BY c.relname) "
            "AS answer FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
            "WHERE n.nspname IN ('radd', 'items', 'csat', 'chores')";
        const auto before = asked("keeper", rights);
        Session keeper{{.url = url_of("keeper")}};
        keeper.run_script("GRANT DELETE ON radd.events TO radd_host");
        CHECK(asked("keeper", rights) != before);

        radd.must({"migrate", "--roles"});

        CHECK(asked("keeper", rights) == before);
    }

    TEST_CASE_FIXTURE(Granted, "a host is told who brings the schema up to date") {
        Session keeper{{.url = url_of("keeper")}};
        keeper.run_script(
            "DROP SCHEMA chores CASCADE; DELETE FROM radd.migrations WHERE owner = 'chores'");
        as("worker");

        const auto ran = radd.run({"serve"});

        CAPTURE(ran.err);
        CHECK(ran.code == 4);
        CHECK(contains(ran.err, "run `radd migrate` as the owner of the schema"));
        as("guest");
        CHECK(contains(radd.run({"serve"}).err, "radd migrate --roles and GRANT radd_host TO"));
    }

    TEST_CASE_FIXTURE(Desk, "an owner who may not make roles is told so and nothing changes") {
        Session admin{{.url = cluster.url()}};
        admin.run_script("ALTER ROLE keeper NOCREATEROLE");

        const auto ran = radd.run({"migrate", "--roles"});

        CAPTURE(ran.err);
        CHECK(ran.code == 4);
        CHECK(contains(ran.err, "who also needs CREATEROLE unless the roles"));
        admin.run_script(
            "CREATE ROLE radd_emitter; CREATE ROLE radd_reader; CREATE ROLE radd_host");
        CHECK(radd.run({"migrate", "--roles"}).code == 0);
    }

    TEST_CASE("the statements can be read without a database") {
        Installation radd;
        radd.set("RADD_DATABASE_URL", "postgresql://127.0.0.1:1/desk");
        const auto ran = radd.must({"migrate", "--roles-sql"});
        CHECK(contains(ran.out, "GRANT INSERT (event_type,"));
        CHECK(radd.run({"migrate", "--roles", "--status"}).code == 2);
    }
}
