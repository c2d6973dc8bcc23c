#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <host/db/bound_params.hpp>
#include <host/db/connect_string.hpp>
#include <host/db/errors.hpp>
#include <host/db/statement_cache.hpp>
#include <host/db/statement_text.hpp>

using radd::ConfigError;
using radd::Param;
using radd::db::BoundParams;
using radd::db::connect_string;
using radd::db::controls_session;
using radd::db::describe_url;
using radd::db::line_at;
using radd::db::statement_line;
using radd::db::StatementCache;

TEST_SUITE("statement text") {
    TEST_CASE("what ends a transaction or changes the session is recognised") {
        for (const auto* sql : {"COMMIT",
                                "commit;",
                                "  -- a note\n Begin",
                                "/* a /* nested */ note */ROLLBACK",
                                "; END",
                                "ABORT",
                                "START TRANSACTION",
                                "ROLLBACK WORK",
                                "PREPARE TRANSACTION 'x'",
                                "SET search_path = x",
                                "SET SESSION x = 1",
                                "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
                                "RESET ALL",
                                "DISCARD ALL",
                                "DEALLOCATE ALL"}) {
            CAPTURE(sql);
            CHECK(controls_session(sql));
        }
    }

    TEST_CASE("what stays inside the transaction is let through") {
        for (const auto* sql : {"SELECT 'COMMIT'",
                                "",
                                ";",
                                "/* COMMIT */",
                                "SAVEPOINT a",
                                "RELEASE SAVEPOINT a",
                                "ROLLBACK TO SAVEPOINT a",
                                "rollback work to a",
                                "ROLLBACK TRANSACTION TO a",
                                "SET LOCAL x = 1",
                                "SET CONSTRAINTS ALL IMMEDIATE",
                                "UPDATE t SET x = 1",
                                "WITH ended AS (SELECT 1) TABLE ended",
                                "(SELECT 1)",
                                "endless"}) {
            CAPTURE(sql);
            CHECK_FALSE(controls_session(sql));
        }
    }

    TEST_CASE("statements are told apart through quotes and comments") {
        const std::string script =
            "SELECT ';' , \"a;b\", E'\\';', $x$ ; $y$ ; $x$; -- one; two\n"
            "/* ; /* ; */ ; */\n"
            "SELECT 2;;\n"
            "SELECT $1, a$b$c;\n"
            "SELECT 4\n";

        CHECK(statement_line(script, 0) == 1);
        CHECK(statement_line(script, 1) == 3);
        CHECK(statement_line(script, 2) == 4);
        CHECK(statement_line(script, 3) == 5);
        CHECK(statement_line(script, 99) == 5);
        CHECK(statement_line("", 0) == 1);
        CHECK(statement_line("\n\nSELECT 1", 0) == 3);
    }

    TEST_CASE("an unfinished quote ends with the script") {
        for (const auto* script : {"'", "\"", "$$", "$x", "/*", "--", "E'\\", "$", "/* /* */"}) {
            CAPTURE(script);
            CHECK(statement_line(script, 3) == 1);
            CHECK_FALSE(controls_session(script));
        }
    }

    TEST_CASE("a position counts characters and not bytes") {
        CHECK(line_at("ππ\nx", 2) == 1);
        CHECK(line_at("ππ\nx", 4) == 2);
        CHECK(line_at("a\nb", 99) == 2);
    }
}

TEST_SUITE("bound parameters") {
    TEST_CASE("numbers are written so that they come back the same") {
        const std::vector<Param> params{0.1, -1.5e300, std::int64_t{-42}, false, nullptr, ""};
        const BoundParams bound{params};

        REQUIRE(bound.size() == 6);
        CHECK(std::string{bound.data()[0]} == "0.1");
        CHECK(std::string{bound.data()[1]} == "-1.5e+300");
        CHECK(std::string{bound.data()[2]} == "-42");
        CHECK(std::string{bound.data()[3]} == "f");
        CHECK(bound.data()[4] == nullptr);
        CHECK(std::string{bound.data()[5]}.empty());
    }

    // P21
    TEST_CASE("a NUL byte names its parameter") {
        const std::string text{"a\0b", 3};
        const std::vector<Param> params{1, text};

        CHECK_THROWS_WITH(
            BoundParams{params},
            "parameter $2: holds a NUL byte, which PostgreSQL cannot keep; remove it");
    }

    TEST_CASE("more parameters than PostgreSQL counts are refused") {
        CHECK(BoundParams{std::vector<Param>(65535, Param{1})}.size() == 65535);
        CHECK_THROWS_AS(BoundParams{std::vector<Param>(65536, Param{1})}, radd::InvalidInput);
    }

    TEST_CASE("only quoted parts of values are masked") {
        const std::vector<Param> params{"secret", "{1,\"x\"}", 99};
        const BoundParams bound{params};

        CHECK(bound.without_values("bad uuid: \"secret\"") == "bad uuid: \"…\"");
        CHECK(bound.without_values("enum \"colour\": \"secret\"") == "enum \"colour\": \"…\"");
        CHECK(bound.without_values("array: \"{1,\"x\"}\"") == "array: \"…\"");
        CHECK(bound.without_values("value \"99\" is out of range") ==
              "value \"…\" is out of range");
        CHECK(bound.without_values("relation \"kept\" gone") == "relation \"kept\" gone");
        CHECK(bound.without_values("no quotes, one \"") == "no quotes, one \"");
    }
}

TEST_SUITE("statement cache") {
    TEST_CASE("the least recently used one makes room and is told") {
        StatementCache cache;
        for (std::size_t i = 0; i < StatementCache::entries_max; ++i)
            cache.use(std::to_string(i)).prepared = true;
        cache.use("0");
        CHECK(cache.take_dropped().empty());

        const std::string name = cache.use("1").name;
        cache.use("0");
        for (const auto* sql : {"a", "b"}) cache.use(sql);

        CHECK(cache.size() == StatementCache::entries_max);
        CHECK(cache.take_dropped().size() == 2);
        CHECK(cache.use("0").seen);
        CHECK(cache.use("1").name == name);
        CHECK_FALSE(cache.use("2").seen);
    }
}

TEST_SUITE("sqlstate") {
    TEST_CASE("classes decide what the host does") {
        for (const auto* code : {"08000", "08P01", "53000", "53300", "57P01", "57P05", "25006"}) {
            CHECK(radd::db::means_unavailable(code));
            CHECK_FALSE(radd::db::means_contention(code));
        }
        for (const auto* code : {"40001", "40P01", "55P03", "57014"}) {
            CHECK(radd::db::means_contention(code));
            CHECK_FALSE(radd::db::means_unavailable(code));
        }
        for (const auto* code : {"40002", "25P02", "57000", "23505", ""}) {
            CHECK_FALSE(radd::db::means_contention(code));
            CHECK_FALSE(radd::db::means_unavailable(code));
        }
    }
}

TEST_SUITE("database url") {
    TEST_CASE("it is described without its password") {
        CHECK(describe_url("postgresql://app:s3cret@db.example:5433/tracker") ==
              "postgresql://app@db.example:5433/tracker");
        CHECK(describe_url("host=db.example user=app password=s3cret") ==
              "postgresql://app@db.example/app");
        CHECK(describe_url("postgresql://app:s3@cret@db.example/x") ==
              "a database url that cannot be read");
        CHECK(describe_url("password=s3 cret") == "a database url that cannot be read");
    }

    TEST_CASE("one that cannot be read is refused without a word of it") {
        for (const auto* url : {"",
                                "s3cret",
                                "password=a s3cret",
                                "postgresql://app:s3@cret@host/db",
                                "postgresql://app:x/s3cret@host/db",
                                "postgresql://host/db?s3cret=1",
                                "postgresql://host:s3cret@/db%zz"}) {
            CAPTURE(url);
            std::string message;
            try {
                (void)connect_string({.url = url});
            } catch (const ConfigError& error) {
                message = error.what();
            }
            CHECK(message.starts_with("database.url: "));
            CHECK(message.find("s3") == std::string::npos);
        }
    }

    TEST_CASE("settings of the url win over ours") {
        const auto text = connect_string({.url = "host=h keepalives_idle=77 application_name=a%b"});

        CHECK(text.find("keepalives_idle=77") != std::string::npos);
        CHECK(text.find("keepalives_idle=5") == std::string::npos);
        CHECK(text.find("keepalives_count=3") != std::string::npos);
        CHECK(text.find("application_name=a%25b") != std::string::npos);
        CHECK(text.find(' ') == std::string::npos);
    }

    TEST_CASE("a pooler is sent no options it would refuse") {
        CHECK(connect_string({.url = "host=h"}).find("&options=") != std::string::npos);
        CHECK(connect_string({.url = "host=h", .prepared_statements = false}).find("&options=") ==
              std::string::npos);
    }
}
