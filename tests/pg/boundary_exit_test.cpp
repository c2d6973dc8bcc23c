// How `radd serve` ends, with a plugin that holds on to things of its own until the end.

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>

#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;

namespace {

struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} {
        install("parting", "parting", "settings:\n  file: " + told.string() + "\n");
    }

    /// What the plugin has logged of its own.
    [[nodiscard]] std::string lines() const {
        std::ifstream file{told};
        return {std::istreambuf_iterator<char>{file}, {}};
    }

    std::filesystem::path told = path("parting.log");
};

}  // namespace

TEST_SUITE("the end of a host") {
    // P55
    TEST_CASE_FIXTURE(Scene, "is well each time whatever a plugin holds on to") {
        constexpr auto patience = std::chrono::seconds{60};
        const std::size_t rounds = std::getenv("RADD_LONG") != nullptr ? 100 : 10;
        for (std::size_t round = 1; round <= rounds; ++round) {
            CAPTURE(round);
            const auto host = serve();
            const bool is_used = eventually(
                [&] {
                    return count_of(lines(), "projected\n") == round &&
                           count_of(lines(), "listening\n") == round;
                },
                patience);
            REQUIRE_MESSAGE(is_used, lines() << host->errors());

            host->signal(SIGTERM);
            const auto code = host->wait(patience);

            CAPTURE(host->errors());
            REQUIRE(code.value_or(-1) == 0);
            CHECK(host->errors().ends_with(" stopped\n"));
            const auto all = lines_of(lines());
            REQUIRE(all.size() >= 2);
            CHECK(contains(all[all.size() - 2], "a literal right before the stop"));
            CHECK(all.back() == "a static is destroyed");
            CHECK(count_of(lines(), "a static is destroyed\n") == round);
        }
    }
}
