// Routes of libraries: refused with everything else, and listed when they are taken.

#include <string>

#include <doctest/doctest.h>

#include <host/plugins/report.hpp>
#include <tests/loader/bench.hpp>

using namespace radd;
using namespace radd::loader_test;

namespace {

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

struct RoutesBench : Bench {
    RoutesBench() {
        for (const char* id : {"describer", "probe"}) {
            install(id);
            declare(id);
        }
    }
    loader::PluginSet load_with(const std::string& fault) const {
        const Variable variable{"FIXTURE_FAULT", fault};
        return load();
    }
};

}  // namespace

TEST_SUITE("routes of a library") {
    TEST_CASE_FIXTURE(RoutesBench, "are listed with who may call them") {
        const auto set = load();

        REQUIRE(set.may_start());
        CHECK(contains(loader::check_text(set), "routes     GET    /probe/{name}  anyone"));
        CHECK(contains(loader::set_json(set), R"("path": "/probe/{name}")"));
        CHECK(contains(loader::set_json(set), R"("access": "anyone")"));
    }

    TEST_CASE_FIXTURE(RoutesBench, "refuse it with everything that is wrong with them at once") {
        const auto set = load_with("bad_routes");

        CHECK_FALSE(set.may_start());
        const auto text = problems(set);
        for (const char* part : {"E37 ",
                                 "route 'GET probe': path must begin with '/'",
                                 "E38 ",
                                 "route 'GET /api/v1/events' lies under the host's own",
                                 "E39 ",
                                 "route 'GET /probe/{other}' means the same requests",
                                 "E35 ",
                                 "route 'POST /probe' has no 'handle' function",
                                 "E33 ",
                                 "route 'POST /probe': request_schema is no JSON"}) {
            CAPTURE(text);
            CHECK_MESSAGE(contains(text, part), part);
        }
    }

    TEST_CASE_FIXTURE(RoutesBench, "refuse it when another has the same") {
        const auto set = load_with("stolen_route");

        CHECK(loaded(set) == "describer");
        CHECK(contains(problems(set),
                       "means the same requests as 'GET /describer/{name}' of plugin 'describer'"));
    }
}
