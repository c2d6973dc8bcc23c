// What a build writes into a plugin's file of what the plugin brings, and who reads it.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <host/plugins/report.hpp>
#include <host/plugins/seal.hpp>
#include <tests/loader/bench.hpp>

using namespace radd;
using loader_test::Bench;
using loader_test::Bytes;
using loader_test::fixture_path;
using loader_test::loaded;
using loader_test::problems;
using loader_test::read_file;
using loader_test::Variable;
using loader_test::with_text;

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

/// "" if it is taken.
std::string complaint(const std::string& text) {
    try {
        (void)loader::read_seal(text);
        return {};
    } catch (const Error& failure) {
        return failure.what();
    }
}

std::string difference(std::string_view sealed, std::string_view live) {
    return loader::seal_difference(Json::parse(sealed), Json::parse(live));
}

/// A copy of `library` whose seal has another label of its first event, of as many bytes.
Bytes labelled(Bytes library, const std::string& json) {
    return with_text(std::move(library), R"("label":"It happened")", R"("label":)" + json);
}

struct Sealed : Bench {
    Sealed() {
        install("describer");
        declare("describer");
        declare("sealed");
    }
};

}  // namespace

TEST_SUITE("sealed manifest") {
    TEST_CASE_FIXTURE(Bench, "a stripped plugin tells its events and subjects without being run") {
        const auto path = install("stripped", "sealed.so");
        const Variable marker{"FIXTURE_MARKER", (root / "marker").string()};

        const auto inspection = loader::inspect(path);

        CHECK(loader::problems_text(inspection.problems).empty());
        const std::string text = loader::inspection_text(inspection);
        CHECK(contains(text, "  sealed       yes\n"));
        CHECK(contains(text,
                       "as its build has sealed it, it brings\n"
                       "  events     sealed.happened  'It happened'  subjects item\n"
                       "             sealed.ended  'It ended'\n"
                       "  consumers  sealed.reader  resumes at its cursor, batch "));
        const auto manifest = Json::parse(loader::inspection_json(inspection)).at("manifest");
        const Json& event = manifest.at("events").at(0);
        CHECK(event.at("type") == "sealed.happened");
        CHECK(event.at("subjects") == Json::array({"item"}));
        CHECK(event.at("audited") == true);
        CHECK(manifest.at("settings") ==
              Json::parse(R"([{"name":"size","type":"integer","required":false,"default":"10",
                               "help":"","minimum":1,"maximum":100}])"));
        CHECK_FALSE(fs::exists(root / "marker"));
        CHECK(fs::file_size(path) < fs::file_size(fixture_path("sealed")));
        CHECK(inspection.elf->build_id ==
              loader::read_elf(read_file(fixture_path("sealed"))).build_id);
    }

    TEST_CASE_FIXTURE(Bench, "a plugin that is not sealed says so and is loaded all the same") {
        const auto path = install("describer");
        declare("describer");

        const auto inspection = loader::inspect(path);

        CHECK(inspection.problems.empty());
        CHECK(contains(loader::inspection_text(inspection),
                       "  sealed       no, so only --live tells what it brings\n"));
        const auto json = Json::parse(loader::inspection_json(inspection));
        CHECK(json.at("sealed") == false);
        CHECK(json.at("manifest").is_null());
        CHECK(loaded(load()) == "describer");
    }

    TEST_CASE_FIXTURE(Sealed, "a plugin that brings what it was sealed with is loaded") {
        install("stripped", "sealed.so");

        CHECK(loaded(load()) == "describer sealed");
    }

    TEST_CASE_FIXTURE(Sealed, "another manifest is refused by the first fields that differ") {
        install("sealed");
        const std::vector<std::pair<std::string, std::string>> faults{
            {"undescribed", "events[0].subjects[0]: sealed 'item', now 'itme'"},
            {"enum_gap", "events: 2 sealed, now 1"},
            {"huge_batch", "consumers[0].batch: sealed '100', now '1001'"},
            {"stolen_route", "routes: 1 sealed, now 2"}};
        for (const auto& [name, text] : faults) {
            CAPTURE(name);
            const Variable fault{"FIXTURE_FAULT", name};

            const auto set = load();

            CHECK(loaded(set) == "describer");
            CHECK_FALSE(set.may_start());
            const std::string found = problems(set);
            CAPTURE(found);
            CHECK(contains(found, "E19 " + (plugins / "sealed.so").string() + " sealed: "));
            CHECK(contains(found, "not the one that its build has sealed: " + text + ". "));
        }
    }

    TEST_CASE_FIXTURE(Bench, "a seal that cannot be read is refused before any code runs") {
        declare("sealed");
        const Bytes library = read_file(fixture_path("sealed"));
        const Variable marker{"FIXTURE_MARKER", (root / "marker").string()};
        const std::vector<std::pair<std::string, std::string>> seals{
            {R"("It happened)"
             "\n",
             "it is no JSON from byte "},
            {"[1,2,3,4,5,6]", "it is not what a manifest is told as"},
            {"1234567890123", "it is not what a manifest is told as"},
            {"123456789e999", "it has a number that is too large"}};
        for (const auto& [label, text] : seals) {
            CAPTURE(label);
            const auto path = install("sealed.so", labelled(library, label));

            const auto inspection = loader::inspect(path);

            CHECK(contains(
                loader::problems_text(inspection.problems),
                "E19 " + path.string() +
                    " sealed: the manifest that it is sealed with cannot be read: " + text));
            CHECK_FALSE(inspection.said);
            CHECK(contains(problems(load()), text));
        }
        CHECK_FALSE(fs::exists(root / "marker"));
    }

    TEST_CASE_FIXTURE(Bench, "what stands in a seal does nothing to a terminal") {
        const auto path =
            install("sealed.so", labelled(read_file(fixture_path("sealed")), R"("\u001b[2JIt")"));

        const auto inspection = loader::inspect(path);

        CHECK(contains(loader::inspection_text(inspection), "[2JIt"));
        CHECK_FALSE(contains(loader::inspection_text(inspection), "\x1b"));
        CHECK_FALSE(contains(loader::inspection_json(inspection), "\x1b"));
    }

    TEST_CASE("only a JSON object of few levels is one") {
        const auto nested = [](std::size_t levels) {
            return R"({"a":)" + std::string(levels - 1, '[') + std::string(levels - 1, ']') + '}';
        };
        CHECK(complaint("{}").empty());
        CHECK(complaint(nested(loader::seal_depth_max)).empty());
        CHECK(complaint(nested(loader::seal_depth_max + 1)) == "it is deeper than 16 levels");
        CHECK(complaint(std::string(1'000'000, '[')) == "it is deeper than 16 levels");
        CHECK(complaint("[]") == "it is no JSON object");
        CHECK(complaint("").starts_with("it is no JSON from byte "));
        CHECK(complaint("{} {}").starts_with("it is no JSON from byte "));
        CHECK(complaint("{/**/}").starts_with("it is no JSON from byte "));
        CHECK(complaint("{\"a\":\"\xFF\"}").starts_with("it is no JSON from byte "));
        CHECK(complaint(R"({"a":1e999})") == "it has a number that is too large");
    }

    TEST_CASE("only what both tell of can differ and few of it is told") {
        CHECK(difference(R"({"a":1,"old":2})", R"({"new":3,"a":1})").empty());
        CHECK(difference(R"({"a":[{"b":1}]})", R"({"a":[{"b":2,"c":1}]})") ==
              "a[0].b: sealed '1', now '2'");
        CHECK(difference(R"({"a":null})", R"({"a":"x"})") == "a: sealed 'null', now 'x'");
        CHECK(difference(R"({"a":[1]})", R"({"a":{}})") == "a: sealed '[1]', now '{}'");
        CHECK(difference(R"({"a":[1,2,3,4,5]})", R"({"a":[6,7,8,9]})") ==
              "a[0]: sealed '1', now '6'; a[1]: sealed '2', now '7'; a[2]: sealed '3', now '8'; "
              "and 2 more");
    }
}
