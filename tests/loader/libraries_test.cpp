// What is linked, included and bundled is what host/SECURITY.md lists: whoever follows the
// advisories of those libraries follows all of them, and no others.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <host/plugins/elf_file.hpp>

namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

const fs::path sources{RADD_SOURCE_DIR};
const fs::path binaries{RADD_BINARY_DIR};

std::string contents(const fs::path& file) {
    std::ifstream in{file, std::ios::binary};
    REQUIRE_MESSAGE(in.is_open(), file.string());
    return {std::istreambuf_iterator<char>{in}, {}};
}

std::string joined(const Names& names) {
    std::string text;
    for (const auto& name : names) text += name + '\n';
    return text;
}

/// What stands between backticks, or in the first two columns, of the section's tables.
struct Listed {
    Names libraries;  ///< Names of shared objects.
    Names headers;    ///< Folders of headers, with their slash.
    Names packages;   ///< Of npm: `name version`.
};

Listed listed() {
    std::istringstream text{contents(sources / "host/SECURITY.md")};
    const std::regex mark{"`([^`]+)`"};
    const std::regex package{
        R"(^\| ([@a-z][a-z0-9@/_-]*) \| ([0-9]+\.[0-9]+\.[0-9]+) \| `npm` .*)"};
    Listed found;
    bool is_here = false;
    for (std::string line; std::getline(text, line);) {
        if (line.starts_with("## ")) is_here = line == "## Libraries";
        if (!is_here || !line.starts_with('|')) continue;
        if (std::smatch match; std::regex_match(line, match, package))
            found.packages.insert(match.str(1) + ' ' + match.str(2));
        for (std::sregex_iterator at{line.begin(), line.end(), mark}, end; at != end; ++at) {
            const auto name = at->str(1);
            if (name.ends_with('/')) found.headers.insert(name);
            if (name.find(".so.") != std::string::npos) found.libraries.insert(name);
        }
    }
    return found;
}

/// The compiler's and the C library's own, which are on every machine.
bool is_of_the_platform(std::string_view library) {
    return library.starts_with("ld-linux") || library == "libc.so.6" || library == "libm.so.6" ||
           library == "libgcc_s.so.1" || library == "libstdc++.so.6" ||
           library.starts_with("libtsan");
}

Names linked() {
    Names found;
    const auto add = [&](const fs::path& file) {
        CAPTURE(file.string());
        const auto bytes = contents(file);
        for (const auto& name : radd::loader::read_elf(std::as_bytes(std::span{bytes})).needed)
            if (!is_of_the_platform(name) && !name.starts_with("libradd_")) found.insert(name);
    };
    add(binaries / "bin/radd");
    add(binaries / "bin/libradd_sdk.so");
    std::istringstream plugins{RADD_SHIPPED_PLUGINS};
    for (std::string name; plugins >> name;) add(binaries / "plugins" / (name + ".so"));
    return found;
}

/// Folders of ours, whose headers are found by their names alone.
Names own_folders() {
    Names found{"host/", "plugins/", "radd/"};
    for (const auto& plugin : fs::directory_iterator{sources / "plugins"}) {
        if (!fs::exists(plugin.path() / "include")) continue;
        for (const auto& folder : fs::directory_iterator{plugin.path() / "include"})
            found.insert(folder.path().filename().string() + '/');
    }
    return found;
}

Names included() {
    const auto own = own_folders();
    const Names system{"sys/", "netinet/", "arpa/"};
    const std::regex include{R"(^#include <([A-Za-z0-9_+-]+/)[^>]+>)"};
    Names found;
    for (const char* top : {"host", "sdk/include", "sdk/src", "plugins"}) {
        for (const auto& entry : fs::recursive_directory_iterator{sources / top}) {
            const auto ending = entry.path().extension();
            if (ending != ".cpp" && ending != ".hpp") continue;
            std::ifstream in{entry.path()};
            for (std::string line; std::getline(in, line);) {
                std::smatch match;
                if (!line.starts_with("#include <") || !std::regex_search(line, match, include))
                    continue;
                if (!own.contains(match.str(1)) && !system.contains(match.str(1)))
                    found.insert(match.str(1));
            }
        }
    }
    return found;
}

Names bundled() {
    const auto package = nlohmann::json::parse(contents(sources / "host/web/pages/package.json"));
    Names found;
    for (const char* kind : {"dependencies", "devDependencies"})
        if (package.contains(kind))
            for (const auto& [name, version] : package.at(kind).items())
                found.insert(name + ' ' + version.get<std::string>());
    return found;
}

}  // namespace

TEST_SUITE("libraries") {
    TEST_CASE("what the host and its plugins link is listed and nothing else") {
        CHECK(joined(linked()) == joined(listed().libraries));
    }

    TEST_CASE("whose headers are included is listed and nothing else") {
        CHECK(joined(included()) == joined(listed().headers));
    }

    TEST_CASE("what the pages are made of is listed with its version and nothing else") {
        CHECK(joined(bundled()) == joined(listed().packages));
    }
}
