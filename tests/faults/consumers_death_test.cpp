// P15: a worker that dies at a named point, and what its deaths cost.

#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <host/db/migrate.hpp>
#include <tests/support/process.hpp>
#include <tests/support/test_database.hpp>
#include <tests/support/wait.hpp>

using namespace std::chrono_literals;
using radd::testing::eventually;
using radd::testing::Process;
using radd::testing::TestDatabase;

namespace {

struct Bench {
    Bench() {
        radd::db::migrate(database.session(), {{"core", radd::db::core_migrations()}});
        database.execute(
            "CREATE TABLE planned (event_id bigint PRIMARY KEY);"
            "CREATE TABLE delivered (seq bigserial, event_id bigint);"
            "CREATE TABLE projected (event_id bigint PRIMARY KEY, entity_id text, n bigint);"
            "CREATE TABLE applied (event_id bigint PRIMARY KEY)");
        // Seeds the consumers in an empty stream, so that all of them see event 1.
        auto first = start();
        REQUIRE(eventually([&] { return count("radd.consumers WHERE owner IS NOT NULL") == 3; }));
        first->signal(SIGTERM);
        REQUIRE(first->wait() == 0);
    }

    [[nodiscard]] std::unique_ptr<Process> start(const std::vector<std::string>& fuse = {}) const {
        std::vector<std::string> arguments{
            RADD_BINARY_DIR "/tests/consumers_worker", database.url(), "1000"};
        arguments.insert(arguments.end(), fuse.begin(), fuse.end());
        return std::make_unique<Process>(arguments);
    }
    void append(int events) {
        database.execute(
            "INSERT INTO radd.events (event_type, entity_type, entity_id, payload) SELECT "
            "'probe.happened', 'thing', n::text, jsonb_build_object('n', n) FROM "
            "generate_series(1, " +
            std::to_string(events) + ") n");
    }
    std::int64_t count(const std::string& from) {
        return std::stoll(database.value("SELECT count(*) FROM " + from));
    }
    std::string list(const std::string& table, const std::string& order) {
        return database.value("SELECT coalesce(string_agg(event_id::text, ',' ORDER BY " + order +
                              "), '') FROM " + table);
    }
    bool all_at_head() {
        return count("radd.consumers WHERE cursor = (SELECT max(id) FROM radd.events)") == 3;
    }
    /// All consumers belong to `worker`, and so whatever the one before it left is decided.
    bool owned_by(const Process& worker) {
        return count("radd.consumers WHERE owner LIKE '%:" + std::to_string(worker.pid()) +
                     ":%'") == 3;
    }
    /// Five events, a worker that dies at `point` with event 3, and one that does not.
    void die_and_go_on(const std::string& point) {
        append(5);
        auto doomed = start({point, "3"});
        REQUIRE(doomed->wait() == 128 + SIGKILL);
        auto next = start();
        REQUIRE(eventually([&] { return owned_by(*next) && all_at_head(); }));
        next->signal(SIGTERM);
        CHECK(next->wait() == 0);

        CHECK(list("planned", "event_id") == "1,2,3,4,5");
        CHECK(list("projected", "event_id") == "1,2,3,4,5");
        CHECK(list("applied", "event_id") == "1,2,3,4,5");
        CHECK(count("radd.skipped_events") == 0);
    }

    TestDatabase database;
};

}  // namespace

TEST_SUITE("death of a worker") {
    // P15: (a)
    TEST_CASE_FIXTURE(Bench, "before an event is planned costs no delivery") {
        die_and_go_on("read");
        CHECK(list("delivered", "seq") == "1,2,3,4,5");
    }

    // P15: (b)
    TEST_CASE_FIXTURE(Bench, "after planning and before the commit costs no delivery") {
        die_and_go_on("planned");
        CHECK(list("delivered", "seq") == "1,2,3,4,5");
    }

    // P15: (c) for what stands behind the event at work, (d) for what stands before it.
    TEST_CASE_FIXTURE(Bench, "between commit and delivery loses the rest of its batch") {
        die_and_go_on("committed");
        CHECK(list("delivered", "seq") == "1,2");
    }

    // P15: (d)
    TEST_CASE_FIXTURE(Bench, "after some deliveries repeats none of them") {
        die_and_go_on("delivered");
        CHECK(list("delivered", "seq") == "1,2,3");
    }

    // P17
    TEST_CASE_FIXTURE(Bench, "three times over one event alone sets it aside") {
        append(5);
        // The first takes a batch down and names no event; the next owners run one at a time.
        for (int death = 0; death <= 3; ++death) {
            CAPTURE(death);
            const bool is_odd = death % 2 == 1;
            auto doomed = start({is_odd ? "read" : "abort", "3"});
            REQUIRE(doomed->wait() == 128 + (is_odd ? SIGKILL : SIGABRT));
            CHECK(count("radd.skipped_events") == 0);
        }
        // It would die once more if it were given the event.
        auto next = start({"read", "3"});
        REQUIRE(eventually([&] { return all_at_head(); }));
        CHECK(next->is_running());
        append(1);
        REQUIRE(eventually([&] { return all_at_head(); }));
        next->signal(SIGTERM);
        CHECK(next->wait() == 0);

        CHECK(list("planned", "event_id") == "1,2,4,5,6");
        CHECK(list("delivered", "seq") == "1,2,4,5,6");
        CHECK(list("projected", "event_id") == "1,2,3,4,5,6");
        CHECK(list("applied", "event_id") == "1,2,3,4,5,6");
        CHECK(database.value("SELECT consumer || ' ' || event_id || ' ' || phase FROM "
                             "radd.skipped_events") == "probe.outward 3 quarantine");
        CHECK(database.value("SELECT event ->> 'entity_id' FROM radd.skipped_events") == "3");
    }
}
