// radd events …: the stream, from a shell.

#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <signal.h>
#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;

namespace {

struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} {
        install_chores();
        must({"migrate"});
    }
    Ran emit(const std::string& chore, const std::string& payload) const {
        return run({"events", "emit", "chores.asked", "chore", chore, "--payload", payload});
    }
};

struct Refused {
    std::vector<std::string> arguments;
    const char* text;
};

const std::vector<Refused> refused{
    {{"chores.aksed", "chore", "1"}, "no loaded plugin declares 'chores.aksed'"},
    {{"chores.asked", "choer", "1"}, "no loaded plugin knows 'choer'"},
    {{"chores.asked", "chore", "1", "--payload", "[1]"}, "payload"},
    {{"chores.asked", "chore", "1", "--payload", "{"}, "payload"},
    {{"chores.asked", "chore", "1", "--payload", R"({"a": "\u0000"})"}, "payload"},
    {{"chores.asked", "chore", "1", "--actor", "ada"}, "actor"},
    {{"chores.asked", "chore", "1", "--subject", "chore"}, "'chore' is not entity=id"},
    {{"chores.asked", "chore", "1", "--changes", "{}"}, "changes: no JSON array"},
};

}  // namespace

TEST_SUITE("radd events") {
    TEST_CASE_FIXTURE(Scene, "emit appends what show and query find") {
        const auto emitted = emit("7", R"({"do": "note", "big": 9007199254740993})");
        CAPTURE(emitted.err);
        CHECK(emitted.code == 0);
        CHECK(contains(emitted.err, "emitted chores.asked"));

        const auto page = run({"events", "show", "1"});
        CHECK(page.code == 0);
        CHECK(contains(page.out, "chores.asked"));
        CHECK(contains(page.out, "chore 7"));
        const auto json = run({"events", "show", "1", "--json"}).json();
        CHECK(json.at("entity_id") == "7");
        CHECK(json.at("silent") == false);
        CHECK(json.at("payload").at("big") == 9007199254740993);
        const auto found =
            run({"events", "query", "--type", "chores.asked", "--json"}).json_lines();
        REQUIRE(found.size() == 1);
        CHECK(found[0].at("id") == 1);
    }

    // P21
    TEST_CASE_FIXTURE(Scene, "emit refuses what does not fit and names the field") {
        for (const Refused& one : refused) {
            std::vector<std::string> command{"events", "emit"};
            command.insert(command.end(), one.arguments.begin(), one.arguments.end());
            const auto ran = run(command);
            CAPTURE(std::string{one.text});
            CAPTURE(ran.err);
            CHECK(ran.code == 1);
            CHECK(lines_of(ran.err).size() == 1);
            CHECK(contains(ran.err, one.text));
        }
        CHECK(value("SELECT count(*) FROM radd.events") == "0");
        CHECK(run({"events", "emit", "chores.asked"}).code == 2);
    }

    TEST_CASE_FIXTURE(Scene, "query narrows down and tells how to go on") {
        for (const char* chore : {"1", "2", "3"}) REQUIRE(emit(chore, "{}").code == 0);

        const auto newest = run({"events", "query", "--limit", "2", "--json"});
        REQUIRE(newest.json_lines().size() == 2);
        CHECK(newest.json_lines()[0].at("id") == 3);
        CHECK(contains(newest.err, "there may be more: --before 2"));
        const auto of_one = run({"events", "query", "--entity", "chore=2", "--json"}).json_lines();
        REQUIRE(of_one.size() == 1);
        CHECK(of_one[0].at("id") == 2);
        const auto after = run({"events", "query", "--after", "1", "--json"}).json_lines();
        REQUIRE(after.size() == 2);
        CHECK(after[0].at("id") == 2);
        CHECK(run({"events", "query", "--since", "2999-01-01", "--json"}).out.empty());
        CHECK(lines_of(run({"events", "query"}).out).size() == 4);
    }

    TEST_CASE_FIXTURE(Scene, "query and show say what they do not understand") {
        const auto since = run({"events", "query", "--since", "teatime"});
        CAPTURE(since.err);
        CHECK(since.code == 1);
        CHECK(contains(since.err, "'teatime' is no time"));
        const auto absent = run({"events", "show", "12"});
        CHECK(absent.code == 1);
        CHECK(contains(absent.err, "event 12: no such event"));
        CHECK(run({"events", "show", "twelve"}).code == 2);
        CHECK(run({"events", "query", "--limit", "0"}).code == 2);
        CHECK(run({"events", "query", "--typ", "x"}).code == 2);
        const auto actor = run({"events", "query", "--actor", "ada"});
        CAPTURE(actor.err);
        CHECK(actor.code == 1);
        CHECK(lines_of(actor.err).size() == 1);
    }

    TEST_CASE_FIXTURE(Scene, "tail shows the last ones and follows until it is interrupted") {
        REQUIRE(emit("1", "{}").code == 0);
        for (const int signal : {SIGINT, SIGTERM}) {
            const auto tail = start({"events", "tail", "--json"});
            const auto shows = [&](const std::string& chore) {
                return eventually(
                    [&] { return contains(tail->output(), R"("entity_id":")" + chore + R"(")"); });
            };
            REQUIRE(shows("1"));

            REQUIRE(emit("while-" + std::to_string(signal), "{}").code == 0);
            CHECK(shows("while-" + std::to_string(signal)));

            tail->signal(signal);
            CHECK(tail->wait() == 0);
            for (const auto& line : lines_of(tail->output())) CHECK(nlohmann::json::accept(line));
        }
    }

    TEST_CASE_FIXTURE(Scene, "tail ends at the head when it need not follow") {
        for (const char* chore : {"1", "2", "3"}) REQUIRE(emit(chore, "{}").code == 0);

        const auto ran = run({"events", "tail", "-n", "2", "--no-follow"});

        CHECK(ran.code == 0);
        REQUIRE(lines_of(ran.out).size() == 2);
        CHECK(contains(lines_of(ran.out)[0], "chore 2"));
        CHECK(contains(lines_of(ran.out)[1], "chore 3"));
    }

    TEST_CASE_FIXTURE(Scene, "types that are not audited are shown where they are asked for") {
        declare("probes",
                "event_types:\n  probes.taken:\n    label: Taken\n    group: Probes\n"
                "    audited: false\n    aliases: [probes.took]\n");
        const auto probe = [&] {
            execute(
                "INSERT INTO radd.events (event_type, entity_type, entity_id) "
                "VALUES ('probes.taken', 'chore', '7'), ('probes.took', 'chore', '7')");
        };
        REQUIRE(emit("1", "{}").code == 0);
        probe();

        for (const std::vector<std::string>& command :
             {std::vector<std::string>{"events", "query"}, {"events", "tail", "--no-follow"}}) {
            const auto shown = [&](std::vector<std::string> more) {
                more.insert(more.begin(), command.begin(), command.end());
                more.emplace_back("--json");
                return must(more).json_lines().size();
            };
            CAPTURE(command.at(1));
            CHECK(shown({}) == 1);
            CHECK(shown({"--all"}) == 3);
            CHECK(shown({"--type", "probes.took"}) == 1);
        }
        CHECK(must({"events", "query", "--all", "--not-type", "probes.took", "--json"})
                  .json_lines()
                  .size() == 2);

        const auto tail = start({"events", "tail", "--json"});
        const auto shows = [&](const std::string& chore) {
            return eventually(
                [&] { return contains(tail->output(), R"("entity_id":")" + chore + R"(")"); });
        };
        REQUIRE(shows("1"));
        probe();
        REQUIRE(emit("2", "{}").code == 0);
        CHECK(shows("2"));
        CHECK_FALSE(contains(tail->output(), "probes."));
        tail->signal(SIGTERM);
        CHECK(tail->wait() == 0);
    }

    TEST_CASE_FIXTURE(Scene, "of the shipped plugins carry the ref of what they are about") {
        ship();
        must({"migrate"});
        must({"project", "add", "DESK", "Desk"});
        must({"item", "add", "DESK", "A broken lamp"});

        const auto found =
            run({"events", "query", "--type", "item.created", "--json"}).json_lines();

        REQUIRE(found.size() == 1);
        CHECK(found[0].at("payload").at("item").at("key") == "DESK-1");
    }
}
