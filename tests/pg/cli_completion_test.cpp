// What the tab key gives: the scripts are run by the shells that they are for.

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tests/support/radd_process.hpp>

using namespace radd::testing;

namespace {

using Words = std::set<std::string>;

struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} {
        ship();
        must({"migrate"});
        execute(
            "INSERT INTO radd.consumers (name, plugin) VALUES ('csat.sender', 'csat'),"
            " ('chores.doer', 'chores')");
    }

    /// What `shell` offers for the last of `words`, as `script` makes it tell.
    Words told_by(const std::string& shell,
                  const std::string& script,
                  const std::vector<std::string>& words) const {
        std::vector<std::string> all{shell, "-c", script, "shell"};
        all.insert(all.end(), words.begin(), words.end());
        Process asked{all,
                      {{"RADD", RADD_BINARY_DIR "/bin/radd"},
                       {"RADD_DATABASE_URL", url()},
                       {"RADD_PLUGINS_DIR", path("plugins").string()},
                       {"RADD_MANIFESTS_DIR", path("manifests").string()},
                       {"RADD_DATA_DIR", path("var").string()}}};
        const auto code = asked.wait();
        CHECK_MESSAGE(code == 0, asked.errors());
        CHECK(asked.errors().empty());
        const auto lines = lines_of(asked.output());
        return {lines.begin(), lines.end()};
    }
    Words in_bash(const std::vector<std::string>& words) const {
        return told_by("/bin/bash",
                       "radd() { \"$RADD\" \"$@\"; }; eval \"$(radd completion bash)\";"
                       "compopt() { :; };"
                       "COMP_WORDS=(radd \"$@\"); COMP_CWORD=$#;"
                       "_radd radd \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\";"
                       "[[ ${#COMPREPLY[@]} -eq 0 ]] || printf '%s\\n' \"${COMPREPLY[@]}\"",
                       words);
    }
    Words in_zsh(const std::vector<std::string>& words) const {
        return told_by("/usr/bin/zsh",
                       "radd() { \"$RADD\" \"$@\" }; compdef() { :; };"
                       "compadd() { shift; print -rl -- \"$@\" }; _files() { print files };"
                       "eval \"$(radd completion zsh)\";"
                       "words=(radd \"$@\"); CURRENT=$#words; _radd || true",
                       words);
    }
};

}  // namespace

TEST_SUITE("completion") {
    TEST_CASE_FIXTURE(Scene, "offers the same in bash and in zsh") {
        for (const auto& ask : {&Scene::in_bash, &Scene::in_zsh}) {
            const auto offered = [&](const std::vector<std::string>& words) {
                return (this->*ask)(words);
            };
            CHECK(offered({"cons"}) == Words{"consumers"});
            CHECK(offered({"help", "ev"}) == Words{"events"});
            CHECK(offered({"consumers", "re"}) == Words{"resume", "retire", "retry"});
            CHECK(offered({"serve", "--safe-mode", ""}) == Words{"false", "true"});
            CHECK(offered({"--safe-mode", "consumers", "re"}) ==
                  Words{"resume", "retire", "retry"});
            CHECK(offered({"consumers", "pause", ""}) == Words{"chores.doer", "csat.sender"});
            CHECK(offered({"consumers", "seek", "cs"}) == Words{"csat.sender"});
            CHECK(offered({"consumers", "seek", "csat.sender", ""}) == Words{"beginning", "head"});
            CHECK(offered({"events", "query", "--type", "csat.re"}) ==
                  Words{"csat.requested", "csat.responded"});
            CHECK(offered({"events", "emit", "item.c"}) == Words{"item.created"});
            CHECK(offered({"catalog", "--format", ""}) == Words{"asyncapi", "json", "table"});
            CHECK(offered({"events", "query", "--li"}) == Words{"--limit"});
            CHECK(offered({"events", "tail", "--al"}) == Words{"--all"});
            CHECK(offered({"serve", "--http-l"}) == Words{"--http-listen"});
            CHECK(offered({"imp"}) == Words{"import"});
            CHECK(offered({"import", ""}) == Words{"csv", "jira", "list", "rollback"});
            CHECK(offered({"why", "csat.s"}) == Words{"csat.sender"});
            CHECK(offered({"why", "E3"}).contains("E31"));
            CHECK(offered({"schema", "cs"}) == Words{"csat"});
            CHECK(offered({"completion", ""}) == Words{"bash", "zsh"});
            CHECK(offered({"consumers", "list", ""}).empty());
            CHECK(offered({"nonsense", ""}).empty());
        }
        CHECK(in_zsh({"inspect", ""}) == Words{"files"});
        CHECK(in_zsh({"new-plugin", "hello", "--dir", ""}) == Words{"files"});
    }

    TEST_CASE_FIXTURE(Scene, "offers files to bash where a file is wanted") {
        const auto folder = path("plugins").string() + "/";
        CHECK(in_bash({"inspect", folder + "cs"}) == Words{folder + "csat.so"});
        CHECK(in_bash({"serve", "--data-dir", path("plug").string()}) ==
              Words{path("plugins").string()});
        CHECK(in_bash({"serve", "--data-dir", "=", path("plug").string()}) ==
              Words{path("plugins").string()});
    }

    TEST_CASE_FIXTURE(Scene, "offers no names where no database answers and starts none") {
        for (const char* url : {"postgresql://ada@127.0.0.1:1/desk", ""}) {
            Installation::set("RADD_DATABASE_URL", url);
            const auto ran = run({"__complete", "consumers", "pause", ""});
            CHECK(ran.out.empty());
        }
        CHECK_FALSE(std::filesystem::exists(path("var/postgres")));
    }

    TEST_CASE_FIXTURE(Scene, "offers each command that help lists") {
        const auto offered = in_bash({""});
        for (const char* command : {"serve",
                                    "check",
                                    "migrate",
                                    "catalog",
                                    "events",
                                    "consumers",
                                    "deliveries",
                                    "completion",
                                    "help",
                                    "item",
                                    "import",
                                    "csat"})
            CHECK_MESSAGE(offered.contains(command), command);
        CHECK_FALSE(offered.contains("__complete"));
    }
}
