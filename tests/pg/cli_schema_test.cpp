// radd schema ID: what a plugin takes, as its build has sealed it.

#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include <tests/loader/bench.hpp>
#include <tests/support/radd_process.hpp>

using namespace radd::testing;
using radd::loader_test::Bytes;
using radd::loader_test::with_note;
using radd::loader_test::with_text;

namespace fs = std::filesystem;

namespace {

/// `sealed` names a subject that nobody here describes, so that this host refuses it (E31).
struct Scene : Installation {
    Scene() { install("sealed", "sealed"); }

    [[nodiscard]] fs::path library() const { return path("plugins/sealed.so"); }
    void replace_library(const Bytes& bytes) const {
        radd::loader_test::write_file(library(), bytes);
    }
    void check_told() const {
        const auto told = run({"schema", "sealed"});
        CAPTURE(told.err);
        REQUIRE(told.code == 0);
        const auto properties = told.json().at("properties");
        CHECK(properties.at("id").at("const") == "sealed");
        CHECK(properties.at("settings").at("properties").at("size").at("maximum") == 100);
        CHECK(properties.at("consumers").at("properties").contains("sealed.reader"));
    }
};

}  // namespace

TEST_SUITE("radd schema") {
    TEST_CASE_FIXTURE(Installation, "tells of a seal what it tells of a loaded plugin") {
        ship();
        const auto loaded = must({"schema"}).json().at("$defs");

        for (const std::string id : {"items", "mail", "csat", "importer"}) {
            CAPTURE(id);
            auto sealed = must({"schema", id}).json();
            sealed.erase("$schema");
            CHECK(sealed == loaded.at("plugin." + id));
        }
    }

    TEST_CASE_FIXTURE(Scene, "runs none of the code of a plugin that is sealed") {
        set("FIXTURE_MARKER", path("marker"));

        check_told();
        CHECK_FALSE(fs::exists(path("marker")));

        // The trace would have been there.
        must({"schema"});
        CHECK(fs::exists(path("marker")));
    }

    TEST_CASE_FIXTURE(Scene,
                      "tells what a plugin takes that is refused or off or has no manifest") {
        CHECK(run({"check"}).code == 3);
        check_told();
        declare("sealed", "settings: {size: many}\n");
        check_told();
        declare("sealed", "enabled: false\n");
        check_told();
        fs::remove(path("manifests/sealed.yaml"));
        check_told();
        fs::rename(library(), path("plugins/other.so"));
        declare("sealed", "library: other.so\n");
        check_told();
    }

    TEST_CASE_FIXTURE(Scene,
                      "tells what a plugin takes that this host would not open and says so") {
        const Bytes library = radd::loader_test::read_file(this->library());
        replace_library(with_note(library, [](auto& note) { ++note.abi_major; }));

        check_told();

        CHECK(contains(run({"schema", "sealed"}).err,
                       "this host would not open ./plugins/sealed.so; `radd inspect "
                       "./plugins/sealed.so` tells why"));
    }

    TEST_CASE_FIXTURE(Scene, "names the library whose seal is of no use") {
        const Bytes library = radd::loader_test::read_file(this->library());
        replace_library(with_text(library, R"("settings")", R"("sattings")"));

        const auto told = run({"schema", "sealed"});

        CHECK(told.code == 1);
        CHECK(told.out.empty());
        CHECK(contains(told.err, "./plugins/sealed.so: its seal cannot be used: "));
    }

    TEST_CASE_FIXTURE(Installation,
                      "asks a plugin without a seal and a folder without such a plugin") {
        install("describer", "describer");
        const auto properties = must({"schema", "describer"}).json().at("properties");
        CHECK(properties.at("settings").at("properties").at("size").at("maximum") == 100);

        declare("describer", "enabled: false\n");
        CHECK(run({"schema", "describer"}).code == 1);
        for (const char* id : {"describr", "../describer", ""}) {
            const auto told = run({"schema", id});
            CHECK(told.code == 1);
            CHECK(contains(told.err, "no loaded plugin is called so"));
        }
    }
}
