#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include <host/plugins/crash_watch.hpp>
#include <host/plugins/known_builds.hpp>
#include <tests/loader/bench.hpp>

using namespace radd;
using namespace radd::loader_test;
using namespace std::chrono_literals;
using loader::KnownBuilds;

namespace {

const Timestamp noon{std::chrono::sys_days{std::chrono::year{2026} / 11 / 30} + 12h};

bool is_kept_out(const KnownBuilds& builds, const std::string& build) {
    const auto* const known = builds.find(build);
    return known != nullptr && !known->reason.empty();
}

}  // namespace

TEST_SUITE("known builds") {
    TEST_CASE_FIXTURE(Bench, "what was written is read back") {
        const auto file = root / "builds.json";
        KnownBuilds builds{file};
        CHECK(builds.builds().empty());
        builds.pass("probe", "aa", noon);
        builds.keep_out("csat", "bb", "E15 it crashed", noon + 1s);
        builds.crash("mail", "cc", "the host crashed", noon + 2s);
        builds.write();

        const KnownBuilds read{file};

        CHECK(read.fault().empty());
        REQUIRE(read.builds().size() == 3);
        CHECK(read.find("aa")->passed);
        CHECK(read.find("bb")->reason == "E15 it crashed");
        CHECK(loader::time_text(read.find("bb")->since) == "2026-11-30T12:00:01Z");
        CHECK(read.find("cc")->crashes == std::vector<Timestamp>{noon + 2s});
        CHECK(read.find("dd") == nullptr);
    }

    TEST_CASE_FIXTURE(Bench, "crashes count that lie close to each other") {
        KnownBuilds builds{root / "builds.json"};
        builds.crash("probe", "near", "crash", noon);
        builds.crash("probe", "near", "crash", noon + 1s);
        CHECK_FALSE(is_kept_out(builds, "near"));
        builds.crash("probe", "near", "crash", noon + loader::crash_window);
        CHECK(is_kept_out(builds, "near"));

        builds.crash("probe", "far", "crash", noon);
        builds.crash("probe", "far", "crash", noon + 1s);
        builds.crash("probe", "far", "crash", noon + loader::crash_window + 1s);
        CHECK_FALSE(is_kept_out(builds, "far"));
    }

    TEST_CASE_FIXTURE(Bench, "the oldest are forgotten and those that are kept out last") {
        KnownBuilds builds{root / "builds.json"};
        builds.keep_out("probe", "bad", "E15", noon - 1h);
        for (std::size_t i = 0; i < loader::known_builds_max; ++i)
            builds.pass("probe", "good" + std::to_string(i), noon + i * 1s);
        builds.write();

        const KnownBuilds read{root / "builds.json"};

        CHECK(read.builds().size() == loader::known_builds_max);
        CHECK(is_kept_out(read, "bad"));
        CHECK(read.find("good0") == nullptr);
        CHECK(read.find("good1") != nullptr);
    }

    TEST_CASE_FIXTURE(Bench, "a file that nobody wrote so is told and not believed") {
        const auto file = root / "builds.json";
        for (const std::string text : {"",
                                       "{",
                                       "[]",
                                       "{\"version\": 2, \"builds\": []}",
                                       "{\"version\": 1}",
                                       "{\"version\": 1, \"builds\": [{\"build\": 1}]}"}) {
            CAPTURE(text);
            write_text(file, text);
            const KnownBuilds builds{file};
            CHECK(builds.builds().empty());
            CHECK(builds.fault().find("builds.json cannot be read: ") != std::string::npos);
        }
        write_text(file, std::string((4U << 20U) + 1, ' '));
        CHECK(KnownBuilds{file}.fault().find("it has 4194305 bytes") != std::string::npos);
    }

    TEST_CASE_FIXTURE(Bench, "a folder that cannot be written to is told") {
        KnownBuilds builds{root / "absent/builds.json"};
        builds.pass("probe", "aa", noon);

        CHECK_THROWS_WITH_AS(builds.write(),
                             doctest::Contains("builds.json cannot be written: No such file"),
                             Error);
    }

    TEST_CASE_FIXTURE(Bench, "lines of a crash that are none are dropped with the rest") {
        const auto file = loader::crash_file(root);
        write_text(file, "starting 11 1790000000 aa probe\nrunning\n\nnonsense 1 1 bb probe\n");
        KnownBuilds builds{root / "builds.json"};

        loader::take_crashes(file, builds);

        CHECK(builds.builds().size() == 1);
        CHECK(is_kept_out(builds, "aa"));
        CHECK(std::filesystem::file_size(file) == 0);
    }
}
