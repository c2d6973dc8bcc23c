// A test that does more under RADD_LONG does so somewhere: its executable is registered for it.

#include <algorithm>
#include <cctype>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <tests/unit/tidy_sources.hpp>

namespace {

using namespace radd::tidy;

std::string joined(const Source& source) {
    std::string text;
    for (const auto& line : source.lines) text += line + "\n";
    return text;
}

bool reads_long(const Source& source) {
    static const std::regex reads{R"(getenv\("RADD_LONG"\))"};
    return is_cpp(source.path) && std::ranges::any_of(source.lines, [](const auto& line) {
               return std::regex_search(line, reads);
           });
}

/// What is between the brackets of each `radd_add_test(…)`.
std::vector<std::string> registrations(const std::string& text) {
    constexpr std::string_view call = "radd_add_test(";
    std::vector<std::string> found;
    for (auto at = text.find(call); at != std::string::npos; at = text.find(call, at + 1)) {
        const auto from = at + call.size();
        found.push_back(text.substr(from, text.find(')', from) - from));
    }
    return found;
}

bool has_word(const std::string& text, const std::string& word) {
    const auto is_part = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '/';
    };
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        const auto end = at + word.size();
        if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end])))
            return true;
    }
    return false;
}

/// Files that read RADD_LONG, of tests that nobody runs with it.
std::vector<std::string> never_long(const std::vector<Source>& among) {
    std::vector<std::string> found;
    for (const Source& source : among) {
        if (!reads_long(source)) continue;
        const auto slash = source.path.rfind('/') + 1;
        const auto lists = source.path.substr(0, slash) + "CMakeLists.txt";
        const auto file = source.path.substr(slash);
        const bool is_long = std::ranges::any_of(among, [&](const Source& list) {
            return list.path == lists &&
                   std::ranges::any_of(registrations(joined(list)), [&](const auto& test) {
                       return has_word(test, file) &&
                              (has_word(test, "LONG") || has_word(test, "faults"));
                   });
        });
        if (!is_long) found.push_back(source.path);
    }
    return found;
}

}  // namespace

TEST_SUITE("tidy") {
    TEST_CASE("who reads RADD_LONG is run with it") {
        for (const auto& path : never_long(sources()))
            FAIL_CHECK(path << ": register it with LONG, see tools/cmake/RaddTest.cmake");
    }

    TEST_CASE("a test that nobody runs for long is found") {
        const Source reader{"tests/pg/a_test.cpp", {"std::getenv(\"RADD_LONG\")"}};
        const auto found = [&](const std::string& registration) {
            return never_long({reader, {"tests/pg/CMakeLists.txt", {registration}}});
        };
        CHECK(found("radd_add_test(a LABELS pg SOURCES a_test.cpp)").size() == 1);
        CHECK(found("radd_add_test(a LABELS pg LONG SOURCES data_test.cpp)").size() == 1);
        CHECK(found("radd_add_test(a LABELS pg LONG SOURCES a_test.cpp)").empty());
        CHECK(found("radd_add_test(a LABELS faults SOURCES a_test.cpp)").empty());
        CHECK(never_long({{"tests/pg/a_test.cpp", {"std::getenv(\"HOME\")"}}}).empty());
    }
}
