// A stranger's path: what sdk/README.md shows under "Ten minutes" is done, word by word, with an
// installed radd that was moved, in a folder that knows nothing of this tree.
//
// How long each step takes: `ctest --test-dir build/release -R '^tutorial$' -V`.

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tests/support/markdown.hpp>
#include <tests/support/process.hpp>
#include <tests/support/temp_dir.hpp>

using namespace radd::testing;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

constexpr auto patience = 500s;
constexpr const char* heading = "Ten minutes";

std::string contents(const fs::path& path) {
    std::ifstream file{path};
    REQUIRE_MESSAGE(file.good(), path << " cannot be read");
    return {std::istreambuf_iterator<char>{file}, {}};
}

const fs::path source{RADD_SOURCE_DIR};

std::vector<Block> tutorial() {
    return blocks_of(section_of(contents(source / "sdk/README.md"), heading));
}

/// Installed in one place and moved to another: a package that has its prefix written into it
/// fails here.
void install_moved(const fs::path& folder, const fs::path& prefix) {
    Process install{{RADD_CMAKE, "--install", RADD_BINARY_DIR, "--prefix", folder / "built"}};
    REQUIRE_MESSAGE(install.wait(120s) == 0, install.output() << install.errors());
    fs::rename(folder / "built", prefix);
}

// Lines that tell where the output of one block ends and how long it took.
constexpr const char* mark = "::end of block ";

std::string script_of(const std::vector<Block>& blocks) {
    std::ostringstream script;
    script << "exec 2>&1\n";
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (blocks[i].promise != "run") continue;
        script << "began=${EPOCHREALTIME/./}\n"
               << blocks[i].text << "echo \"" << mark << i
               << " $(( (${EPOCHREALTIME/./} - began) / 1000 )) ms\"\n";
    }
    return script.str();
}

struct Told {
    std::string output;
    std::string took;
};

std::map<std::size_t, Told> told_by(const std::string& output) {
    std::map<std::size_t, Told> all;
    std::string text;
    for (const auto& line : lines_of(output)) {
        if (!line.starts_with(mark)) {
            text += line + "\n";
            continue;
        }
        std::istringstream words{line.substr(std::string_view{mark}.size())};
        std::size_t block = 0;
        std::string took;
        words >> block;
        std::getline(words, took);
        all.emplace(block, Told{std::exchange(text, {}), took});
    }
    return all;
}

}  // namespace

TEST_SUITE("tutorial") {
    TEST_CASE("every block has a promise and shows files as they are") {
        const auto blocks = tutorial();
        CHECK(blocks.size() > 5);
        for (const Block& block : blocks) {
            CAPTURE(block.text);
            if (block.promise == "file")
                CHECK(block.text == contents(source / block.what));
            else if (block.promise == "part")
                CHECK(contains(contents(source / block.what), block.text));
            else
                CHECK_MESSAGE((block.promise == "run" || block.promise == "prints"), block.promise);
        }
    }

    TEST_CASE("every command works as it stands and prints what is shown") {
        const TempDir folder;
        const fs::path prefix = folder.path() / "moved";
        install_moved(folder.path(), prefix);
        const auto blocks = tutorial();

        fs::create_directory(folder.path() / "home");
        // Read before any thread of the test begins.
        const char* asan = std::getenv("ASAN_OPTIONS");  // NOLINT(concurrency-mt-unsafe)
        Process shell{{"/usr/bin/env",
                       "-i",
                       "-C",
                       folder.path() / "home",
                       "PATH=" + (prefix / "bin").string() + ":/usr/local/bin:/usr/bin:/bin",
                       "HOME=" + (folder.path() / "home").string(),
                       "CXX=" RADD_COMPILER,
                       "CXXFLAGS=" RADD_FLAGS,
                       "RADD_HTTP_LISTEN=127.0.0.1:0",
                       "ASAN_OPTIONS=" + std::string{asan == nullptr ? "" : asan},
                       "/bin/bash",
                       "-euo",
                       "pipefail",
                       "-c",
                       script_of(blocks)}};
        const auto code = shell.wait(patience);
        CHECK_MESSAGE(code == 0, shell.output());

        const auto told = told_by(shell.output());
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            CAPTURE(blocks[i].text);
            if (blocks[i].promise == "prints") {
                REQUIRE((i > 0 && told.contains(i - 1)));
                const auto& printed = told.at(i - 1).output;
                CHECK_MESSAGE(printed.ends_with(blocks[i].text), printed);
            }
            if (told.contains(i)) MESSAGE(told.at(i).took << ": " << blocks[i].text);
        }
    }
}
