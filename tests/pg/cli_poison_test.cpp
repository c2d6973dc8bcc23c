// What a plugin may throw at a host that has loaded it from a file.

#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <signal.h>
#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;

namespace {

struct Thrown {
    const char* chore;
    const char* told;
};

const std::vector<Thrown> all_thrown{{"throw_int", "int"},
                                     {"throw_private", "Broken"},
                                     {"throw_null", "NullWhat"},
                                     {"throw_unwinding", "swept away"},
                                     {"throw_long", "{} %s {0:>{1}}"}};

struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} { install_chores(); }
    void ask(const std::string& what) {
        execute(
            "INSERT INTO radd.events (event_type, entity_type, entity_id, payload) VALUES "
            "('chores.asked', 'chore', '1', '{\"do\": \"" +
            what + "\"}')");
    }
};

std::vector<std::string> lines_with(const std::string& text, const std::string& part) {
    std::vector<std::string> found;
    for (const auto& line : lines_of(text)) {
        if (contains(line, part)) found.push_back(line);
    }
    return found;
}

}  // namespace

TEST_SUITE("poison event") {
    // P16
    TEST_CASE_FIXTURE(Scene, "of any type costs itself and one line") {
        const auto host = serve();
        ask("note");
        for (const auto& one : all_thrown) ask(one.chore);
        ask("note");

        CHECK(eventually([&] { return is_settled(); }));
        CHECK(eventually([&] { return value("SELECT count(*) FROM chores.done") == "2"; }));
        CHECK(value("SELECT string_agg(event_id::text, ',' ORDER BY event_id) FROM "
                    "radd.skipped_events") == "2,3,4,5,6");
        CHECK(consumer("chores.doer").at("last_event_id") == 7);
        for (std::size_t i = 0; i < all_thrown.size(); ++i) {
            const auto event = std::to_string(i + 2);
            CAPTURE(all_thrown[i].chore);
            const auto lines = lines_with(host->errors(), "event " + event + " (chores.asked)");
            REQUIRE(lines.size() == 1);
            CAPTURE(lines[0]);
            CHECK(contains(lines[0], "chores.doer"));
            CHECK(contains(lines[0], all_thrown[i].told));
            CHECK(lines[0].size() < 9000);
            CHECK(contains(value("SELECT error FROM radd.skipped_events WHERE event_id = " + event),
                           all_thrown[i].told));
        }
        host->signal(SIGTERM);
        CHECK(host->wait() == 0);
    }
}
