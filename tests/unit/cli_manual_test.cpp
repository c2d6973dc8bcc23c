#include <sstream>

#include <doctest/doctest.h>

#include <host/cli/command_line.hpp>
#include <host/cli/grammar.hpp>
#include <host/cli/manual.hpp>
#include <host/cli/table.hpp>

using namespace radd::cli;

namespace {

void collect(const CLI::App& app, std::vector<std::string>& paths) {
    paths.push_back(command_path(app));
    for (const auto* sub :
         app.get_subcommands([](const CLI::App* one) { return !one->get_name().empty(); }))
        collect(*sub, paths);
}

/// Every command, by its words; "" for radd itself.
std::vector<std::string> commands() {
    Parsed unused;
    Grammar grammar{unused};
    std::vector<std::string> paths;
    collect(grammar.app(), paths);
    return paths;
}

/// As a shell splits it, where only single quotes quote; without variables before `radd`.
std::vector<std::string> words_of(std::string_view command) {
    std::vector<std::string> words{""};
    bool quoted = false;
    for (const char c : command) {
        if (c == '\'')
            quoted = !quoted;
        else if (c == ' ' && !quoted)
            words.emplace_back();
        else
            words.back() += c;
    }
    while (!words.empty() && words.front() != "radd") words.erase(words.begin());
    REQUIRE_FALSE(words.empty());
    words.erase(words.begin());
    return words;
}

Parsed help_of(const std::string& path) {
    std::vector<std::string> words;
    std::istringstream in{path};
    for (std::string word; in >> word;) words.push_back(word);
    words.emplace_back("--help");
    return parse(words);
}

}  // namespace

TEST_SUITE("manual") {
    TEST_CASE("every command has a page and every page its command") {
        const auto all = commands();
        CHECK(all.size() > 20);
        for (const auto& path : all) {
            CAPTURE(path);
            const auto* page = find_manual_page(path);
            REQUIRE(page != nullptr);
            CHECK(page->description.size() > 30);
            CHECK_FALSE(page->examples.empty());
        }
        for (const auto& page : manual_pages())
            CHECK(std::ranges::find(all, page.command) != all.end());
    }

    TEST_CASE("every example is a command line that is understood") {
        for (const auto& page : manual_pages()) {
            for (const auto& [command, does] : page.examples) {
                CAPTURE(command);
                const Parsed parsed = parse(words_of(command));
                CHECK(parsed.code == exit_ok);
                CHECK(parsed.plugin_words.empty());
                CHECK_FALSE(does.empty());
            }
        }
    }

    TEST_CASE("every help has the sections of a manual in 80 columns") {
        for (const auto& path : commands()) {
            const Parsed help = help_of(path);
            CAPTURE(help.text);
            CHECK(help.code == exit_ok);
            for (const char* section : {"NAME\n    radd",
                                        "\nSYNOPSIS\n    radd",
                                        "\nDESCRIPTION\n",
                                        "\nOPTIONS\n",
                                        "\nSETTINGS\n",
                                        "\nEXAMPLES\n",
                                        "\nEXIT STATUS\n    0   done.",
                                        "\nENVIRONMENT\n",
                                        "\nFILES\n"})
                CHECK_MESSAGE(help.text.find(section) != std::string::npos, section);
            std::istringstream in{help.text};
            for (std::string line; std::getline(in, line);) {
                CAPTURE(line);
                CHECK(width_of(line) <= 80);
                CHECK_FALSE(line.ends_with(' '));
            }
        }
    }

    TEST_CASE("an option is shown with what it takes and its default") {
        const auto query = help_of("events query").text;
        CHECK(query.find("    --limit N\n        At most so many, 1 to 1000 (default: 50)\n") !=
              std::string::npos);
        CHECK(query.find("[--type TYPE]...") != std::string::npos);
        CHECK(help_of("events tail").text.find("    -n, --lines N\n") != std::string::npos);
        CHECK(help_of("consumers seek").text.find("radd consumers seek NAME TO [--yes]") !=
              std::string::npos);
        const auto root = help_of("").text;
        CHECK(root.find("    --data-dir VALUE\n") != std::string::npos);
        CHECK(root.find("    --run-workers [true|false]\n") != std::string::npos);
        CHECK(root.find("web only. (default: true)\n") != std::string::npos);
    }

    TEST_CASE("text is broken at spaces and a paragraph stays one") {
        CHECK(wrapped("", 4).empty());
        CHECK(wrapped("a b\n\nc", 2) == "  a b\n\n  c\n");
        const std::string word(76, 'w');
        CHECK(wrapped(word, 4) == "    " + word + "\n");
        CHECK(wrapped("a " + word, 4) == "    a\n    " + word + "\n");
        CHECK(wrapped(std::string(90, 'w'), 4) == "    " + std::string(90, 'w') + "\n");
    }
}
