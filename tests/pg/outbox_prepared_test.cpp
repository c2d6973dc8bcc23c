// Two-phase commit over a restart of the server, which gives a prepared transaction a new name.

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tests/pg/outbox_bench.hpp>
#include <tests/support/private_cluster.hpp>

using namespace radd;
using namespace radd::testing;

namespace {

constexpr std::string_view append =
    "INSERT INTO radd.events (event_type, entity_type, entity_id) VALUES ('probe.happened', "
    "'note', '1')";

std::int64_t settle(const db::ConnectOptions& options) {
    db::Session session{options};
    return session.query("SELECT radd.settle() AS settled")[0].integer("settled");
}

std::vector<std::int64_t> read_all(const db::ConnectOptions& options) {
    SteadyClock clock;
    LogBook log;
    outbox::Tail tail{options, {}, clock, log};
    tail.start();
    std::vector<std::int64_t> ids;
    // Long enough for some looks at the locks: what is held back must stay so.
    static_cast<void>(tail.wait(2, std::chrono::milliseconds{300}));
    db::Session session{options};
    for (const auto& event : tail.read(session, 0, 100).events) ids.push_back(event->id);
    tail.stop();
    return ids;
}

}  // namespace

TEST_SUITE("prepared emitters") {
    // P02, step 4 over a restart
    TEST_CASE("a restart of the server does not let readers pass a prepared emitter") {
        PrivateCluster cluster{{{"max_prepared_transactions", "2"}}};
        const db::ConnectOptions options{.url = cluster.url()};
        {
            db::Session session{options};
            db::migrate(session, {{.owner = "core", .migrations = db::core_migrations()}});
            session.run_script("BEGIN; " + std::string{append} + "; PREPARE TRANSACTION 'late'");
            session.query_text(append, {}, false);
        }
        CHECK(settle(options) == 0);  // Publishes the head, which is above the prepared id.
        cluster.stop_immediate();
        cluster.start();

        CHECK(settle(options) == 0);
        CHECK(read_all(options).empty());
        {
            db::Session session{options};
            session.run_script("COMMIT PREPARED 'late'");
        }
        CHECK(read_all(options) == std::vector<std::int64_t>{1, 2});
    }
}
