#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <host/plugins/child.hpp>
#include <host/plugins/crash_watch.hpp>
#include <host/plugins/report.hpp>
#include <radd/abi.hpp>
#include <sys/wait.h>
#include <tests/loader/bad_plugins.hpp>
#include <tests/loader/bench.hpp>
#include <unistd.h>

using namespace radd;
using namespace radd::loader_test;
using namespace std::chrono_literals;

namespace fs = std::filesystem;

namespace {

/// The AddressSanitizer of clang has a dlopen() of its own, which lets an exception through that
/// glibc ends the process for.
#if defined(__clang__)
constexpr bool dlopen_lets_exceptions_through = RADD_HAS_FEATURE(address_sanitizer);
#else
constexpr bool dlopen_lets_exceptions_through = false;
#endif

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string read_text(const fs::path& path) {
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
}

struct Trial : Bench {
    Trial() {
        REQUIRE(loader::may_fork(0));
        options.memory_dir = root / "run/plugins";
        options.trial_deadline = 2s;
        options.now = Timestamp{std::chrono::sys_days{std::chrono::year{2026} / 11 / 30}};
        install("describer");
        declare("describer");
        declare("probe");
    }

    /// Installs it, and says whether its code ran when the plugins were loaded.
    bool runs(const Bytes& library) {
        install("probe.so", library);
        fs::remove(root / "marker");
        const Variable marker{"FIXTURE_MARKER", (root / "marker").string()};
        text = problems(load());
        return fs::exists(root / "marker");
    }

    [[nodiscard]] loader::KnownBuilds known() const {
        return loader::KnownBuilds{loader::builds_file(options.memory_dir)};
    }

    /// Starts the plugins in a child, with a watch, under a fault of the probe; its status.
    int start_in_child(const std::string& word, bool has_started) {
        const Variable fault{"FIXTURE_FAULT", word};
        loader::Child child{[&](int) {
            // The test program wants to hear of them itself.
            for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
                (void)std::signal(signal, SIG_DFL);
            auto set = load();
            loader::CrashWatch watch{loader::crash_file(options.memory_dir), set};
            if (has_started) watch.has_started();
            set.start([](const loader::LoadedPlugin&) -> Services& { return no_services(); });
        }};
        (void)child.line(std::chrono::steady_clock::now() + 10s);
        return child.end();
    }

    std::string text;
};

}  // namespace

TEST_SUITE("trial") {
    TEST_CASE("what takes down the process that opens it is refused with what it did") {
        for (const BadPlugin& expected : bad_by_trial()) {
            CAPTURE(expected.name);
            if (dlopen_lets_exceptions_through && expected.name == "constructor throws") continue;
            Trial trial;
            const auto path = trial.install("probe.so", expected.library());
            const Variable fault{"FIXTURE_FAULT", expected.fault};

            const auto set = trial.load();

            CHECK(loaded(set) == "describer");
            CHECK_FALSE(set.may_start());
            const std::string text = problems(set);
            CAPTURE(text);
            CHECK(
                contains(text, expected.code + ' ' + path.string() + " probe: a trial in a child"));
            CHECK(contains(text, expected.text));
        }
    }

    TEST_CASE_FIXTURE(Trial, "what a trial found keeps the build out without running it again") {
        const auto bad = read_file(fixture_path("constructor_exits"));
        install("probe.so", bad);
        CHECK(contains(problems(load()), "E17"));

        CHECK_FALSE(runs(bad));

        CHECK(contains(text, "E18 " + (plugins / "probe.so").string() + " probe: this build is "));
        CHECK(
            contains(text, "kept out since 2026-11-30T00:00:00Z: E17 a trial in a child process"));
        CHECK(contains(text, "radd quarantine clear probe"));
        CHECK(contains(text, "E17"));
    }

    TEST_CASE_FIXTURE(
        Trial, "a live inspection opens a library in a child alone and tells what it brings") {
        const auto path = install("probe");
        const Variable marker{"FIXTURE_MARKER", (root / "marker").string()};

        const auto inspection = loader::inspect_live(path, 2s);

        CHECK(loader::problems_text(inspection.problems).empty());
        CHECK(fs::exists(root / "marker"));
        CHECK_FALSE(contains(read_text("/proc/self/maps"), path.string()));
        const std::string people = loader::inspection_text(inspection);
        CHECK(contains(people, "asked in a child process, it brings\n"));
        CHECK(contains(people, "probe.happened"));
        const auto json = nlohmann::json::parse(loader::inspection_json(inspection));
        CHECK(json.at("opens") == true);
        const auto& event = json.at("manifest").at("events").at(0);
        CHECK(event.at("type") == "probe.happened");
        CHECK(event.at("subjects") == nlohmann::json{"item"});
        CHECK(json.at("manifest").at("consumers").at(0).at("resume") == "cursor");
        CHECK(nlohmann::json::parse(loader::inspection_json(loader::inspect(path)))
                  .at("manifest")
                  .is_null());
    }

    TEST_CASE_FIXTURE(Trial, "a live inspection holds what it is told against the seal") {
        const auto path = install("sealed");
        CHECK(loader::inspect_live(path, 2s).problems.empty());
        const Variable fault{"FIXTURE_FAULT", "undescribed"};

        const auto inspection = loader::inspect_live(path, 2s);

        CHECK(loader::problems_text(inspection.problems)
                  .starts_with("E19 " + path.string() + " sealed: its manifest is not the one"));
        CHECK(contains(loader::inspection_text(inspection), "subjects itme"));
    }

    TEST_CASE("a live inspection tells what a trial and the handshake would") {
        std::vector<BadPlugin> all = bad_by_trial();
        for (const BadPlugin& bad : bad_by_behaviour()) {
            const bool at_handshake = bad.code == "E11" || bad.code == "E14" || bad.code == "E20";
            // Who a manifest must be of is known to who loads by a list.
            if (at_handshake && !bad.fault.starts_with("wrong_")) all.push_back(bad);
        }
        for (const BadPlugin& expected : all) {
            CAPTURE(expected.name);
            if (dlopen_lets_exceptions_through && expected.name == "constructor throws") continue;
            Trial trial;
            const auto path = trial.install("probe.so", expected.library());
            const Variable fault{"FIXTURE_FAULT", expected.fault};

            const auto inspection = loader::inspect_live(path, 2s);

            const std::string text = loader::problems_text(inspection.problems);
            CAPTURE(text);
            REQUIRE(inspection.problems.size() == 1);
            CHECK(text.starts_with(expected.code + ' ' + path.string()));
            CHECK(contains(text, expected.text));
            CHECK_FALSE(inspection.said);
            CHECK(nlohmann::json::parse(loader::inspection_json(inspection))
                      .at("manifest")
                      .is_null());
        }
    }

    TEST_CASE_FIXTURE(Trial, "a live inspection does not open what its file rules out") {
        const auto path = install("extra_export", "probe.so");
        const Variable marker{"FIXTURE_MARKER", (root / "marker").string()};

        const auto inspection = loader::inspect_live(path, 2s);

        CHECK(contains(loader::problems_text(inspection.problems), "E05"));
        CHECK_FALSE(fs::exists(root / "marker"));
    }

    TEST_CASE_FIXTURE(Trial, "a rebuilt plugin is let in and one that was cleared is tried again") {
        install("constructor_exits", "probe.so");
        CHECK(contains(problems(load()), "E17"));
        install("probe");
        CHECK(loaded(load()) == "describer probe");

        install("constructor_exits", "probe.so");
        CHECK(contains(problems(load()), "E18"));
        auto builds = known();
        CHECK(builds.clear("probe"));
        CHECK_FALSE(builds.clear("probe"));
        builds.write();
        CHECK(contains(problems(load()), "E17 "));
    }

    TEST_CASE_FIXTURE(Trial, "a build that has passed is not tried again") {
        install("probe");
        CHECK(loaded(load()) == "describer probe");
        REQUIRE(known().builds().size() == 2);
        CHECK(known().builds()[0].passed);

        // It would not pass now, in a child that ends: here it is only not asked to.
        options.now += 1h;
        CHECK(loaded(load()) == "describer probe");
        CHECK(known().builds()[0].since == options.now - 1h);
        CHECK(known().builds()[1].since == options.now - 1h);
    }

    TEST_CASE_FIXTURE(Trial, "who only looks tries and reads and writes nothing") {
        install("constructor_exits", "probe.so");
        const auto runtime_dir = std::exchange(options.runtime_dir, fs::path{});
        CHECK(contains(problems(load()), "E17"));
        CHECK_FALSE(fs::exists(options.memory_dir));

        options.runtime_dir = runtime_dir;
        CHECK(contains(problems(load()), "E17"));
        options.runtime_dir.clear();
        CHECK(contains(problems(load()), "E18"));
    }

    TEST_CASE_FIXTURE(Trial, "a plugin that is not required is left out with a warning") {
        install("constructor_writes_wild", "probe.so");
        options.manifests[1].required = false;
        for (const std::string code : {"E15", "E18"}) {
            const auto set = load();
            CAPTURE(code);
            CHECK(set.may_start());
            CHECK(loaded(set) == "describer");
            REQUIRE(set.problems().size() == 1);
            CHECK(set.problems()[0].code == code);
            CHECK(set.problems()[0].severity == config::Severity::warning);
        }
    }

    TEST_CASE_FIXTURE(Trial, "a memory that cannot be read is told and does no harm") {
        install("probe");
        fs::create_directories(options.memory_dir);
        write_text(loader::builds_file(options.memory_dir), "{\"version\": 1, \"builds\": [{}]}");

        const auto set = load();

        CHECK(loaded(set) == "describer probe");
        CHECK(set.may_start());
        CHECK(contains(problems(set), "W18"));
        CHECK(contains(problems(set), "builds.json cannot be read"));
        CHECK(problems(load()).empty());
    }

    TEST_CASE_FIXTURE(Trial, "a crash while it starts keeps a build out") {
        install("probe");

        const int status = start_in_child("startup_crashes", false);

        REQUIRE(WIFSIGNALED(status));
        CHECK(WTERMSIG(status) == SIGILL);
        const auto set = load();
        CHECK(loaded(set) == "describer");
        text = problems(set);
        CHECK(contains(text, "E18"));
        CHECK(contains(text,
                       "the host crashed in its code, or in what that had called, while it "
                       "was starting, by signal 4 (Illegal instruction)"));
        CHECK_FALSE(contains(text, "describer: "));
    }

    TEST_CASE_FIXTURE(Trial, "the third crash while it runs keeps a build out") {
        install("probe");
        CHECK(loaded(load()) == "describer probe");

        for (int crashes = 0; crashes < 2; ++crashes) {
            CHECK(WIFSIGNALED(start_in_child("startup_crashes", true)));
            CHECK(loaded(load()) == "describer probe");
        }
        CHECK(WIFSIGNALED(start_in_child("startup_crashes", true)));

        const auto set = load();
        CHECK(loaded(set) == "describer");
        CHECK(contains(problems(set),
                       "while it was running, by signal 4 (Illegal instruction), 3 "
                       "times within 10 minutes"));
    }
}
