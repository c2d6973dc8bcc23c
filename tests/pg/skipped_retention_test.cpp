// Records of skipped events that were settled long ago.

#include <string>

#include <doctest/doctest.h>

#include <host/consumers/operations.hpp>
#include <host/consumers/receipt.hpp>
#include <host/consumers/skipped_retention_task.hpp>
#include <host/db/migrate.hpp>
#include <host/outbox/transaction.hpp>
#include <host/verify/verification.hpp>
#include <tests/pg/consumers_bench.hpp>

using radd::consumers::ConsumerOperations;
using radd::consumers::Receipt;
using radd::consumers::SkippedRetentionTask;
using radd::testing::KeptLog;
using radd::testing::TestDatabase;

namespace {

constexpr std::int64_t keep_days = 30;

/// Events 1 to 10, of which a consumer has handled all but 3.
struct Skips {
    Skips() {
        radd::db::migrate(session, {{"core", radd::db::core_migrations()}});
        database.execute(
            "INSERT INTO radd.events (event_type, entity_type, entity_id) "
            "SELECT 'probe.happened', 'thing', '1' FROM generate_series(1, 10); "
            "SELECT radd.settle()");
        Receipt receipt;
        for (const std::int64_t id : {1, 2, 4, 5, 6, 7, 8, 9, 10}) receipt.add(id);
        database.execute(
            "INSERT INTO radd.consumers (name, plugin, cursor, seeded_at, handled_count, "
            "handled_hash) VALUES ('probe.one', 'probe', 10, 0, " +
            std::to_string(receipt.count) + ", " +
            std::to_string(static_cast<std::int64_t>(receipt.hash)) + ")");
    }

    /// Settled so long ago, in words of SQL; open if it is empty.
    void record(std::int64_t event_id,
                const std::string& phase,
                const std::string& resolution = {},
                const std::string& settled = {},
                int times = 1) {
        const std::string at =
            settled.empty() ? "NULL" : "clock_timestamp() - interval '" + settled + "'";
        database.execute(
            "INSERT INTO radd.skipped_events (consumer, event_id, event, phase, error, plugin, "
            "plugin_version, skipped_at, resolved_at, resolution) SELECT 'probe.one', e.id, "
            "to_jsonb(e), '" +
            phase + "', 'refused', 'probe', '1', clock_timestamp() - interval '9 years', " + at +
            ", nullif('" + resolution + "', '') FROM radd.events e, generate_series(1, " +
            std::to_string(times) + ") WHERE e.id = " + std::to_string(event_id));
    }
    std::string left() {
        return database.value(
            "SELECT coalesce(string_agg(event_id || ' ' || phase, ', ' ORDER BY id), '') FROM "
            "radd.skipped_events");
    }
    bool is_proven() {
        const auto report =
            radd::verify::Verification{session, [](const radd::verify::Progress&) {}}.run();
        return report.findings.empty() && report.consumers.at(0).verdict == "each once";
    }

    TestDatabase database;
    radd::db::Session session{database.options()};
    radd::db::Pool pool{database.options(), 2};
    radd::outbox::Catalog catalog;
    KeptLog log;
    radd::outbox::OutboxDatabase transactions{pool, catalog, {}, log, "test", {}};
    SkippedRetentionTask task{transactions, keep_days};
};

}  // namespace

TEST_SUITE("records of skipped events") {
    TEST_CASE_FIXTURE(Skips, "settled ones go when their time has come and open ones never") {
        record(4, "deliver");
        record(5, "deliver", "retried", "29 days 23 hours");
        record(6, "deliver", "retried", "30 days 1 hour");
        record(7, "sweep", "replayed", "30 days 1 hour");
        record(8, "plan", "replayed", "30 days 1 hour");

        CHECK_FALSE(task.tick());

        CHECK(left() == "4 deliver, 5 deliver");
        CHECK_FALSE(SkippedRetentionTask(transactions, 0).enabled());
        CHECK(task.enabled());
    }

    TEST_CASE_FIXTURE(Skips, "settled ones go in slices") {
        constexpr int slice = SkippedRetentionTask::rows_per_tick_max;
        record(4, "deliver", "retried", "1 year", 2 * slice + 1);
        const auto count = [&] {
            return std::stoi(database.value("SELECT count(*) FROM radd.skipped_events"));
        };

        CHECK(task.tick());
        CHECK(count() == slice + 1);
        CHECK(task.tick());
        CHECK(count() == 1);
        CHECK_FALSE(task.tick());
        CHECK(count() == 0);
    }

    TEST_CASE_FIXTURE(Skips, "what a receipt leaves out stays as long as it can be compared") {
        record(3, "plan", "retried", "1 year");
        record(4, "deliver", "retried", "1 year");
        REQUIRE(is_proven());

        CHECK_FALSE(task.tick());
        CHECK(left() == "3 plan");
        CHECK(is_proven());

        ConsumerOperations{session}.seek("probe.one", 10, 10);
        CHECK_FALSE(task.tick());
        CHECK(left() == "");
        CHECK(is_proven());
    }
}
