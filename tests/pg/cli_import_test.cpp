// `radd import …`, as its users type it.

#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tests/support/radd_process.hpp>
#include <tests/support/repeated_columns.hpp>

using namespace radd::testing;

namespace {

struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} {
        ship();
        std::ofstream{file} << repeated_columns << "ragged\r\n";
    }

    TempDir folder;
    std::string file = (folder.path() / "jira.csv").string();
};

}  // namespace

TEST_SUITE("import commands") {
    TEST_CASE_FIXTURE(Scene, "a file is tried and imported and listed and taken back") {
        const auto planned = must({"import", "csv", file, "--dry-run", "--json"}).json();
        CHECK(planned.at("created") == 2);
        CHECK(must({"import", "list", "--json"}).json().empty());

        const auto done = must({"import", "csv", file, "--map", "Sprint=labels", "--json"}).json();
        CHECK(done.at("created") == 2);
        CHECK(done.at("rejected").at(0).at("line") == 5);
        const auto id = std::to_string(done.at("import").get<int>());
        CHECK(must({"item", "list", "OPS", "--json"}).json().size() == 2);

        const auto listed = must({"import", "list", "--json"}).json();
        CHECK(listed.at(0).at("state") == "finished");
        CHECK(listed.at(0).at("file") == file);
        CHECK(listed.at(0).at("counts").at("created") == 2);
        CHECK(must({"import", "list"}).out.find("2 created, 0 updated, 2 comments") !=
              std::string::npos);

        CHECK(must({"import", "rollback", id, "--dry-run"}).out.find("nothing was changed") !=
              std::string::npos);
        const auto undone = must({"import", "rollback", id, "--json"}).json();
        CHECK(undone.at("items_removed") == 2);
        CHECK(undone.at("people_kept") == 2);
        CHECK(must({"item", "list", "OPS", "--json"}).json().empty());
        CHECK(must({"import", "list", "--json"}).json().at(0).at("state") == "rolled_back");
    }

    TEST_CASE_FIXTURE(Scene, "what is wrong is said with its remedy and by the exit code") {
        const auto unknown = run({"import", "rollback", "7"});
        CHECK(unknown.code == 1);
        CHECK(unknown.err.find("there is no 7; `radd import list` shows them") !=
              std::string::npos);
        CHECK(run({"import", "rollback"}).code == 2);
        CHECK(run({"import", "rollback", "seven"}).code == 1);
        CHECK(run({"import", "csv", file, "--dates", "us"}).code == 2);
        CHECK(run({"import", "csv", file, "--strict"}).code == 1);
        CHECK(run({"import", "csv", "absent.csv"}).err.find("No such file") != std::string::npos);
        CHECK(run({"import", "jira", "absent.json", "--map", "a=key"}).code == 2);
    }
}
