// What README.md shows is what there is.

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <host/cli/consumer_states.hpp>
#include <host/cli/exit_codes.hpp>
#include <host/consumers/overview.hpp>
#include <tests/support/markdown.hpp>
#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;

namespace {

std::string contents(const std::string& path) {
    std::ifstream file{std::string{RADD_SOURCE_DIR} + "/" + path};
    REQUIRE_MESSAGE(file.good(), path << " cannot be read");
    return {std::istreambuf_iterator<char>{file}, {}};
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
        const bool is_group =
            std::set<std::string>{
                "account", "consumers", "deliveries", "events", "quarantine", "token"}
                .contains(first);
        std::istringstream names{is_group ? second : first};
        for (std::string name; std::getline(names, name, '|');)
            commands.insert(is_group ? first + " " + name : name);
    }
    return commands;
}

/// A `radd …` in the text.
struct Mention {
    std::vector<std::string> words;    ///< Up to the first that is no word of a command.
    std::vector<std::string> options;  ///< `--event`
};

std::vector<Mention> mentions_in(const std::string& markdown) {
    static const std::regex span{"`radd\\s+([^`]+)`"};
    static const std::regex word{"[a-z][a-z-]*"};
    std::vector<Mention> mentions;
    for (std::sregex_iterator found{markdown.begin(), markdown.end(), span}, end; found != end;
         ++found) {
        Mention mention;
        bool is_command = true;
        std::istringstream parts{(*found)[1]};
        for (std::string part; parts >> part;) {
            is_command = is_command && std::regex_match(part, word);
            if (is_command) mention.words.push_back(part);
            if (part.starts_with("--")) mention.options.push_back(part);
        }
        if (!mention.words.empty()) mentions.push_back(std::move(mention));
    }
    return mentions;
}

/// The block that is run as `what`, with `url` for the address that it shows.
std::string script_of(const std::string& markdown,
                      const std::string& what,
                      const std::string& url) {
    const auto blocks = blocks_of(markdown);
    const auto found = std::ranges::find_if(
        blocks, [&](const Block& block) { return block.promise == "run" && block.what == what; });
    REQUIRE_MESSAGE(found != blocks.end(), what);
    return std::regex_replace(found->text, std::regex{"http://127\\.0\\.0\\.1:8080"}, url);
}

/// Where a host that is ready says that its pages are.
std::string url_of(const Process& host) {
    static const std::regex said{R"(open (http://\S+))"};
    std::smatch found;
    const auto log = host.errors();
    REQUIRE(std::regex_search(log, found, said));
    return found[1];
}

struct Desk : TestDatabase, Installation {
    Desk() : Installation{static_cast<TestDatabase&>(*this)} { ship(); }

    [[nodiscard]] Ran shell(const std::string& script) const {
        Process run{{"/bin/bash", "-euo", "pipefail", "-c", script},
                    {{"RADD_DATABASE_URL", url()},
                     {"RADD_PLUGINS_DIR", path("plugins").string()},
                     {"RADD_MANIFESTS_DIR", path("manifests").string()},
                     {"RADD_DATA_DIR", path("var").string()},
                     {"PATH", RADD_BINARY_DIR "/bin:/usr/bin:/bin"}}};
        const auto code = run.wait();
        return {.code = code.value_or(-1), .out = run.output(), .err = run.errors()};
    }
};

}  // namespace

TEST_SUITE("README") {
    TEST_CASE("shows files as they are") {
        int files = 0;
        for (const Block& block : blocks_of(contents("README.md"))) {
            if (block.promise != "file") continue;
            CAPTURE(block.what);
            CHECK(block.text == contents(block.what));
            ++files;
        }
        CHECK(files >= 3);
    }

    TEST_CASE("shows how a shell finds what was built here") {
        // What is tested is another build than the one that tools/run makes.
        const auto script = std::regex_replace(script_of(contents("README.md"), "shell", ""),
                                               std::regex{R"(\$PWD/build/release)"},
                                               RADD_BINARY_DIR);
        Process shell{{"/bin/bash",
                       "-euc",
                       "cd '" RADD_SOURCE_DIR "'\n" + script + "command -v radd\nradd config\n"},
                      {{"PATH", "/usr/bin:/bin"}}};

        CHECK_MESSAGE(shell.wait() == 0, shell.errors());

        const auto said = shell.output();
        for (const char* path : {RADD_BINARY_DIR "/bin/radd\n",
                                 RADD_BINARY_DIR "/plugins",
                                 RADD_SOURCE_DIR "/manifests",
                                 RADD_SOURCE_DIR "/var"})
            CHECK_MESSAGE(contains(said, path), said);
    }

    TEST_CASE("shows how any language emits and reads") {
        const Installation radd;
        const auto host = radd.serve();
        const auto script = script_of(contents("README.md"), "psql", "");
        static const std::regex row{R"(\d+ \| order\.paid \| 4711 +\| t +\| nightly\n)"};
        std::string said;
        // While the host looks at the stream itself, settle() leaves it to the host.
        const auto is_read = [&] {
            Process shell{
                {"/bin/bash", "-euo", "pipefail", "-c", script},
                {{"RADD_DATA_DIR", radd.path("var").string()}, {"PATH", "/usr/bin:/bin"}}};
            const auto code = shell.wait();
            said = shell.output() + shell.errors();
            return code == 0 && std::regex_search(said, row);
        };
        CHECK_MESSAGE(eventually(is_read), said);
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

    TEST_CASE_FIXTURE(Desk, "mentions commands that radd or a shipped plugin has") {
        for (const char* more :
             {"automations", "chat", "notify", "realtime", "search", "sla", "webhooks"})
            ship(more);
        auto mentions = mentions_in(contents("README.md"));
        CHECK(mentions.size() >= 16);
        std::ranges::move(mentions_in(contents("host/deploy/OPERATING.md")),
                          std::back_inserter(mentions));

        for (const Mention& mention : mentions) {
            auto words = mention.words;
            words.emplace_back("--help");
            const auto help = run(words);
            std::string command = "radd";
            for (const auto& word : mention.words) command += " " + word;
            CAPTURE(command);
            CHECK(help.code == 0);
            // `radd new-plugin hello`: what follows is the reader's.
            const std::regex takes_name{"SYNOPSIS\n    radd " + mention.words.front() + " [A-Z]"};
            CHECK((contains(help.out, command) || std::regex_search(help.out, takes_name)));
            for (const auto& option : mention.options)
                CHECK_MESSAGE(contains(help.out, option), option);
        }
    }

    TEST_CASE_FIXTURE(Desk, "shows calls of the API that work as they stand") {
        const auto host = serve();
        REQUIRE(eventually([&] { return is_settled(); }));
        const auto ran = [&](const std::string& what) {
            return shell(script_of(contents("README.md"), what, url_of(*host)));
        };

        const auto api = ran("api");
        CHECK_MESSAGE(api.code == 0, api.out << api.err);
        for (const char* part : {"csat.sender", "\"events\"", "\"moved\""})
            CHECK_MESSAGE(contains(api.out, part), part);
        CHECK(value("SELECT count(*) FROM radd.tokens WHERE name = 'laptop'") == "1");
        // What was resumed has an owner again in a moment; until then the host is not ready.
        Ran vital;
        CHECK(eventually([&] { return (vital = ran("vital")).code == 0; }));
        for (const char* part : {"\"ready\"", "# TYPE "})
            CHECK_MESSAGE(contains(vital.out, part), part);
    }

    TEST_CASE("tells every exit code in the words of the manual") {
        const auto readme = contents("README.md");
        for (const auto& [code, name, meaning] : radd::cli::exit_codes) {
            const auto row = "| " + std::to_string(code) + " | " + std::string{meaning} + " |\n";
            CHECK_MESSAGE(contains(readme, row), row);
        }
    }

    TEST_CASE("tells every state in the words of radd why") {
        const auto readme = contents("README.md");
        for (const auto& [state, means, remedy] : radd::cli::consumer_state_texts) {
            CHECK_MESSAGE(contains(readme, "`" + std::string{state} + "`"), state);
            const auto rest = " | " + std::string{means} + " |" +
                              (remedy.empty() ? "" : " " + std::string{remedy}) + " |\n";
            CHECK_MESSAGE(contains(readme, rest), rest);
        }
        for (const auto state : radd::consumers::consumer_states) {
            const auto found = std::ranges::find(
                radd::cli::consumer_state_texts, state, &radd::cli::ConsumerStateText::state);
            CHECK_MESSAGE(found != radd::cli::consumer_state_texts.end(), state);
        }
    }
}
