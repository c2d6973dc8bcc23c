#pragma once

/// The text of this repository, for tests that read it.

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace radd::tidy {

// std::regex recurses once a character; generated text in one line would end the process.
inline constexpr std::size_t line_bytes_max = 4096;

struct Source {
    std::string path;  // Relative to the repository, with forward slashes.
    std::vector<std::string> lines;
};

inline bool under(std::string_view path, std::string_view folder) {
    return path.starts_with(folder);
}

inline bool is_cpp(std::string_view path) {
    return path.ends_with(".hpp") || path.ends_with(".cpp");
}

inline bool is_script(std::string_view path) {
    return path.ends_with(".ts") || path.ends_with(".tsx") || path.ends_with(".mjs");
}

inline bool is_read(const std::filesystem::path& path) {
    constexpr std::array endings{
        ".txt", ".cmake", ".md", ".yaml", ".sql", ".json", ".awk", ".py", ".css", ""};
    return is_cpp(path.native()) || is_script(path.native()) ||
           std::ranges::find(endings, path.extension().native()) != endings.end();
}

inline std::vector<Source> read_sources() {
    namespace fs = std::filesystem;
    std::vector<Source> found;
    const auto read = [&](const fs::path& path) {
        if (!fs::is_regular_file(path) || !is_read(path)) return;
        Source source{fs::relative(path, RADD_SOURCE_DIR).generic_string(), {}};
        // What a test feeds in is foreign text and follows no rule of ours.
        for (const char* folder : {"/data/", "/corpus/"}) {
            if (source.path.find(folder) != std::string::npos) return;
        }
        std::ifstream in{path};
        for (std::string line; std::getline(in, line);)
            source.lines.push_back(line.substr(0, line_bytes_max));
        found.push_back(std::move(source));
    };
    for (const char* top :
         {"host", "sdk", "plugins", "tests", "tools", "migrations", "manifests", ".ci"}) {
        const fs::path root = fs::path{RADD_SOURCE_DIR} / top;
        if (!fs::exists(root)) continue;
        for (fs::recursive_directory_iterator at{root}, end; at != end; ++at) {
            // What npm has installed is not ours.
            if (at->path().filename() == "node_modules") at.disable_recursion_pending();
            read(at->path());
        }
    }
    for (const auto& entry : fs::directory_iterator{RADD_SOURCE_DIR}) read(entry.path());
    REQUIRE_MESSAGE(!found.empty(), "no sources under " RADD_SOURCE_DIR);
    return found;
}

inline const std::vector<Source>& sources() {
    static const std::vector<Source> all = read_sources();
    return all;
}

}  // namespace radd::tidy
