// What the outbox costs, as ratios to raw libpq in the same run.
//
//     RADD_TEST_CLUSTER=<folder of tools/test-cluster> radd_bench [--out FOLDER] [group …]
//
// Absolute figures depend on the machine and mean nothing; the ratios are what is promised. The
// cluster must be nobody else's: statements are counted in its log.

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tests/bench/figures.hpp>
#include <tests/bench/report.hpp>
#include <tests/support/test_database.hpp>

namespace {

using namespace radd::bench;

constexpr std::array groups{
    std::pair{"emit", &compare_emit},
    std::pair{"drain", &compare_drain},
    std::pair{"catch_up", &measure_catch_up},
    std::pair{"projection", &compare_projection},
    std::pair{"fan", &measure_fan_out},
    std::pair{"latency", &measure_latency},
    std::pair{"idle", &measure_idle},
    std::pair{"memory", &measure_memory},
    std::pair{"deliveries", &measure_deliveries},
    std::pair{"webhooks", &measure_webhooks},
    std::pair{"host", &measure_host},
    std::pair{"web", &measure_web},
    std::pair{"search", &measure_search},
    std::pair{"feed", &measure_feed},
    std::pair{"bulk", &measure_bulk},
    std::pair{"large_bulk", &measure_large_bulk},
};

/// So long that nobody wants it who does not say so.
constexpr std::string_view only_when_named = "large_bulk";

void check_names(const std::vector<std::string>& wanted) {
    for (const auto& name : wanted) {
        const bool is_known =
            std::ranges::any_of(groups, [&](const auto& group) { return group.first == name; });
        if (!is_known) throw std::runtime_error{name + ": no such group"};
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        std::vector<std::string> wanted{argv + 1, argv + argc};
        std::string folder;
        if (wanted.size() > 1 && wanted.front() == "--out") {
            folder = wanted.at(1);
            wanted.erase(wanted.begin(), wanted.begin() + 2);
        }
        check_names(wanted);
        Report report;
        report.begin(radd::testing::TestDatabase{}.session().server_version());
        for (const auto& [name, run] : groups) {
            const bool is_wanted = wanted.empty() ? name != only_when_named
                                                  : std::ranges::find(wanted, name) != wanted.end();
            if (is_wanted) run(report);
        }
        if (!folder.empty()) report.write(folder);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "radd_bench: %s\n", error.what());
        return 1;
    }
}
