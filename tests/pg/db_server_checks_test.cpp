#include <fstream>
#include <functional>
#include <string>

#include <doctest/doctest.h>

#include <host/db/server_checks.hpp>
#include <tests/support/private_cluster.hpp>
#include <tests/support/test_database.hpp>

using radd::ConfigError;
using radd::Unavailable;
using radd::db::check_server;
using radd::db::Session;
using radd::testing::TestDatabase;

namespace {

std::string refusal_of(const std::function<void()>& work) {
    try {
        work();
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "accepted";
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// A role of the test's own, and what becomes of it in a database of its own.
struct Bench {
    TestDatabase db;
    std::string role = db.name() + "_role";

    Bench() { db.execute("CREATE ROLE " + role + " LOGIN PASSWORD 's3cret'"); }
    ~Bench() { db.execute("DROP OWNED BY " + role + "; DROP ROLE " + role); }

    std::string refusal() {
        return refusal_of([&] {
            Session session{{.url = db.url() + " user=" + role}};
            check_server(session);
        });
    }
};

}  // namespace

TEST_SUITE("server checks") {
    TEST_CASE_FIXTURE(Bench, "an owner with an empty database is accepted") {
        CHECK(refusal_of([&] { check_server(db.session()); }) == "accepted");
    }

    TEST_CASE_FIXTURE(Bench, "a role that may not create the schema is told the GRANT") {
        CHECK(contains(refusal(),
                       "may not create the schema radd; run GRANT CREATE ON DATABASE \"" +
                           db.name() + "\" TO \"" + role + "\""));
        db.execute("GRANT CREATE ON DATABASE " + db.name() + " TO " + role);
        CHECK(refusal() == "accepted");
    }

    TEST_CASE_FIXTURE(Bench, "a role that may not use the schema or a table is told the GRANT") {
        db.execute("CREATE SCHEMA radd; CREATE TABLE radd.events (id bigint, text text)");
        CHECK(contains(refusal(), "run GRANT USAGE, CREATE ON SCHEMA radd TO"));

        db.execute("GRANT USAGE, CREATE ON SCHEMA radd TO " + role);
        CHECK(contains(refusal(), "may not read and write radd.events; run GRANT SELECT"));

        db.execute("GRANT SELECT, INSERT (text) ON radd.events TO " + role);
        CHECK(refusal() == "accepted");
    }

    TEST_CASE_FIXTURE(Bench, "a database that takes no writes is refused") {
        db.execute("ALTER ROLE " + role + " SET default_transaction_read_only = on");

        CHECK(contains(refusal(), "default_transaction_read_only is on"));
    }

    TEST_CASE("a server older than the oldest that works is refused by its version") {
        CHECK(
            refusal_of([] { radd::db::check_version(129999); }) ==
            "database: PostgreSQL 12 is too old; 13 is the oldest that works, upgrade the server");
        CHECK(refusal_of([] { radd::db::check_version(130000); }) == "accepted");
    }

    TEST_CASE("a standby is refused in one line that sends to the primary") {
        radd::testing::PrivateCluster cluster;
        cluster.stop_fast();
        std::ofstream{cluster.data() / "standby.signal"}.close();
        cluster.start();

        const std::string message = refusal_of([&] {
            Session session{{.url = cluster.url()}};
            check_server(session);
        });

        CHECK(contains(message, "the server is a standby, which takes no writes; point"));
        CHECK(contains(message, "database.url at the primary"));
        CHECK_FALSE(contains(message, "\n"));
    }

    TEST_CASE_FIXTURE(Bench, "a database of another encoding is refused") {
        const std::string latin = db.name() + "_latin";
        db.session().query_text(
            "CREATE DATABASE " + latin + " ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0",
            {},
            false);

        const std::string message = refusal_of([&] {
            Session session{{.url = db.url() + " dbname=" + latin}};
            check_server(session);
        });

        db.session().query_text("DROP DATABASE " + latin, {}, false);
        CHECK(contains(message, "its encoding is LATIN1"));
    }
}

TEST_SUITE("database url") {
    TEST_CASE_FIXTURE(Bench, "a missing database or role is refused for good with its remedy") {
        const auto refused = [&](const std::string& more) {
            return refusal_of([&] { const Session session{{.url = db.url() + more}}; });
        };

        const std::string database = refused(" dbname=nowhere password=s3cret");
        CHECK(contains(database, "database \"nowhere\" does not exist; create the database"));
        CHECK_FALSE(contains(database, "s3cret"));
        CHECK_FALSE(contains(database, "\n"));
        CHECK(contains(refused(" user=nobody_here"), "check the user in database.url"));
    }

    TEST_CASE_FIXTURE(Bench, "a role without the right to connect is told the GRANT") {
        db.execute("REVOKE CONNECT ON DATABASE " + db.name() + " FROM PUBLIC");

        CHECK(contains(refusal(), "GRANT CONNECT ON DATABASE"));
    }

    TEST_CASE("a server that is not there may come and is described without the password") {
        std::string message;
        try {
            const Session session{{.url = "postgresql://app:s3cret@127.0.0.1:1/tracker"}};
        } catch (const Unavailable& error) {
            message = error.what();
        }

        CHECK(message.starts_with("postgresql://app@127.0.0.1:1/tracker: cannot connect: "));
        CHECK(contains(message, "check that the server runs"));
        CHECK_FALSE(contains(message, "s3cret"));
        CHECK_FALSE(contains(message, "\n"));
    }
}
