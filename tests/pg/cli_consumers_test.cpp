// radd consumers …: what an operator sees of a running host, and does to it.

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <host/db/session.hpp>
#include <signal.h>
#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;

namespace {

const std::string doer = "chores.doer";

struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} {
        install_chores();
        Installation::set("RADD_CONSUMERS_LEASE", "1s");
    }

    void ask(const std::string& chore, const std::string& what) const {
        must({"events",
              "emit",
              "chores.asked",
              "chore",
              chore,
              "--payload",
              R"({"do": ")" + what + R"("})"});
    }
    /// A host that has made the consumers known and ended.
    void serve_once() {
        const auto host = serve();
        REQUIRE(becomes("ok"));
        host->signal(SIGTERM);
        REQUIRE(host->wait() == 0);
    }
    std::string done() { return value("SELECT count(*) FROM chores.done"); }
    bool has_done(const std::string& count) {
        return eventually([&] { return done() == count; });
    }
    bool becomes(const std::string& state) {
        return eventually([&] { return consumer(doer).at("state") == state; });
    }
};

struct Live : Scene {
    std::unique_ptr<Process> host = serve();
};

bool is_narrow(const std::string& text) {
    return std::ranges::all_of(lines_of(text), [](const auto& line) { return line.size() <= 80; });
}

}  // namespace

TEST_SUITE("radd consumers") {
    TEST_CASE_FIXTURE(Live, "pause holds one until resume lets it go on") {
        REQUIRE(becomes("ok"));
        const auto paused = run({"consumers", "pause", doer, "--reason", "spring cleaning"});
        CHECK(paused.code == 0);
        CHECK(contains(paused.err, "chores.doer: paused until resumed"));

        ask("1", "note");
        const auto shown = consumer(doer);
        CHECK(shown.at("state") == "paused");
        CHECK(shown.at("lag") == 1);
        CHECK(shown.at("pause_reason") == "spring cleaning");
        CHECK(contains(run({"consumers", "list"}).err, "chores.doer: paused: spring cleaning"));
        CHECK(done() == "0");

        CHECK(run({"consumers", "resume", doer}).code == 0);
        CHECK(has_done("1"));
        CHECK(becomes("ok"));
    }

    TEST_CASE_FIXTURE(Live, "pause for a while ends by itself") {
        REQUIRE(becomes("ok"));
        CHECK(contains(run({"consumers", "pause", doer, "--for", "1s"}).err, "paused for 1s"));

        ask("1", "note");

        CHECK(has_done("1"));
        const auto wrong = run({"consumers", "pause", doer, "--for", "5"});
        CAPTURE(wrong.err);
        CHECK(wrong.code != 0);
        CHECK(contains(wrong.err, "needs a unit"));
    }

    TEST_CASE_FIXTURE(Live, "seek tells what it would do and does it when told to") {
        for (const char* chore : {"1", "2", "3"}) ask(chore, "note");
        REQUIRE(has_done("3"));
        REQUIRE(becomes("ok"));
        const auto before = consumer(doer).at("last_event_id");

        const auto preview = run({"consumers", "seek", doer, "beginning"});
        CHECK(preview.code == 0);
        CHECK(contains(preview.out, "-> 0: 3 events will be replayed"));
        CHECK(contains(preview.err, "nothing was done; repeat it with --yes"));
        CHECK(run({"consumers", "seek", doer, "0", "--json"}).json().at("done") == false);
        CHECK(consumer(doer).at("last_event_id") == before);

        const auto seek = run({"consumers", "seek", doer, "beginning", "--yes", "--json"}).json();
        CHECK(seek.at("done") == true);
        CHECK(seek.at("events") == 3);
        CHECK(seek.at("direction") == "replay");
        CHECK(has_done("6"));
        CHECK(becomes("ok"));
        CHECK(consumer(doer).at("last_event_id") == before);
    }

    TEST_CASE_FIXTURE(Live, "seek refuses a place that is not in the stream") {
        ask("1", "note");
        REQUIRE(has_done("1"));

        const auto beyond = run({"consumers", "seek", doer, "4000", "--yes"});
        CHECK(beyond.code == 1);
        CHECK(contains(beyond.err, "4000 is not in the stream, which ends at 1"));
        const auto word = run({"consumers", "seek", doer, "yesterday"});
        CHECK(word.code == 1);
        CHECK(contains(word.err, "'yesterday' is not head, beginning or an event id"));
    }

    // P16
    TEST_CASE_FIXTURE(Live, "retry plans what was skipped once its cause is gone") {
        ask("1", "throw");
        ask("2", "note");
        REQUIRE(has_done("1"));
        REQUIRE(eventually([&] { return consumer(doer).at("skipped") == 1; }));
        const auto list = run({"consumers", "list"});
        CHECK(contains(list.err, "chores.doer: 1 skipped; `radd consumers skipped chores.doer`"));
        CHECK(contains(host->errors(), "the broom is broken"));

        const auto none = run({"consumers", "retry", doer, "--event", "2"});
        CHECK(none.code == 1);
        CHECK(contains(none.err, "event 2 is not among the skipped"));
        CHECK(run({"consumers", "retry", doer}).code == 2);

        write("chores/repaired", "");
        const auto retry = run({"consumers", "retry", doer, "--event", "1"});
        CHECK(retry.code == 0);
        CHECK(contains(retry.out, "1 skipped events will be planned again"));
        CHECK(has_done("2"));
        CHECK(eventually([&] { return consumer(doer).at("skipped") == 0; }));
        CHECK(contains(run({"consumers", "retry", doer, "--all"}).err, "nothing was skipped"));
    }

    TEST_CASE_FIXTURE(Live, "retire holds one on every host until it is resumed") {
        REQUIRE(becomes("ok"));
        const auto preview = run({"consumers", "retire", doer});
        CHECK(preview.code == 0);
        CHECK(contains(preview.err, "nothing was done, repeat it with --yes"));
        CHECK(consumer(doer).at("state") == "ok");

        CHECK(run({"consumers", "retire", doer, "--yes"}).code == 0);
        ask("1", "note");
        CHECK(consumer(doer).at("state") == "retired");
        const auto second = serve();
        CHECK(consumer(doer).at("state") == "retired");
        CHECK(done() == "0");

        CHECK(run({"consumers", "resume", doer}).code == 0);
        CHECK(has_done("1"));
    }

    TEST_CASE_FIXTURE(Live, "of an unknown name suggest the nearest") {
        REQUIRE(becomes("ok"));
        for (const auto& words :
             std::vector<std::vector<std::string>>{{"pause", "chores.dor"},
                                                   {"resume", "chores.dor"},
                                                   {"seek", "chores.dor", "0"},
                                                   {"retry", "chores.dor", "--all"},
                                                   {"retire", "chores.dor", "--yes"}}) {
            std::vector<std::string> command{"consumers"};
            command.insert(command.end(), words.begin(), words.end());
            const auto ran = run(command);
            CAPTURE(ran.err);
            CHECK(ran.code == 1);
            CHECK(contains(ran.err, "no consumer is called 'chores.dor'"));
            CHECK(contains(ran.err, "did you mean 'chores.doer'?"));
        }
        CHECK(run({"consumers", "puase", doer}).code == 2);
        CHECK(run({"consumers"}).code == 2);
    }

    // P02
    TEST_CASE_FIXTURE(Live, "list shows who holds the stream and never calls it ok") {
        REQUIRE(becomes("ok"));
        radd::db::Session writer{{.url = url(), .application_name = "desk"}};
        writer.run_script(
            "BEGIN; INSERT INTO radd.events (event_type, entity_type, entity_id) "
            "VALUES ('chores.asked', 'chore', '1')");
        ask("2", "note");

        REQUIRE(becomes("waiting"));
        const auto shown = consumer(doer);
        CHECK(shown.at("waiting_on").at("application_name") == "desk");
        CHECK(shown.at("waiting_on").at("age_ms") > 1000);
        const auto list = run({"consumers", "list"});
        CHECK(contains(list.err, "the stream waits at event 1 for the transaction of pid"));
        CHECK(done() == "0");

        writer.run_script("ROLLBACK");
        CHECK(has_done("1"));
        CHECK(becomes("ok"));
    }

    TEST_CASE_FIXTURE(Scene, "list fits a terminal of 80 columns") {
        ship();
        const auto host = serve();
        REQUIRE(eventually([&] { return is_settled(); }));

        const auto list = run({"consumers", "list"});

        CAPTURE(list.out);
        CHECK(is_narrow(list.out));
        CHECK(contains(list.out, "csat.sender"));
        CHECK(contains(list.out, "radd.partitions"));
        CHECK(consumer("radd.skipped_events").at("state") == "ok");
        CHECK(contains(list.out, std::to_string(host->pid())));
    }

    TEST_CASE_FIXTURE(Scene, "are all unowned where no host runs workers") {
        serve_once();
        set("RADD_RUN_WORKERS", "false");
        const auto web = serve();
        CHECK(contains(web->errors(), "ready: 1 plugins; workers are off"));

        ask("1", "note");
        const auto all = must({"consumers", "list", "--json"}).json();
        CHECK(all.size() == 4);  // The plugin's one, and three of the host's own.
        for (const auto& one : all) {
            CHECK(one.at("state") == "unowned");
            CHECK(one.at("owner").is_null());
        }
        CHECK(consumer(doer).at("lag") == 1);
        CHECK(done() == "0");

        web->signal(SIGTERM);
        CHECK(web->wait() == 0);
    }

    TEST_CASE_FIXTURE(Scene, "list shows one whose plugin is gone until it is back") {
        serve_once();
        std::filesystem::remove(path("manifests/chores.yaml"));
        {
            const auto without = serve();
            CHECK(becomes("not_loaded"));
        }
        install_chores();
        const auto host = serve();
        CHECK(becomes("ok"));
    }

    // P03
    TEST_CASE_FIXTURE(Scene, "list holds one that is ahead of a restored stream") {
        serve_once();
        execute("UPDATE radd.consumers SET cursor = 1000 WHERE name = 'chores.doer'");
        const auto host = serve();
        REQUIRE(becomes("beyond_head"));
        CHECK(contains(run({"consumers", "list"}).err, "`radd consumers seek chores.doer head`"));

        ask("1", "note");
        CHECK(consumer(doer).at("state") == "beyond_head");
        CHECK(run({"consumers", "seek", doer, "beginning", "--yes"}).code == 0);
        CHECK(has_done("1"));
        CHECK(becomes("ok"));
    }

    TEST_CASE_FIXTURE(Scene, "validate all the same where workers are off") {
        set("RADD_RUN_WORKERS", "false");
        write("plugins/chores.so", "this is no library\n");

        CHECK(run({"serve"}).code == 3);
    }
}
