#include <sstream>

#include <doctest/doctest.h>

#include <host/cli/command_line.hpp>
#include <host/cli/table.hpp>

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

    TEST_CASE("an argument too many is refused by name") {
        const Parsed parsed = parse({"check", "--deep"});
        CHECK(parsed.code == radd::cli::exit_usage);
        CHECK(parsed.text.find("'--deep'") != std::string::npos);
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

TEST_SUITE("table") {
    TEST_CASE("columns are as wide as their longest cell counted in code points") {
        radd::cli::Table table{{{"NAME"}, {"LAG", radd::cli::Align::right}, {"OWNER"}}};
        table.add({"é", "5", "a"});
        table.add({"longer", "12345", "b"});

        std::ostringstream out;
        table.print(out);

        CHECK(out.str() ==
              "NAME      LAG  OWNER\n"
              "é           5  a\n"
              "longer  12345  b\n");
    }
}
