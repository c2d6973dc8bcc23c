// What README.md shows is what there is.

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tests/support/radd_process.hpp>

using namespace radd::testing;

namespace {

std::string contents(const std::string& path) {
    std::ifstream file{std::string{RADD_SOURCE_DIR} + "/" + path};
    REQUIRE_MESSAGE(file.good(), path << " cannot be read");
    return {std::istreambuf_iterator<char>{file}, {}};
}

struct Block {
    std::string file;
    std::string text;
};

/// Every fenced block that says which file it shows.
std::vector<Block> blocks_of(const std::string& markdown) {
    static const std::regex marker{R"(<!-- file: (\S+) -->)"};
    std::vector<Block> blocks;
    const auto lines = lines_of(markdown);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        std::smatch found;
        if (!std::regex_match(lines[i], found, marker)) continue;
        REQUIRE(i + 1 < lines.size());
        CHECK_MESSAGE(lines[i + 1].starts_with("```"), found[1] << ": no block follows");
        Block block{.file = found[1], .text = {}};
        for (i += 2; i < lines.size() && lines[i] != "```"; ++i) block.text += lines[i] + "\n";
        blocks.push_back(block);
    }
    return blocks;
}

/// Each `radd …` of the first block below `heading`, without comment and arguments: "events tail".
std::set<std::string> commands_below(const std::string& markdown, const std::string& heading) {
    const auto section = markdown.find("\n## " + heading);
    const auto from = markdown.find("```sh\n", section);
    const auto to = markdown.find("\n```\n", from);
    REQUIRE(to != std::string::npos);
    std::set<std::string> commands;
    for (std::string line : lines_of(markdown.substr(from + 6, to - from - 6))) {
        line = line.substr(0, line.find('#'));
        std::istringstream words{line};
        std::string word;
        words >> word;
        REQUIRE_MESSAGE(word == "radd", line);
        std::string rest;
        std::getline(words, rest);
        // `consumers pause|resume NAME`, `events tail | query`, `check | plugins | inspect FILE`.
        static const std::regex bar{R"(\s*\|\s*)"};
        std::istringstream verbs{std::regex_replace(rest, bar, "|")};
        std::string first;
        std::string second;
        verbs >> first >> second;
        const bool is_group = first == "events" || first == "consumers";
        std::istringstream names{is_group ? second : first};
        for (std::string name; std::getline(names, name, '|');)
            commands.insert(is_group ? first + " " + name : name);
    }
    return commands;
}

}  // namespace

TEST_SUITE("README") {
    TEST_CASE("shows files as they are") {
        const auto blocks = blocks_of(contents("README.md"));

        CHECK(blocks.size() >= 2);
        for (const Block& block : blocks) {
            CAPTURE(block.file);
            CHECK(block.text == contents(block.file));
        }
    }

    TEST_CASE("names commands that there are") {
        const auto commands = commands_below(contents("README.md"), "Operate it");

        const Installation radd;
        CHECK(commands.size() >= 10);
        for (const std::string& command : commands) {
            CAPTURE(command);
            const auto space = command.find(' ');
            const std::string name = command.substr(0, space);
            std::vector<std::string> words{name};
            if (space != std::string::npos) words.push_back(command.substr(space + 1));
            words.emplace_back("--help");
            const auto help = radd.run(words);
            CHECK(help.code == 0);
            CHECK(contains(help.out, "SYNOPSIS\n    radd " + command));
        }
    }

    TEST_CASE("names states that radd can show") {
        const auto readme = contents("README.md");
        for (const char* state : {"ok",
                                  "catching_up",
                                  "stalled",
                                  "waiting",
                                  "paused",
                                  "retired",
                                  "unowned",
                                  "beyond_head",
                                  "not_loaded"})
            CHECK_MESSAGE(contains(readme, "`" + std::string{state} + "`"), state);
    }
}
