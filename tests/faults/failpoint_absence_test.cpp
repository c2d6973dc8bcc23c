// A release has no place to die at: neither a call nor a name, nor a preset that would bring them.

#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace {

std::string contents(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    REQUIRE_MESSAGE(file, path);
    return {std::istreambuf_iterator<char>{file}, {}};
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("failpoints") {
    TEST_CASE("are nothing at all where the option is off") {
        const auto on = contents(RADD_PROBE_ON);
        const auto off = contents(RADD_PROBE_OFF);
        for (const char* part : {"pass_failpoint", "probe.point", "probe.subject"}) {
            CAPTURE(part);
            CHECK(has(on, part));
            CHECK_FALSE(has(off, part));
        }
        CHECK(has(off, "work_with_a_place_to_die"));
    }

    TEST_CASE("are off in the release preset and in a build without any") {
        const auto presets = nlohmann::json::parse(contents(RADD_SOURCE_DIR "/CMakePresets.json"));
        std::string wanted = "release";
        while (!wanted.empty()) {
            std::string parent;
            for (const auto& preset : presets.at("configurePresets")) {
                if (preset.at("name") != wanted) continue;
                CHECK_FALSE(preset.at("cacheVariables").contains("RADD_FAILPOINTS"));
                parent = preset.value("inherits", "");
            }
            wanted = parent;
        }
        const auto option = contents(RADD_SOURCE_DIR "/tools/cmake/RaddFailpoints.cmake");
        CHECK(has(option, "never in a release\" OFF)"));
        CHECK(has(option, "NOT CMAKE_BUILD_TYPE STREQUAL \"Debug\""));
    }
}
