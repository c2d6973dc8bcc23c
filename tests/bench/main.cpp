// What the outbox costs, as ratios to raw libpq in the same run.
//
//     RADD_TEST_CLUSTER=<folder of tools/test-cluster> radd_bench [group …]
//
// Absolute figures depend on the machine and mean nothing; the ratios are what is promised. The
// cluster must be nobody else's: statements are counted in its log.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <tests/bench/figures.hpp>
#include <tests/bench/table.hpp>
#include <tests/support/test_database.hpp>

int main(int argc, char** argv) {
    using namespace radd::bench;
    const std::vector<std::string> wanted{argv + 1, argv + argc};
    const std::vector<std::pair<std::string, std::function<void()>>> groups{
        {"emit",
         [] {
             for (const int threads : {1, 8}) {
                 for (const int rows : {1, 100}) compare_emit(threads, rows, true);
             }
             compare_emit(1, 1, false);
         }},
        {"drain", compare_drain},
        {"fan", measure_fan_out},
        {"latency", measure_latency},
        {"idle", measure_idle},
        {"memory", measure_memory},
        {"deliveries", measure_deliveries},
        {"host", measure_host},
        {"search", measure_search},
        {"feed", measure_feed},
    };
    try {
        print_heading(radd::testing::TestDatabase{}.session().server_version());
        for (const auto& [name, run] : groups) {
            if (wanted.empty() || std::ranges::find(wanted, name) != wanted.end()) run();
        }
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "radd_bench: %s\n", error.what());
        return 1;
    }
}
