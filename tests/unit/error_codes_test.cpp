// Every code the host can print is explained to plugin authors, and nothing is explained that it
// cannot print.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include <doctest/doctest.h>

namespace fs = std::filesystem;

namespace {

std::string contents(const fs::path& path) {
    std::ifstream in{path};
    return {std::istreambuf_iterator<char>{in}, {}};
}

std::set<std::string> matches(const std::string& text, const std::regex& pattern) {
    std::set<std::string> found;
    for (std::sregex_iterator at{text.begin(), text.end(), pattern}, end; at != end; ++at)
        found.insert((*at)[1]);
    return found;
}

}  // namespace

TEST_SUITE("error codes") {
    TEST_CASE("each code in the host has its line in the sdk readme and the other way round") {
        const fs::path root{RADD_SOURCE_DIR};
        std::set<std::string> printed;
        for (const auto& entry : fs::recursive_directory_iterator{root / "host"}) {
            if (entry.path().extension() != ".cpp") continue;
            printed.merge(matches(contents(entry.path()), std::regex{"\"([EW][0-9]{2})\""}));
        }
        REQUIRE(printed.contains("E31"));

        const auto explained =
            matches(contents(root / "sdk/README.md"), std::regex{"\\| ([EW][0-9]{2}) \\|"});

        for (const auto& code : printed) CHECK_MESSAGE(explained.contains(code), code);
        for (const auto& code : explained) CHECK_MESSAGE(printed.contains(code), code);
    }
}
