#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <host/config/problem.hpp>
#include <host/config/suggest.hpp>

using radd::config::edit_distance;
using radd::config::nearest;
using radd::config::to_json;
using radd::config::to_text;

TEST_SUITE("suggestion") {
    TEST_CASE("a swap of neighbours is one edit") {
        CHECK(edit_distance("itme", "item") == 1);
        CHECK(edit_distance("ca", "abc") == 3);
        CHECK(edit_distance("", "abc") == 3);
        CHECK(edit_distance("same", "same") == 0);
        CHECK(edit_distance("chanel", "channel") == 1);
    }

    TEST_CASE("a name is offered up to a third of its length") {
        const std::vector<std::string> names{"poll_seconds", "batch"};

        CHECK(nearest("poll_secnds", names) == "poll_seconds");
        CHECK(nearest("poolsecns", names) == std::nullopt);
        CHECK(nearest("btach", names) == "batch");
        CHECK(nearest("xy", names) == std::nullopt);
        CHECK(nearest("batch", names) == std::nullopt);
        CHECK(nearest(std::string(5000, 'b'), names) == std::nullopt);
    }

    TEST_CASE("short names are offered for one edit") {
        const std::vector<std::string_view> names{"id", "ok"};

        CHECK(nearest("ix", names) == "id");
        CHECK(nearest("xx", names) == std::nullopt);
    }
}

TEST_SUITE("problem") {
    TEST_CASE("a line names the place and the plugin as far as they are known") {
        CHECK(to_text({.code = "E31", .plugin = "csat", .file = "csat.so", .message = "m"}) ==
              "E31 csat.so csat: m");
        CHECK(to_text({.code = "E31", .plugin = "csat", .message = "m", .hint = "h"}) ==
              "E31 csat: m. h");
        CHECK(to_text({.code = "E47", .message = "m"}) == "E47 m");
        CHECK(to_text({.code = "E47", .file = "f", .line = 3, .message = "m"}) == "E47 f:3: m");
    }

    TEST_CASE("JSON carries every field and survives bytes that are not text") {
        CHECK(to_json({{.code = "E47",
                        .plugin = "csat",
                        .file = "f",
                        .line = 3,
                        .column = 4,
                        .message = "a \"b\"",
                        .hint = "h"}}) ==
              R"([{"code":"E47","severity":"error","plugin":"csat","file":"f","line":3,)"
              R"("column":4,"message":"a \"b\"","hint":"h"}])");
        CHECK(to_json({{.code = "E1", .message = "\xFF"}}).find("\xEF\xBF\xBD") !=
              std::string::npos);
        CHECK(to_json({}) == "[]");
    }
}
