#pragma once

/// What a page in Markdown shows in fenced blocks, for tests that hold it to its word.

#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <tests/support/radd_process.hpp>

namespace radd::testing {

/// A fenced block. The comment before it says what the page promises of it:
///
///     <!-- file: sdk/template/hello.cpp -->   it is this file
///     <!-- run: api -->                       it can be run as it stands
///     <!-- prints -->                         the block before prints it
struct Block {
    std::string promise{};   ///< "file", "run", "prints"; empty: nothing.
    std::string what{};      ///< "sdk/template/hello.cpp", "api"; empty: nothing.
    std::string language{};  ///< "sh"; empty: none.
    std::string text{};      ///< Each line with its end.
};

[[nodiscard]] inline std::vector<Block> blocks_of(const std::string& markdown) {
    static const std::regex promise{R"(<!-- ([a-z]+)(?:: (\S+))? -->)"};
    std::vector<Block> blocks;
    const auto lines = lines_of(markdown);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (!lines[i].starts_with("```")) continue;
        Block block{.language = lines[i].substr(3)};
        std::smatch found;
        if (i > 0 && std::regex_match(lines[i - 1], found, promise)) {
            block.promise = found[1];
            block.what = found[2];
        }
        for (++i; i < lines.size() && lines[i] != "```"; ++i) block.text += lines[i] + "\n";
        REQUIRE_MESSAGE(i < lines.size(), "a block has no end: " << block.text);
        blocks.push_back(std::move(block));
    }
    return blocks;
}

/// From the line `## <heading>` to the next of its kind.
[[nodiscard]] inline std::string section_of(const std::string& markdown,
                                            const std::string& heading) {
    const auto from = markdown.find("\n## " + heading + "\n");
    REQUIRE_MESSAGE(from != std::string::npos, "no section " << heading);
    return markdown.substr(from, markdown.find("\n## ", from + 1) - from);
}

}  // namespace radd::testing
