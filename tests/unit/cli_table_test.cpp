#include <sstream>

#include <doctest/doctest.h>

#include <host/cli/table.hpp>

using radd::cli::Align;
using radd::cli::Cell;
using radd::cli::shortened;
using radd::cli::Table;
using radd::cli::Terminal;
using radd::cli::Tone;
using radd::cli::width_of;

namespace {

std::string printed(const Table& table, const Terminal& terminal = {}) {
    std::ostringstream out;
    table.print(out, terminal);
    return out.str();
}

std::size_t widest_line(const std::string& text) {
    std::istringstream in{text};
    std::size_t widest = 0;
    for (std::string line; std::getline(in, line);) widest = std::max(widest, width_of(line));
    return widest;
}

/// One name that may be cut beside a number that may not: 22 + 2 + 19 wide.
Table table_of(const std::string& name) {
    Table table{{{"CONSUMER", Align::left, 10}, {"CURSOR", Align::right}}};
    table.add({name, "9223372036854775807"});
    return table;
}

}  // namespace

TEST_SUITE("table") {
    TEST_CASE("columns are as wide as their longest cell counted in code points") {
        Table table{{{"NAME"}, {"LAG", Align::right}, {"OWNER"}}};
        table.add({"é", "5", "a"});
        table.add({"longer", "12345", "b"});

        CHECK(printed(table) ==
              "NAME      LAG  OWNER\n"
              "é           5  a\n"
              "longer  12345  b\n");
    }

    TEST_CASE("a cell commands no terminal and stays on its line") {
        Table table{{{"NAME"}, {"LAG"}}};
        table.add({std::string{"a\u009B2J\x1b[31m\n"}, "5"});

        CHECK(printed(table) ==
              "NAME               LAG\n"
              "a\\x9b2J\\x1b[31m\\n  5\n");
    }

    TEST_CASE("a text is cut in its middle and between code points") {
        CHECK(shortened("consumer", 8) == "consumer");
        CHECK(shortened("consumer", 7) == "con…mer");
        CHECK(shortened("consumer", 2) == "c…");
        CHECK(shortened("consumer", 1) == "…");
        CHECK(shortened("consumer", 0).empty());
        CHECK(shortened("ééééé", 4) == "éé…é");
    }

    TEST_CASE("what fits exactly is not cut and one column less cuts one more") {
        const auto table = table_of("a-consumer.of-22-bytes");

        CHECK(printed(table, {.columns = 43}) == printed(table));
        const auto narrow = printed(table, {.columns = 42});
        CHECK(widest_line(narrow) == 42);
        CHECK(narrow.find("a-consumer…of-22-bytes") == std::string::npos);
        CHECK(narrow.find("a-consumer…f-22-bytes") != std::string::npos);
        CHECK(narrow.find("9223372036854775807") != std::string::npos);
    }

    TEST_CASE("a number is never cut and the first two columns stay") {
        const auto table = table_of("a-consumer.of-22-bytes");

        CHECK(widest_line(printed(table, {.columns = 20})) == 10 + 2 + 19);
    }

    TEST_CASE("columns are left out from the right when nothing can be cut further") {
        Table table{{{"NAME", Align::left, 4}, {"STATE"}, {"LAG", Align::right}, {"OWNER"}}};
        table.add({"consumer", "ok", "7", "desk"});

        CHECK(printed(table, {.columns = 16}) ==
              "NAME  STATE  LAG\n"
              "co…r  ok       7\n");
        CHECK(printed(table, {.columns = 15}) ==
              "NAME      STATE\n"
              "consumer  ok\n");
    }

    TEST_CASE("colour stands around a text and not around its padding") {
        Table table{{{"STATE"}, {"LAG", Align::right}}};
        table.add({Cell{"ok", Tone::good}, "1"});

        CHECK(printed(table, {.colour = true}) ==
              "\x1b[2mSTATE\x1b[0m  \x1b[2mLAG\x1b[0m\n"
              "\x1b[32mok\x1b[0m       1\n");
        CHECK(printed(table).find('\x1b') == std::string::npos);
    }
}
