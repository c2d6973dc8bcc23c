// A task is fenced by its lease alone.

#include <doctest/doctest.h>

#include <tests/pg/consumers_bench.hpp>
#include <tests/support/private_cluster.hpp>

using namespace std::chrono_literals;
using radd::consumers::TaskSetup;
using radd::consumers::Workers;
using radd::testing::eventually;
using radd::testing::PrivateCluster;
using radd::testing::Stream;

namespace {

class Idle final : public radd::PeriodicTask {
public:
    [[nodiscard]] std::chrono::milliseconds interval() const override { return 10ms; }
    bool tick() override { return false; }
};

}  // namespace

TEST_SUITE("lease of a task") {
    TEST_CASE("a host that cannot renew it lets it go when it has run out") {
        PrivateCluster cluster;
        Stream stream{cluster.url()};
        Idle idle;
        Workers workers{stream.workers(),
                        {.lease = 500ms},
                        {},
                        {TaskSetup{.declaration = {.name = "probe.clock",
                                                   .plugin = "probe",
                                                   .plugin_version = "1.0.0",
                                                   .task = true},
                                   .task = &idle}}};
        workers.start();
        REQUIRE(eventually([&] { return workers.owned_count() == 1; }));

        cluster.stop_fast();
        CHECK(eventually([&] { return workers.owned_count() == 0; }));

        cluster.start();
        CHECK(eventually([&] { return workers.owned_count() == 1; }));
        CHECK(workers.stop(10s).empty());
    }
}
