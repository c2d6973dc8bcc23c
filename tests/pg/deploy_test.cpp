// host/deploy: what OPERATING.md says is done, and what systemd is told and tells.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <host/config/host_settings.hpp>
#include <signal.h>
#include <tests/support/notify_socket.hpp>
#include <tests/support/private_cluster.hpp>
#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;
namespace fs = std::filesystem;

namespace {

std::string contents(const fs::path& path) {
    std::ifstream file{path};
    REQUIRE_MESSAGE(file.good(), path << " cannot be read");
    return {std::istreambuf_iterator<char>{file}, {}};
}

std::string guide() {
    return contents(fs::path{RADD_SOURCE_DIR} / "host/deploy/OPERATING.md");
}

/// The fenced block below `<!-- what -->`.
std::string block(const std::string& what) {
    const auto text = guide();
    const auto marker = text.find("<!-- " + what + " -->\n```");
    REQUIRE_MESSAGE(marker != std::string::npos, what);
    const auto from = text.find('\n', text.find("```", marker)) + 1;
    return text.substr(from, text.find("\n```", from) + 1 - from);
}

/// `script`, with radd on its way, in `folder`; it must succeed.
std::string run_script(const std::string& script,
                       const fs::path& folder,
                       std::map<std::string, std::string> environment) {
    environment["RADD_MANIFESTS_DIR"] = (folder / "manifests").string();
    environment["RADD_PLUGINS_DIR"] = (folder / "plugins").string();
    environment["RADD_DATA_DIR"] = (folder / "var").string();
    environment["PATH"] =
        RADD_BINARY_DIR "/bin:/usr/lib/postgresql/15/bin:/usr/local/bin:/usr/bin:/bin";
    Process shell{{"/bin/bash", "-euc", "cd '" + folder.string() + "'\n" + script}, environment};
    const auto code = shell.wait(std::chrono::seconds{60});
    REQUIRE_MESSAGE(code == 0, script << shell.output() << shell.errors());
    return shell.output();
}

/// What depends on how the test was built.
std::string documented_default(const radd::config::HostSettingSpec& spec) {
    const bool is_of_build = spec.name == "emit.check_payload_schema" || spec.name == "emit.strict";
    if (is_of_build) return "`false`";
    return spec.default_text.empty() ? "–" : "`" + spec.default_text + "`";
}

std::string settings_table() {
    std::string table = "| setting | default | takes | what it does |\n|---|---|---|---|\n";
    for (const auto& spec : radd::config::host_setting_specs()) {
        auto type = std::regex_replace(spec.type, std::regex{R"(\|)"}, "\\|");
        table += "| `" + spec.name + "` | " + documented_default(spec) + " | " + type + " | " +
                 spec.help + " |\n";
    }
    return table;
}

/// Where systemd puts what a unit of that name loads.
const std::string lent = "/run/credentials/radd.service/";

/// The unit as `cmake --install` writes it, with this build's paths.
fs::path write_unit(const fs::path& folder) {
    auto unit = contents(fs::path{RADD_SOURCE_DIR} / "host/deploy/radd.service.in");
    for (const auto& [name, value] :
         std::map<std::string, std::string>{{"@BIN_DIR@", RADD_BINARY_DIR "/bin"},
                                            {"@PLUGINS_DIR@", RADD_BINARY_DIR "/plugins"},
                                            {"@DOC_DIR@", RADD_SOURCE_DIR "/host/deploy"}}) {
        for (auto at = unit.find(name); at != std::string::npos; at = unit.find(name))
            unit.replace(at, name.size(), value);
    }
    CHECK_FALSE(contains(unit, "@BIN"));
    const auto path = folder / "radd.service";
    std::ofstream{path} << unit;
    return path;
}

struct Desk : TestDatabase, Installation {
    Desk() : Installation{static_cast<TestDatabase&>(*this)} {
        ship();
        install_chores();
    }
};

}  // namespace

TEST_SUITE("OPERATING.md") {
    TEST_CASE("lists every setting as the host knows it") {
        CHECK_MESSAGE(contains(guide(), "<!-- checked: settings -->\n" + settings_table()),
                      "put this below the marker:\n"
                          << settings_table());
    }

    TEST_CASE_FIXTURE(Desk, "shows a host.yaml that is accepted") {
        write("database.url", "postgresql://radd@db.example.com/desk\n");
        auto yaml = block("checked: host.yaml");
        const std::string secret = lent + "database.url";
        REQUIRE(contains(yaml, secret));
        yaml.replace(yaml.find(secret), secret.size(), path("database.url").string());
        write("manifests/host.yaml", yaml);
        Installation::set("RADD_DATABASE_URL", "");

        const auto ran = run({"config", "--json"});

        CAPTURE(ran.err);
        CHECK(ran.code == 0);
        CHECK(contains(ran.out, "host.yaml:"));
        CHECK_FALSE(contains(ran.out, "RADD_DATABASE_URL in the environment"));
    }

    TEST_CASE("grants what it says") {
        PrivateCluster cluster;
        radd::db::Session admin{{.url = cluster.url()}};
        for (const char* role : {"radd_serve", "shop", "reports"})
            admin.query_text("CREATE ROLE " + std::string{role} + " LOGIN", {}, false);
        Installation radd;

        run_script(block("run: roles"), radd.path("."), {{"OWNER_URL", cluster.url()}});

        const auto member = [&](const std::string& role, const std::string& of) {
            return admin
                .query_text("SELECT pg_has_role('" + role + "', '" + of + "', 'MEMBER') AS it",
                            {},
                            false)[0]
                .boolean("it");
        };
        CHECK(member("radd_serve", "radd_host"));
        CHECK(member("shop", "radd_emitter"));
        CHECK(member("reports", "radd_reader"));
        CHECK_FALSE(member("shop", "radd_host"));
    }

    TEST_CASE_FIXTURE(Desk, "restores what was backed up and the host goes on from there") {
        TestDatabase restored;
        {
            const auto host = serve();
            for (const char* chore : {"1", "2"})
                must({"events", "emit", "chores.asked", "chore", chore});
            REQUIRE(eventually([&] { return value("SELECT count(*) FROM chores.done") == "2"; }));
            REQUIRE(eventually([&] { return is_settled(); }));
            run_script(block("run: backup"), path("."), {{"RADD_DATABASE_URL", url()}});
            must({"events", "emit", "chores.asked", "chore", "after-the-backup"});
            REQUIRE(eventually([&] { return value("SELECT count(*) FROM chores.done") == "3"; }));
        }

        const auto said =
            run_script(block("run: restore"), path("."), {{"RESTORED_URL", restored.url()}});

        CHECK(contains(said, "applied"));
        CHECK_FALSE(contains(said, "beyond_head"));
        Installation::set("RADD_DATABASE_URL", restored.url());
        const auto host = serve();
        CHECK(eventually([&] { return is_settled(); }));
        CHECK(restored.value("SELECT count(*) FROM chores.done") == "2");
        must({"events", "emit", "chores.asked", "chore", "new"});
        CHECK(
            eventually([&] { return restored.value("SELECT count(*) FROM chores.done") == "3"; }));
        CHECK(restored.value("SELECT count(*) FROM radd.skipped_events") == "0");
        CHECK(restored.value("SELECT max(event_id) FROM chores.done") == "3");
    }

    // P03
    TEST_CASE_FIXTURE(Desk, "says what a restore of the events alone does to a cursor") {
        {
            const auto host = serve();
            for (const char* chore : {"1", "2", "3"})
                must({"events", "emit", "chores.asked", "chore", chore});
            REQUIRE(eventually([&] { return is_settled(); }));
        }
        // As a restore of an older dump of this table leaves it.
        execute(
            "DELETE FROM radd.events WHERE id > 1; ALTER SEQUENCE radd.events_id_seq RESTART WITH "
            "2; UPDATE radd.stream SET settled = 1, head = 1");
        const auto host = serve();
        REQUIRE(eventually([&] { return consumer("chores.doer").at("state") == "beyond_head"; }));
        CHECK(contains(run({"consumers", "list"}).err, "was an older backup restored?"));

        must({"consumers", "seek", "chores.doer", "head", "--yes"});
        must({"events", "emit", "chores.asked", "chore", "4"});

        CHECK(eventually([&] { return value("SELECT count(*) FROM chores.done") == "4"; }));
        CHECK(eventually([&] { return consumer("chores.doer").at("state") == "ok"; }));
    }
}

TEST_SUITE("radd.service") {
    TEST_CASE("is what systemd understands") {
        REQUIRE_MESSAGE(fs::exists("/usr/bin/systemd-analyze"), "tools/setup installs it");
        const Installation radd;
        const auto unit = write_unit(radd.path("."));
        // As `systemctl edit` writes it.
        fs::create_directory(radd.path("radd.service.d"));
        std::ofstream{radd.path("radd.service.d/override.conf")} << block("checked: credentials");
        Process verify{{"/usr/bin/systemd-analyze", "verify", "--man=no", unit.string()}};
        CHECK(verify.wait() == 0);
        CHECK_MESSAGE(verify.errors().empty(), verify.errors());

        // 0 is closed and 10 is open; what is open is explained in OPERATING.md.
        Process security{{"/usr/bin/systemd-analyze",
                          "security",
                          "--offline=yes",
                          "--threshold=20",
                          unit.string()}};
        CHECK_MESSAGE(security.wait() == 0, security.output());
    }

    TEST_CASE("is lent every secret that the guide's host.yaml names") {
        const auto yaml = block("checked: host.yaml");
        const auto credentials = block("checked: credentials");
        const std::regex name{lent + "([a-z.]+)"};
        int names = 0;
        for (std::sregex_iterator found{yaml.begin(), yaml.end(), name}, end; found != end;
             ++found) {
            ++names;
            const auto id = (*found)[1].str();
            CHECK_MESSAGE(
                contains(credentials, "\nLoadCredential=" + id + ":/etc/radd/" + id + "\n"), id);
        }
        CHECK(names == 2);
        // Its user is one that may read no file there that others may not.
        CHECK_FALSE(contains(yaml, "/etc/radd"));
    }

    TEST_CASE_FIXTURE(Desk, "hears when the host is ready lives and stops") {
        NotifySocket socket;
        REQUIRE(socket.is_bound());
        Installation::set("NOTIFY_SOCKET", socket.path());
        Installation::set("WATCHDOG_USEC", "4000000");
        std::string heard;
        const auto hears = [&](const std::string& what) {
            return eventually([&] {
                heard += socket.received();
                return contains(heard, what);
            });
        };

        const auto host = start({"serve"});
        REQUIRE(hears("READY=1\nSTATUS="));
        CHECK(contains(host->errors(), "ready: "));
        CHECK(heard.find("STATUS=starting") < heard.find("READY=1"));
        CHECK(hears("WATCHDOG=1"));
        must({"events", "emit", "chores.asked", "chore", "1"});
        CHECK(hears("at event 1"));

        host->signal(SIGTERM);
        CHECK(hears("STOPPING=1"));
        CHECK(host->wait() == 0);
        CHECK(count_of(heard, "READY=1") == 1);
    }

    TEST_CASE("hears nothing of ready from a host that is refused") {
        NotifySocket socket;
        Installation radd;
        radd.set("NOTIFY_SOCKET", socket.path());
        radd.set("RADD_LOG_LEVEL", "loud");

        // The unit does not start it again after this code.
        CHECK(radd.run({"serve"}).code == 3);

        CHECK_FALSE(contains(socket.received(), "READY"));
        const auto unit = contents(fs::path{RADD_SOURCE_DIR} / "host/deploy/radd.service.in");
        CHECK(contains(unit, "\nRestartPreventExitStatus=2 3\n"));
        CHECK(contains(unit, "\nType=notify\n"));
    }

    TEST_CASE("hears of a database that is away and still a sign of life") {
        PrivateCluster cluster;
        NotifySocket socket;
        Installation radd;
        radd.set("RADD_DATABASE_URL", cluster.url());
        radd.set("NOTIFY_SOCKET", socket.path());
        radd.set("WATCHDOG_USEC", "4000000");
        std::string heard;
        const auto hears = [&](const std::string& what) {
            return eventually([&] {
                heard += socket.received();
                return contains(heard, what);
            });
        };
        const auto host = radd.serve();

        cluster.stop_fast();
        CHECK(hears("the database is away"));
        heard.clear();
        CHECK(hears("WATCHDOG=1"));

        cluster.start();
        heard.clear();
        CHECK(hears("STATUS=at event"));
    }
}
