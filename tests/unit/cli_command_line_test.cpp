#include <doctest/doctest.h>

#include <host/cli/command_line.hpp>

using radd::cli::Parsed;

namespace {

Parsed parse(std::vector<std::string> arguments) {
    return radd::cli::parse(arguments);
}

using Settings = std::vector<std::pair<std::string, std::string>>;

}  // namespace

TEST_SUITE("command line") {
    TEST_CASE("nothing at all prints the help and counts as wrong usage") {
        const Parsed parsed = parse({});
        CHECK(parsed.code == radd::cli::exit_usage);
        CHECK(parsed.wants_help);
        CHECK(parsed.text.find("serve") != std::string::npos);
    }

    TEST_CASE("help and version are no errors") {
        CHECK(parse({"--help"}).code == radd::cli::exit_ok);
        CHECK(parse({"--help"}).wants_help);
        CHECK(parse({"--version"}).text.starts_with("radd "));
        CHECK_FALSE(parse({"--version"}).wants_help);
        CHECK_FALSE(parse({"consumers", "--help"}).wants_help);
    }

    TEST_CASE("a kernel command is chosen and needs no word of a plugin") {
        const Parsed parsed = parse({"check"});
        CHECK(static_cast<bool>(parsed.command));
        CHECK(parsed.plugin_words.empty());
    }

    TEST_CASE("settings and json may stand before and after the command") {
        const Parsed before = parse({"--data-dir", "/a", "--json", "consumers", "list"});
        const Parsed after = parse({"consumers", "list", "--json", "--data-dir", "/a"});
        CHECK(before.settings == Settings{{"data_dir", "/a"}});
        CHECK(after.settings == before.settings);
        CHECK(before.json);
        CHECK(after.json);
    }

    TEST_CASE("a setting that is true or false may stand alone and means true") {
        const Settings on{{"safe_mode", "true"}};
        for (const auto& line :
             std::vector<std::vector<std::string>>{{"serve", "--safe-mode"},
                                                   {"--safe-mode", "serve"},
                                                   {"serve", "--safe-mode", "true"},
                                                   {"--safe-mode=true", "serve"},
                                                   {"serve", "--safe-mode", "--json"}}) {
            const Parsed parsed = parse(line);
            CHECK_MESSAGE(parsed.code == 0, parsed.text);
            CHECK(static_cast<bool>(parsed.command));
            CHECK(parsed.settings == on);
        }
        CHECK(parse({"serve", "--safe-mode", "false"}).settings ==
              Settings{{"safe_mode", "false"}});
        CHECK(parse({"serve", "--run-workers", "--emit-strict", "false"}).settings.size() == 2);
        CHECK(parse({"--emit-strict", "import", "jira"}).plugin_words ==
              std::vector<std::string>{"import", "jira"});
        CHECK(parse({"serve", "--data-dir", "--safe-mode"}).settings ==
              Settings{{"data_dir", "--safe-mode"}});
        CHECK(parse({"serve", "--safe-mode", "yes"}).text ==
              "radd serve takes no argument 'yes'; see `radd serve --help`");
    }

    TEST_CASE("a word nobody knows is left for plugins with its arguments in order") {
        const Parsed parsed =
            parse({"import", "jira", "dump.json", "--dry-run", "--zone", "Europe/Berlin"});
        CHECK_FALSE(static_cast<bool>(parsed.command));
        CHECK(parsed.plugin_words ==
              std::vector<std::string>{
                  "import", "jira", "dump.json", "--dry-run", "--zone", "Europe/Berlin"});
    }

    TEST_CASE("help after the words of a plugin asks for the help of its command") {
        const Parsed parsed = parse({"import", "jira", "--help"});
        CHECK(parsed.plugin_words == std::vector<std::string>{"import", "jira", "--help"});
        CHECK(parsed.text.empty());
    }

    TEST_CASE("words of a plugin's command may be those of the host's") {
        const auto parsed = parse(
            {"--data-dir", "events", "webhooks", "add", "events", "http://a/", "--json", "check"});
        CHECK(parsed.code == 0);
        CHECK(parsed.json);
        CHECK(parsed.plugin_words ==
              std::vector<std::string>{"webhooks", "add", "events", "http://a/", "check"});
    }

    TEST_CASE("an argument too many is refused by name") {
        const Parsed parsed = parse({"check", "--deep"});
        CHECK(parsed.code == radd::cli::exit_usage);
        CHECK(parsed.text.find("'--deep'") != std::string::npos);
    }

    TEST_CASE("help is also a word before the command") {
        CHECK(parse({"help", "consumers", "seek"}).text ==
              parse({"consumers", "seek", "--help"}).text);
        CHECK(parse({"help"}).wants_help);
        CHECK(parse({"help", "import", "jira"}).plugin_words ==
              std::vector<std::string>{"import", "jira", "--help"});
    }

    TEST_CASE("a slip of the finger is told with the nearest word") {
        const auto problem = [](std::vector<std::string> arguments) {
            const Parsed parsed = parse(std::move(arguments));
            CHECK(parsed.code == radd::cli::exit_usage);
            CHECK_FALSE(static_cast<bool>(parsed.command));
            CHECK(parsed.text.find('\n') == std::string::npos);
            return parsed.text;
        };
        CHECK(problem({"consumers", "puase", "x"}) ==
              "unknown command 'consumers puase'. Did you mean 'pause'? `radd consumers --help` "
              "lists all");
        CHECK(problem({"consumers", "polish"}) ==
              "unknown command 'consumers polish'; `radd consumers --help` lists all");
        CHECK(problem({"migrate", "--statsu"}) ==
              "unknown option '--statsu' of radd migrate. Did you mean '--status'? `radd migrate "
              "--help` lists all");
        CHECK(problem({"events", "query", "--limti=5"}) ==
              "unknown option '--limti' of radd events query. Did you mean '--limit'? `radd events "
              "query --help` lists all");
        CHECK(problem({"serve", "--htp-listen", "x"}).find("Did you mean '--http-listen'?") !=
              std::string::npos);
        CHECK(problem({"check", "deep"}) ==
              "radd check takes no argument 'deep'; see `radd check --help`");
        CHECK(problem({"inspect"}).find("see `radd inspect --help`") != std::string::npos);
    }

    TEST_CASE("exit codes are the ones that scripts know") {
        std::vector<int> codes;
        for (const auto& known : radd::cli::exit_codes) codes.push_back(known.code);
        CHECK(codes == std::vector<int>{0, 1, 2, 3, 4, 5});
    }

    TEST_CASE("a command without its argument is wrong usage") {
        CHECK(parse({"inspect"}).code == radd::cli::exit_usage);
        CHECK(parse({"consumers"}).code == radd::cli::exit_usage);
        CHECK(parse({"consumers", "retry", "x"}).code == radd::cli::exit_usage);
        CHECK(parse({"consumers", "retry", "x", "--all", "--event", "1"}).code ==
              radd::cli::exit_usage);
        CHECK(parse({"events", "query", "--limit", "1001"}).code == radd::cli::exit_usage);
    }
}
