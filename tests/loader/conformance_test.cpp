// Each rule of conformance is seen to be kept, and to be broken, by a plugin that breaks it alone.

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <tests/loader/bench.hpp>

namespace {

using radd::loader_test::fixture_path;
using radd::loader_test::Variable;

struct Outcome {
    int exit_code = -1;
    std::string said;
};

Outcome run(const std::string& rule,
            const std::string& more = "",
            const std::string& plugin = "conforming") {
    const std::string command = std::string{RADD_CONFORMANCE} + ' ' + rule + ' ' +
                                fixture_path(plugin).string() + ' ' + more + " 2>&1";
    Outcome outcome;
    std::FILE* pipe = popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::array<char, 4096> part{};
    while (const auto count = std::fread(part.data(), 1, part.size(), pipe))
        outcome.said.append(part.data(), count);
    const int status = pclose(pipe);
    if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
    return outcome;
}

struct Broken {
    std::string fault;
    std::string rule;
    std::string says;
};

const std::array broken_plugins{
    Broken{"counts", "deterministic", "'plugin: "},
    Broken{"follows_locale", "elsewhere", "in another directory, zone and locale: "},
    Broken{"follows_zone", "elsewhere", "Pacific/Chatham"},
    Broken{"needs_berlin", "elsewhere", "E60"},
    Broken{"starts_once", "start_twice", "is running already"},
    Broken{"factory_throws", "start_twice", "no reader today"},
    Broken{"factory_throws_int", "start_twice", "factory threw: an exception of type int"},
    Broken{"factory_makes_nothing", "start_twice", "'conforming.reader': its factory made nothing"},
    Broken{"hangs_at_start", "start_twice", "E62"},
    Broken{"hangs_at_stop", "start_twice", "W65"},
    Broken{"throws_at_stop", "start_twice", "E61"},
    Broken{"changes_directory", "shared_state", "changed directory: /"},
    Broken{"changes_locale", "shared_state", "changed C"},
    Broken{"sets_variable", "shared_state", "changed variable TZ: Europe/Berlin"},
    Broken{"changes_mask", "shared_state", "changed file mode mask: 0"},
    Broken{"takes_signal", "shared_state", "changed signal 2: 1"},
    Broken{"leaves_thread", "leftovers", "left thread "},
    Broken{"leaves_file", "leftovers", "/dev/null"},
    Broken{"wrong_default", "settings", "size"},
    Broken{"needs_room", "settings", "setting 'size' may be 1"},
};

constexpr std::array rules{"idempotent_entry",
                           "deterministic",
                           "elsewhere",
                           "start_twice",
                           "shared_state",
                           "leftovers",
                           "settings"};

}  // namespace

TEST_SUITE("conformance") {
    TEST_CASE("a plugin that keeps every rule passes each") {
        for (const std::string rule : rules) {
            const auto outcome = run(rule);
            CHECK_MESSAGE(outcome.exit_code == 0, rule << ": " << outcome.said);
            CHECK(outcome.said.empty());
        }
    }

    TEST_CASE("a plugin that breaks a rule is told which and how") {
        for (const Broken& broken : broken_plugins) {
            const Variable fault{"CONFORMANCE_FAULT", broken.fault};
            // Only who hangs is waited for; on a busy machine the others may take their time.
            const bool hangs = broken.fault.starts_with("hangs_");
            const auto outcome = run(broken.rule, hangs ? "--deadline 500" : "");
            CAPTURE(broken.fault);
            CHECK(outcome.exit_code == 1);
            CHECK_MESSAGE(outcome.said.find(broken.says) != std::string::npos, outcome.said);
        }
    }

    TEST_CASE("an entry that answers differently each time is found") {
        const auto outcome = run("idempotent_entry", "", "fickle_entry");
        CHECK(outcome.exit_code == 1);
        CHECK(outcome.said.find("another descriptor each time") != std::string::npos);
    }

    TEST_CASE("the rules that the build makes tests of are those that there are") {
        std::string listed;
        for (const std::string_view rule : rules) listed.append(rule).append(" ");
        CHECK(listed == RADD_CONFORMANCE_RULES " ");
        CHECK(run("such_a_rule").exit_code == 2);
        CHECK(run("deterministic", "--deadline soon").exit_code == 2);
    }

    TEST_CASE("what cannot be loaded breaks every rule") {
        const auto outcome = run("deterministic", "--with /nowhere/else.so");
        CHECK(outcome.exit_code == 1);
        CHECK(outcome.said.find("/nowhere/else.so") != std::string::npos);
    }

    TEST_CASE("a build that cannot ask its plugin what it brings says why and what to do") {
        const auto file = fixture_path("unsealed").string();
        std::filesystem::remove(file);

        const auto outcome = run("manifest", file, "constructor_exits");

        CHECK(outcome.exit_code == 1);
        CHECK_MESSAGE(outcome.said.starts_with("E17 "), outcome.said);
        CHECK(outcome.said.find("say UNSEALED to radd_add_plugin()") != std::string::npos);
        CHECK(run("manifest", file, "debug_mode").said.starts_with("E12 "));
        CHECK_FALSE(std::filesystem::exists(file));
        CHECK(run("manifest", "").exit_code == 2);
        CHECK(run("manifest", "/nowhere/at/all").said.find("cannot be written") !=
              std::string::npos);
    }
}
