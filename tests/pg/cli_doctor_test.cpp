// radd doctor: what it finds in an installation, and what it leaves alone.

#include <algorithm>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;

namespace {

/// The first line about `what`, or null.
nlohmann::json about(const nlohmann::json& findings, const std::string& what) {
    for (const auto& finding : findings) {
        if (finding.at("about") == what) return finding;
    }
    return {};
}

struct Desk : TestDatabase, Installation {
    Desk() : Installation{static_cast<TestDatabase&>(*this)} { ship(); }

    [[nodiscard]] nlohmann::json examine(int code = 0) const {
        const auto ran = run({"doctor", "--json"});
        CHECK_MESSAGE(ran.code == code, ran.out << ran.err);
        return ran.json();
    }
};

}  // namespace

TEST_SUITE("radd doctor") {
    TEST_CASE_FIXTURE(Desk, "finds nothing broken in a host that runs") {
        execute("ALTER DATABASE \"" + name() +
                "\" SET idle_in_transaction_session_timeout = '1min'");
        execute("ALTER DATABASE \"" + name() + "\" SET synchronous_commit = on");
        const auto host = serve();
        REQUIRE(eventually([&] { return is_settled(); }));

        const auto text = run({"doctor"});
        CAPTURE(text.out);
        for (const char* part : {"ok    data_dir",
                                 "ok    disk space",
                                 "ok    database             PostgreSQL",
                                 "ok    rights",
                                 "ok    clocks",
                                 "ok    schema",
                                 "ok    idle_in_transaction_session_timeout",
                                 "ok    consumers"})
            CHECK_MESSAGE(contains(text.out, part), part);
        // Two things are left to whoever has just installed it.
        CHECK(contains(text.out, "warn  mail                 comes from radd@localhost"));
        CHECK(contains(text.out, "warn  administrators       none"));
        CHECK(contains(text.out, "\n      do: `radd account create --role admin --name NAME`\n"));
        CHECK(contains(text.err, " ok, "));
    }

    TEST_CASE_FIXTURE(Desk, "names what does not keep up and what to do") {
        {
            const auto host = serve();
            REQUIRE(eventually([&] { return is_settled(); }));
            must({"account", "create", "--role", "admin", "--name", "ada"});
            must({"consumers", "pause", "csat.sender"});
        }
        execute(R"sql(INSERT INTO radd.deliveries (queue, lane, payload, state, finished_at)
                      VALUES ('webhooks.deliveries', 'a', '{}', 'dead', now()))sql");

        const auto findings = examine();
        CHECK(about(findings, "queue webhooks.deliveries").at("found") == "1 dead letters");
        CHECK(about(findings, "administrators").at("verdict") == "ok");
        const auto paused = about(findings, "consumer csat.sender");
        REQUIRE_FALSE(paused.is_null());
        CHECK(paused.at("verdict") == "warn");
        CHECK(paused.at("remedy") == "`radd consumers resume csat.sender`");

        must({"consumers", "resume", "csat.sender"});
        execute("UPDATE radd.consumers SET cursor = 1000000 WHERE name = 'csat.sender'");
        const auto beyond = about(examine(1), "consumer csat.sender");
        CHECK(beyond.at("verdict") == "fail");
        CHECK(beyond.at("remedy") == "`radd consumers seek csat.sender head`");
    }

    TEST_CASE_FIXTURE(Desk, "names who holds events that are old enough to go") {
        must({"migrate"});
        execute(R"sql(
            INSERT INTO radd.events (event_type, entity_type, entity_id, recorded_at)
            VALUES ('item.created', 'item', '1', now() - interval '9 days');
            SELECT setval('radd.events_id_seq', 10000000);
            INSERT INTO radd.events (event_type, entity_type, entity_id)
            VALUES ('item.created', 'item', '2');
            INSERT INTO radd.consumers (name, plugin, paused_until)
            VALUES ('csat.sender', 'csat', 'infinity'))sql");
        execute("SELECT radd.settle()");  // As a host at work does.

        CHECK(about(examine(), "retention").at("found") == "off: every event is kept");
        const auto ran = run({"doctor", "--json", "--retention-events-keep-days", "8"});
        CHECK(ran.code == 0);
        CHECK(about(ran.json(), "retention").at("found") ==
              "events below 10000000 are old enough to go and are held by csat.sender (paused, at "
              "0)");
    }

    TEST_CASE_FIXTURE(Desk, "says that the schema is not there and makes none") {
        const auto schema = about(examine(), "schema");
        CHECK(schema.at("verdict") == "warn");
        CHECK(contains(schema.at("remedy").get<std::string>(), "radd migrate"));
        CHECK(value("SELECT count(*) FROM pg_namespace WHERE nspname = 'radd'") == "0");
        CHECK_FALSE(std::filesystem::exists(path("var")));
    }

    TEST_CASE_FIXTURE(Desk, "fails if the host would not start") {
        set("RADD_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/nowhere");
        const auto away = about(examine(1), "database");
        CHECK(away.at("verdict") == "fail");

        install("csat_itme", "csat");
        const auto refused = about(examine(1), "plugin csat");
        REQUIRE_FALSE(refused.is_null());
        CHECK(refused.at("verdict") == "fail");
        CHECK(refused.at("remedy") == "`radd why E31` tells what it means");

        write("manifests/host.yaml", "kind: host\nversion: 1\ndata_dri: x\n");
        CHECK(about(examine(1), "settings").at("verdict") == "fail");
    }

    TEST_CASE_FIXTURE(Desk, "warns of what others may change") {
        must({"migrate"});
        std::filesystem::create_directory(path("var"));
        std::filesystem::permissions(path("var"), std::filesystem::perms::all);
        const auto open = about(examine(), "data_dir");
        CHECK(open.at("verdict") == "warn");
        CHECK(contains(open.at("remedy").get<std::string>(), "chmod go-w"));

        set("RADD_HTTP_LISTEN", "0.0.0.0:8080");
        CHECK(about(examine(), "http.listen").at("verdict") == "warn");
        set("RADD_PUBLIC_URL", "https://desk.example");
        CHECK(about(examine(), "http.listen").at("verdict") == "ok");
    }
}
