// P06, P08: a server that goes away takes its sessions along and nothing else.

#include <string>

#include <doctest/doctest.h>

#include <host/db/pool.hpp>
#include <tests/support/private_cluster.hpp>
#include <tests/support/wait.hpp>

using radd::Unavailable;
using radd::db::Lease;
using radd::db::Pool;
using radd::db::Session;
using radd::testing::eventually;
using radd::testing::PrivateCluster;

TEST_SUITE("server restart") {
    // P06, P08
    TEST_CASE("each way to lose a server is Unavailable until it is back") {
        PrivateCluster cluster;
        Pool pool{{.url = cluster.url()}, 2};
        pool.lease("set up")->run_script("CREATE TABLE kept (id bigint)");
        int restarts = 0;

        for (const auto end :
             {&PrivateCluster::stop_fast, &PrivateCluster::stop_immediate, &PrivateCluster::kill}) {
            const Lease lease = pool.lease("unit of work");
            lease->begin();
            lease->query("INSERT INTO kept VALUES (1)");
            (cluster.*end)();
            CHECK(cluster.pid() == 0);

            CHECK_THROWS_AS(lease->query("INSERT INTO kept VALUES (2)"), Unavailable);
            CHECK_THROWS_AS(lease->commit(), Unavailable);
            CHECK_THROWS_AS((void)pool.lease("newcomer"), Unavailable);

            cluster.start();
            CHECK_THROWS_AS(lease->query("INSERT INTO kept VALUES (3)"), Unavailable);
            CHECK(pool.lease("next")->query("SELECT id FROM kept").empty());
            ++restarts;
        }

        CHECK(restarts == 3);
    }

    TEST_CASE("too many connections are no fault of the configuration") {
        PrivateCluster cluster{{{"max_connections", "4"}, {"superuser_reserved_connections", "0"}}};
        const auto open_all = [&] {
            Session one{{.url = cluster.url()}};
            Session two{{.url = cluster.url()}};
            Session three{{.url = cluster.url()}};
            Session four{{.url = cluster.url()}};
            Session five{{.url = cluster.url()}};
        };

        CHECK_THROWS_AS(open_all(), Unavailable);
        // Who has closed a connection has not waited for its server process.
        CHECK(eventually([&] {
            try {
                Session{{.url = cluster.url()}}.query("SELECT 1");
                return true;
            } catch (const Unavailable&) {
                return false;
            }
        }));
    }
}
