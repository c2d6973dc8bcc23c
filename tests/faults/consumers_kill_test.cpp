// P15: a worker that is killed at any moment costs time, and nothing else.

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <host/consumers/overview.hpp>
#include <tests/faults/worker_bench.hpp>

using namespace std::chrono_literals;
using radd::testing::eventually;
using radd::testing::Process;
using radd::testing::SharedWorkerBench;

namespace {

constexpr int writers = 8;
constexpr int entities = 40;

/// Locks the entity and counts it: the order of its events is then that of their commits.
constexpr radd::Sql touch_entity = "UPDATE entities SET n = n + 1 WHERE id = $1 RETURNING n";
constexpr radd::Sql insert_event = R"sql(
    INSERT INTO radd.events (event_type, entity_type, entity_id, payload)
    VALUES ('probe.happened', 'thing', $1, jsonb_build_object('n', $2::bigint)))sql";
constexpr radd::Sql hold = "SELECT pg_sleep($1)";
constexpr radd::Sql set_savepoint = "SAVEPOINT here";
constexpr radd::Sql undo_savepoint = "ROLLBACK TO SAVEPOINT here";

bool is_long() {
    return std::getenv("RADD_LONG") != nullptr;  // NOLINT(concurrency-mt-unsafe)
}

/// Transactions of one to five events with random holds, one in twenty rolled back, one in five
/// with an event in a savepoint that is undone.
void write_events(const std::string& url, int seed, int wanted, std::atomic<int>& written) {
    radd::db::Session session{{.url = url}};
    std::mt19937 random{static_cast<unsigned>(seed)};
    const auto below = [&](unsigned bound) { return random() % bound; };
    while (written < wanted) {
        const std::string entity = std::to_string(below(entities));
        const auto emit = [&] {
            const auto rows = session.query(touch_entity, entity);
            session.query(insert_event, entity, rows[0].integer("n"));
        };
        session.begin();
        const int count = 1 + static_cast<int>(below(5));
        for (int i = 0; i < count; ++i) emit();
        if (below(5) == 0) {
            session.query(set_savepoint);
            emit();
            session.query(undo_savepoint);
        }
        if (below(2) == 0) session.query(hold, static_cast<double>(below(3000)) / 1e6);
        if (below(20) == 0) {
            session.rollback();
            continue;
        }
        session.commit();
        written += count;
    }
}

struct Bench : SharedWorkerBench {
    Bench() {
        execute(
            "CREATE TABLE entities (id text PRIMARY KEY, n bigint NOT NULL DEFAULT 0);"
            "INSERT INTO entities (id) SELECT n::text FROM generate_series(0, 39) n");
    }
    void start_worker() { worker = start(); }
    /// Kills it when the projection has come `events` further, wherever it is then.
    void kill_after(std::int64_t events) {
        const std::string cursor =
            "SELECT cursor FROM radd.consumers WHERE name = "
            "'probe.projection'";
        const auto from = number(cursor);
        REQUIRE(eventually([&] { return number(cursor) >= from + events; }, 60s));
        worker->signal(SIGKILL);
        REQUIRE(worker->wait() == 128 + SIGKILL);
        start_worker();
    }
    std::unique_ptr<Process> worker;
};

}  // namespace

TEST_SUITE("killed worker") {
    // P12, P15
    TEST_CASE_FIXTURE(Bench, "effects stay exactly once and deliveries at most once") {
        const int kills = is_long() ? 60 : 10;
        const int wanted = is_long() ? 120'000 : 20'000;
        start_worker();
        REQUIRE(eventually([&] {
            return number("SELECT count(*) FROM radd.consumers WHERE owner IS NOT NULL") ==
                   radd::testing::worker_consumers;
        }));
        std::atomic<int> written{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < writers; ++i)
            threads.emplace_back([&, i] { write_events(database.url(), i, wanted, written); });

        std::mt19937 random{std::random_device{}()};
        for (int i = 0; i < kills; ++i) kill_after(static_cast<std::int64_t>(random() % 1200));
        for (auto& thread : threads) thread.join();
        REQUIRE(eventually([&] { return all_at_head(); }, 180s));
        worker->signal(SIGTERM);
        CHECK(worker->wait() == 0);

        CHECK(number("SELECT count(*) FROM radd.events WHERE event_type = 'probe.happened'") ==
              written);
        check_guarantees();
        const auto tenth = number(
            "SELECT count(*) FROM radd.events WHERE event_type = 'probe.happened' AND id % 10 = 0");
        const std::string echoes = " FROM radd.events WHERE event_type = 'probe.echoed'";
        CHECK(number("SELECT count(*)" + echoes) == tenth);
        CHECK(number("SELECT count(DISTINCT payload ->> 'of')" + echoes) == tenth);
        CHECK(number("SELECT count(*) FROM delivered") <= written);
        // Per kill at most what one batch had committed and not yet sent.
        CHECK(number("SELECT count(*) FROM delivered") >= written - kills * 50);
        CHECK(number("SELECT count(*) FROM radd.consumers WHERE owner IS NOT NULL") == 0);
        for (const auto& one : radd::consumers::consumer_overview(
                 session(), {.head = number("SELECT max(id) FROM radd.events")})) {
            CHECK(one.lag == 0);
        }
    }
}
