// How fast the index of search is built from a backlog.

#include <string>
#include <vector>

#include <host/consumers/supervisor.hpp>
#include <host/db/migrate.hpp>
#include <host/outbox/transaction.hpp>
#include <radd/testing/fixture_host.hpp>
#include <tests/bench/figures.hpp>
#include <tests/bench/report.hpp>
#include <tests/bench/require_soon.hpp>
#include <tests/bench/running.hpp>
#include <tests/pg/outbox_bench.hpp>
#include <tests/support/lent_services.hpp>

namespace radd::testing {
std::vector<Migration> items_migrations();  // Embedded by the build.
}

namespace radd::bench {
namespace {

constexpr int search_rounds = 3;

/// Items with a description of a hundred words and a comment each, and the events about them.
constexpr Sql insert_items = R"sql(
    WITH project AS (
        INSERT INTO items.projects (key, name) VALUES ('DEMO', 'Demo') RETURNING id),
    made AS (
        INSERT INTO items.items (project_id, number, key, type, title, description, state_id)
        SELECT project.id, n, 'DEMO-' || n, 'Task', 'Item number ' || n || ' of many',
               (SELECT string_agg('word' || (n * 37 + w * w) % 20000, ' ')
                  FROM generate_series(1, 100) w),
               (SELECT min(id) FROM items.states)
          FROM project, generate_series(1, $1::bigint) n
        RETURNING id, number),
    commented AS (
        INSERT INTO items.comments (item_id, body) SELECT id, 'About ' || number FROM made)
    INSERT INTO radd.events (event_type, entity_type, entity_id)
    SELECT 'item.created', 'item', id::text FROM made ORDER BY id)sql";

double items_per_second(std::int64_t rows) {
    testing::OutboxBench bench;
    const Manifest plugin = testing::linked_manifest();
    db::migrate(bench.database.session(),
                {{"core", db::core_migrations()},
                 {"items", testing::items_migrations()},
                 {"search", plugin.migrations}});
    bench.database.session().query(insert_items, rows);
    bench.database.execute("ANALYZE; SELECT radd.settle()");

    outbox::OutboxDatabase database{bench.pool, bench.catalog, {}, bench.log, "bench", [] {}};
    testing::LentServices services{database};
    services.fakes.values = testing::FakeSettings{plugin.settings};
    const auto indexer = plugin.consumers.at(0).make(services);
    const auto tail = bench.started_tail();
    AnyRandom random;
    std::vector<consumers::ConsumerSetup> setups{
        {.declaration = {.name = plugin.consumers.at(0).name,
                         .plugin = plugin.id,
                         .plugin_version = plugin.version,
                         .first_start = FirstStart::beginning},
         .consumer = indexer.get()}};
    consumers::Workers workers{
        {bench.pool, *tail, bench.catalog, {}, bench.clock, random, bench.log},
        {},
        std::move(setups),
        {}};
    const auto indexed = [&] {
        return std::stoll(bench.database.value("SELECT count(*) FROM search.documents"));
    };
    workers.start();
    require_soon("a first item indexed", [&] { return indexed() > 0; });
    const auto already = indexed();  // Acquiring the lease is no part of indexing.
    const auto start = bench.clock.steady_now();
    require_soon(
        "every item indexed", [&] { return indexed() == rows; }, std::chrono::minutes{2});
    const std::chrono::duration<double> took = bench.clock.steady_now() - start;
    workers.stop(std::chrono::seconds{5});
    tail->stop();
    return static_cast<double>(rows - already) / took.count();
}

}  // namespace

void measure_search(Report& report) {
    std::vector<double> rates;
    for (int round = 0; round < search_rounds; ++round) rates.push_back(items_per_second(20'000));
    report.value("items/s that search indexes from a backlog", rates, ">= 2000");
}

}  // namespace radd::bench
