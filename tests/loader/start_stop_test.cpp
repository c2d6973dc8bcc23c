#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>

#include <dlfcn.h>
#include <host/plugins/guarded.hpp>
#include <host/plugins/hook.hpp>
#include <sys/wait.h>
#include <tests/loader/bench.hpp>

using namespace radd;
using namespace radd::loader_test;

namespace fs = std::filesystem;

namespace {

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

struct Stage : Bench {
    Stage() {
        install("probe");
        install("describer");
        declare("probe").startup_timeout = std::chrono::seconds{10};
        declare("describer");
    }

    /// What the hooks have written: `describer+probe+` and so on.
    [[nodiscard]] std::string hooks() const {
        std::ifstream file{root / "started"};
        return {std::istreambuf_iterator<char>{file}, {}};
    }

    /// The failure's text; empty if all started.
    static std::string start(loader::PluginSet& set) {
        try {
            set.start([](const loader::LoadedPlugin&) -> Services& { return no_services(); });
            return {};
        } catch (const loader::StartFailed& failure) {
            return failure.what();
        }
    }

    Variable started{"FIXTURE_STARTED", (root / "started").string()};
};

/// The exit code of tests/loader/exit_main.cpp with the plugins of `stage`, or 1000 + signal.
int run_exit_program(const Stage& stage) {
    const std::string command = std::string{RADD_BINARY_DIR} + "/tests/loader_exit '" +
                                stage.plugins.string() + "' '" +
                                stage.options.runtime_dir.string() + "'";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

}  // namespace

TEST_SUITE("plugin set") {
    TEST_CASE_FIXTURE(Stage, "starts in order of dependency and stops in reverse") {
        const Variable fault{"FIXTURE_FAULT", "needs_describer"};
        auto set = load();

        CHECK(start(set).empty());
        CHECK(hooks() == "describer+probe+");
        CHECK(set.stop().empty());
        CHECK(hooks() == "describer+probe+probe-describer-");
        CHECK(set.stop().empty());
        CHECK(hooks() == "describer+probe+probe-describer-");
    }

    TEST_CASE_FIXTURE(Stage, "no library sees what a plugin exports") {
        const auto set = load();

        REQUIRE(loaded(set) == "describer probe");
        CHECK(dlsym(RTLD_DEFAULT, std::string{abi::entry_name}.c_str()) == nullptr);
    }

    TEST_CASE_FIXTURE(Stage, "a start that throws stops what has started") {
        const Variable fault{"FIXTURE_FAULT", "startup_throws"};
        auto set = load();

        CHECK(start(set) == "E60 " + (plugins / "probe.so").string() +
                                " probe: on_startup failed: no licence file");
        CHECK(hooks() == "describer+describer-");
        CHECK_FALSE(set.left_behind());
    }

    TEST_CASE_FIXTURE(Stage, "a start that throws no exception type is contained as well") {
        const Variable fault{"FIXTURE_FAULT", "startup_throws_int"};
        auto set = load();

        CHECK(contains(start(set), "an exception of type int"));
        CHECK(hooks() == "describer+describer-");
    }

    TEST_CASE_FIXTURE(Stage, "a start that does not return is given up at its deadline") {
        const Variable fault{"FIXTURE_FAULT", "startup_hangs"};
        options.manifests.front().startup_timeout = std::chrono::milliseconds{200};
        auto set = load();

        CHECK(contains(start(set), "E62"));
        CHECK(set.left_behind());
        CHECK(hooks() == "describer+describer-");
    }

    TEST_CASE_FIXTURE(Stage, "a stop that throws is told and the others are stopped") {
        const Variable fault{"FIXTURE_FAULT", "shutdown_throws"};
        auto set = load();
        CHECK(start(set).empty());

        const auto problems = set.stop();

        REQUIRE(problems.size() == 1);
        CHECK(problems[0].code == "E61");
        CHECK(contains(problems[0].message, "PrivateType"));
        CHECK(hooks() == "describer+probe+probe-describer-");
    }

    TEST_CASE_FIXTURE(Stage, "a library stays mapped when its set is gone") {
        fs::path copy;
        {
            const auto set = load();
            copy = options.runtime_dir / ("probe-" + set.find("probe")->build_id + ".so");
        }

        std::ifstream maps{"/proc/self/maps"};
        const std::string text{std::istreambuf_iterator<char>{maps}, {}};
        CHECK(contains(text, fs::absolute(copy).string()));
    }

    // P55
    TEST_CASE_FIXTURE(Stage, "the process ends well each time with statics and thread locals") {
        const int rounds = std::getenv("RADD_LONG") != nullptr ? 100 : 20;
        for (int round = 0; round < rounds; ++round) {
            CAPTURE(round);
            REQUIRE(run_exit_program(*this) == 0);
        }
    }

    // P55
    TEST_CASE_FIXTURE(Stage, "a thread that a plugin left behind does not hold up the exit") {
        const Variable fault{"FIXTURE_FAULT", "leaves_thread"};

        CHECK(run_exit_program(*this) == 0);
    }
}

TEST_SUITE("guarded") {
    TEST_CASE("says what was thrown whatever its type") {
        struct NullWhat : std::exception {
            [[nodiscard]] const char* what() const noexcept override { return nullptr; }
        };

        CHECK_FALSE(loader::guarded([] {}));
        CHECK(loader::guarded([] { throw std::runtime_error{"two\nlines"}; }) == "two\\nlines");
        CHECK(loader::guarded([] { throw 5; }) == "an exception of type int without a text");
        CHECK(contains(*loader::guarded([] { throw NullWhat{}; }), "NullWhat"));
    }
}
