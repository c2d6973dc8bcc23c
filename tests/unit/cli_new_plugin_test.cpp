#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>

#include <host/cli/command_line.hpp>
#include <host/cli/exit_codes.hpp>
#include <host/cli/new_plugin.hpp>
#include <host/plugins/validate.hpp>
#include <radd/error.hpp>
#include <tests/support/temp_dir.hpp>

using namespace radd::cli;
using radd::testing::TempDir;
namespace fs = std::filesystem;

namespace {

std::string contents(const fs::path& path) {
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
}

std::vector<fs::path> files_in(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator{folder}) {
        if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), folder));
    }
    std::ranges::sort(files);
    return files;
}

struct Wrong {
    const char* id;
    const char* meant;
};

}  // namespace

TEST_SUITE("new-plugin") {
    TEST_CASE("writes the template whole and as it stands in the tree") {
        const TempDir folder;
        write_project(folder.path() / "hello", new_plugin_files("hello"));

        const fs::path source = fs::path{RADD_SOURCE_DIR} / "sdk/template";
        CHECK(files_in(folder.path() / "hello") == files_in(source));
        for (const auto& file : files_in(source)) {
            CAPTURE(file);
            CHECK(contents(folder.path() / "hello" / file) == contents(source / file));
        }
        CHECK(std::distance(fs::directory_iterator{folder.path()}, {}) == 1);
    }

    TEST_CASE("puts the new name everywhere") {
        for (const auto& [path, text] : new_plugin_files("time_off")) {
            CAPTURE(path);
            CHECK(path.find("hello") == std::string::npos);
            CHECK(text.find("hello") == std::string::npos);
            CHECK(text.find("Hello") == std::string::npos);
            if (path == "time_off.cpp") CHECK(text.find(R"("Time off")") != std::string::npos);
        }
    }

    TEST_CASE("touches nothing that is there") {
        const TempDir folder;
        const auto files = new_plugin_files("hello");
        std::ofstream{folder.path() / "hello"} << "mine";
        CHECK_THROWS_WITH_AS(write_project(folder.path() / "hello", files),
                             doctest::Contains("is there already"),
                             radd::InvalidInput);
        CHECK(contents(folder.path() / "hello") == "mine");

        fs::create_symlink("nowhere", folder.path() / "link");
        CHECK_THROWS_AS(write_project(folder.path() / "link", files), radd::InvalidInput);
        CHECK(fs::is_symlink(folder.path() / "link"));
    }

    TEST_CASE("leaves nothing half written") {
        const TempDir folder;
        auto files = new_plugin_files("hello");
        files.push_back({.path = "hello.cpp/inside_a_file", .text = ""});
        CHECK_THROWS_WITH_AS(write_project(folder.path() / "hello", files),
                             doctest::Contains("cannot be written: Not a directory"),
                             radd::InvalidInput);
        CHECK(fs::is_empty(folder.path()));
        CHECK_THROWS_WITH_AS(write_project("/proc/nowhere/hello", new_plugin_files("hello")),
                             doctest::Contains("choose another place with --dir"),
                             radd::InvalidInput);
    }

    TEST_CASE("takes names that can be an id and a schema and a target and a command") {
        for (const char* id : {"hello", "a", "time", "class", "x2", "csat_eu"})
            CHECK_MESSAGE(plugin_name_complaint(id).empty(), id);
        CHECK(plugin_name_complaint(std::string(39, 'a')).empty());
        CHECK_FALSE(plugin_name_complaint(std::string(40, 'a')).empty());
    }

    TEST_CASE("refuses other names with the one that was meant") {
        for (const auto& [id, meant] : {Wrong{"My-Plugin", "my_plugin"},
                                        Wrong{"2fast", "fast"},
                                        Wrong{"_x_", "x"},
                                        Wrong{"a..b", "a_b"},
                                        Wrong{"Table", ""},
                                        Wrong{"", ""},
                                        Wrong{"ä", ""},
                                        Wrong{"user", "user_plugin"},
                                        Wrong{"test", "test_plugin"},
                                        Wrong{"radd", "radd_plugin"},
                                        Wrong{"core", ""},
                                        Wrong{"check", "check_plugin"},
                                        Wrong{"pg_hello", ""},
                                        Wrong{"../x", "x"}}) {
            CAPTURE(id);
            const auto said = plugin_name_complaint(id);
            CAPTURE(said);
            CHECK_FALSE(said.empty());
            const std::string hint = "Did you mean '" + std::string{meant} + "'?";
            CHECK((said.find(hint) != std::string::npos) == (std::string{meant} != ""));
            CHECK((said.find("Did you mean") != std::string::npos) == (std::string{meant} != ""));
        }
        const Parsed parsed = parse({"new-plugin", "user"});
        CHECK(parsed.code == exit_usage);
        CHECK(parsed.text.find("a reserved word of SQL") != std::string::npos);
    }

    TEST_CASE("no plugin may bring a command that begins like one of the host's") {
        for (const auto& word : kernel_commands()) {
            const auto reserved = radd::loader::reserved_command_words();
            CHECK_MESSAGE(std::ranges::find(reserved, word) != reserved.end(), word);
        }
    }
}
