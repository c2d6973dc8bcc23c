// Partitions of the stream that are old: dropped below the slowest reader, and below nobody else.

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <host/consumers/cursors.hpp>
#include <host/consumers/operations.hpp>
#include <host/consumers/retention.hpp>
#include <host/consumers/retention_task.hpp>
#include <host/db/migrate.hpp>
#include <host/verify/verification.hpp>
#include <tests/pg/consumers_bench.hpp>

using radd::consumers::ConsumerOperations;
using radd::consumers::ConsumerStore;
using radd::consumers::Retention;
using radd::consumers::RetentionTask;
using radd::consumers::SeekTo;
using radd::testing::eventually;
using radd::testing::KeptLog;
using radd::testing::TestDatabase;

namespace {

constexpr std::int64_t keep_days = 1;

/// Partitions of a hundred ids, and rows of radd.consumers that move when a test says so.
struct SmallPartitions {
    SmallPartitions() {
        radd::db::migrate(database.session(), {{"core", radd::db::core_migrations()}});
        database.execute(R"sql(
            DO $$ DECLARE part regclass; BEGIN
                FOR part IN SELECT inhrelid::regclass FROM pg_inherits
                             WHERE inhparent = 'radd.events'::regclass LOOP
                    EXECUTE 'DROP TABLE ' || part;
                END LOOP;
            END $$;
            SELECT radd.ensure_partitions(100, 1000))sql");
    }

    /// `count` more events, recorded so many days ago.
    void append(int count, int days_ago) {
        database.execute(
            "INSERT INTO radd.events (event_type, entity_type, entity_id, recorded_at) "
            "SELECT 'probe.happened', 'thing', '1', clock_timestamp() - interval '" +
            std::to_string(days_ago) + " days' FROM generate_series(1, " + std::to_string(count) +
            ")");
    }
    void reader(const std::string& name, std::int64_t cursor) {
        database.execute("INSERT INTO radd.consumers (name, plugin, cursor, seeded_at) VALUES ('" +
                         name + "', 'probe', " + std::to_string(cursor) + ", " +
                         std::to_string(cursor) +
                         ") ON CONFLICT (name) DO UPDATE SET cursor = excluded.cursor, seeded_at = "
                         "excluded.seeded_at");
    }
    std::int64_t drop_old() {
        static_cast<void>(retention.give_up(keep_days));
        return retention.drop();
    }
    radd::verify::Report verify() {
        return radd::verify::Verification{session, [](const radd::verify::Progress&) {}}.run();
    }
    std::string oldest() { return database.value("SELECT min(id) FROM radd.events"); }

    TestDatabase database;
    radd::db::Session session{database.options()};
    Retention retention{session};
};

/// A session that a statement of somebody else's makes fail rather than wait.
struct Impatient : radd::db::Session {
    explicit Impatient(const TestDatabase& database) : Session{database.options()} {
        run_script("SET lock_timeout = '500ms'");
    }
    void emit() {
        query(
            "INSERT INTO radd.events (event_type, entity_type, entity_id, recorded_at) VALUES "
            "('probe.happened', 'thing', '1', clock_timestamp() - interval '2 days')");
    }
};

}  // namespace

TEST_SUITE("retention") {
    TEST_CASE_FIXTURE(SmallPartitions, "whole partitions go that every reader has passed") {
        append(350, 2);
        reader("probe.quick", 350);
        reader("probe.slow", 198);

        CHECK(drop_old() == 1);
        CHECK(oldest() == "100");

        reader("probe.slow", 199);
        CHECK(drop_old() == 1);
        CHECK(oldest() == "200");
        CHECK(database.value("SELECT radd.first_kept()") == "200");

        reader("probe.slow", 350);
        CHECK(drop_old() == 1);
        CHECK(drop_old() == 0);  // The one with the newest event says where the stream stands.
        CHECK(oldest() == "300");
        CHECK(database.value("SELECT radd.head()") == "350");
        CHECK(verify().first_kept == 300);
        CHECK(verify().findings.empty());
        CHECK(database.value("SELECT count(*) FROM pg_class WHERE relname IN ('events_from_0', "
                             "'events_from_100', 'events_from_200')") == "0");
    }

    TEST_CASE_FIXTURE(SmallPartitions, "a partition stays as long as one of its events is young") {
        append(150, 2);
        append(49, 0);
        append(101, 2);
        reader("probe.quick", 300);

        CHECK(drop_old() == 1);
        CHECK(oldest() == "100");
    }

    TEST_CASE_FIXTURE(SmallPartitions, "what is no partition of the stream is not dropped") {
        append(350, 900);
        reader("probe.quick", 350);
        for (const std::string name : {"radd.events", "radd.consumers", "radd.events_from_", "x"}) {
            CAPTURE(name);
            database.execute("UPDATE radd.retention SET dropping = ARRAY['" + name + "']");
            CHECK_THROWS_AS(retention.drop(), radd::Error);
        }
        CHECK(oldest() == "1");
    }

    TEST_CASE_FIXTURE(SmallPartitions, "at most as many go as are asked for") {
        append(350, 900);
        reader("probe.quick", 350);
        REQUIRE(retention.give_up(keep_days) == 3);

        CHECK(retention.drop(1) == 1);
        CHECK(oldest() == "100");
        CHECK(retention.drop(5) == 2);
        CHECK(retention.drop(5) == 0);
    }

    TEST_CASE_FIXTURE(SmallPartitions, "it is off unless it is asked for") {
        append(350, 900);
        reader("probe.quick", 350);
        KeptLog log;
        radd::db::Pool pool{database.options(), 2};

        CHECK_FALSE(RetentionTask(pool, 0, log).enabled());
        CHECK(retention.give_up(0) == 0);
        CHECK(retention.drop() == 0);
        CHECK(retention.status(0).old_below == 0);
        CHECK(oldest() == "1");
    }

    TEST_CASE_FIXTURE(SmallPartitions, "who holds it is named whether it runs or not") {
        append(350, 2);
        reader("probe.quick", 350);
        reader("probe.asleep", 5);
        reader("probe.removed", 120);
        reader("probe.given_up", 3);
        ConsumerOperations operations{session};
        operations.pause("probe.asleep", std::nullopt, "holiday");
        operations.retire("probe.given_up");
        database.execute(
            "UPDATE radd.consumers SET disabled_since = now() WHERE name = 'probe.removed'");

        CHECK(drop_old() == 0);
        const auto status = retention.status(keep_days);
        CHECK(status.old_below == 300);
        REQUIRE(status.held_by.size() == 2);
        CHECK(status.held_by[0].name == "probe.asleep");
        CHECK(status.held_by[0].state == "paused");
        CHECK(status.held_by[1].name == "probe.removed");
        CHECK(status.held_by[1].state == "not_loaded");

        KeptLog log;
        radd::db::Pool pool{database.options(), 2};
        RetentionTask task{pool, keep_days, log};
        CHECK_FALSE(task.tick());
        CHECK_FALSE(task.tick());
        CHECK(log.count("probe.asleep (paused, at 5), probe.removed (not_loaded, at 120)",
                        radd::LogLevel::warn) == 1);
        CHECK(oldest() == "1");

        operations.retire("probe.asleep");
        operations.retire("probe.removed");
        int ticks = 1;
        while (task.tick()) ++ticks;
        CHECK(ticks == 4);
        CHECK(log.count("a partition is dropped; the stream begins at event ") == 3);
    }

    TEST_CASE_FIXTURE(SmallPartitions, "a reader in a transaction is waited for and keeps nobody") {
        append(350, 2);
        reader("probe.quick", 350);
        database.execute("SELECT radd.ensure_partitions(1000000, 1000000)");
        radd::db::Session frozen{database.options()};
        frozen.begin();
        frozen.query("SET LOCAL transaction_isolation = 'repeatable read'");
        const auto count = [&] {
            return frozen.query("SELECT count(*) AS n FROM radd.events")[0].integer("n");
        };
        REQUIRE(count() == 350);
        auto options = database.options();
        options.statement_timeout = std::chrono::milliseconds{1500};
        radd::db::Session hasty{options};
        Retention dropping{hasty};
        REQUIRE(dropping.give_up(keep_days) == 3);

        std::atomic<bool> is_over{false};
        std::atomic<int> emitted{0};
        std::string failure;
        std::thread writer{[&] {
            try {
                Impatient impatient{database};
                while (!is_over) {
                    impatient.emit();
                    ++emitted;
                }
            } catch (const std::exception& error) {
                failure = error.what();
            }
        }};
        CHECK_THROWS_AS(dropping.drop(), radd::Contention);
        is_over = true;
        writer.join();

        CHECK(failure.empty());
        CHECK(emitted > 0);
        CHECK(count() == 350);  // Its snapshot is of before.
        CHECK(retention.status(keep_days).dropping.size() == 3);
        frozen.commit();
        CHECK(dropping.drop() == 3);
        CHECK(oldest() == "300");
        CHECK(retention.status(keep_days).dropping.empty());
    }

    TEST_CASE_FIXTURE(SmallPartitions, "partitions come and go while eight writers emit") {
        constexpr int writers = 8;
        constexpr int events_each_max = 500;
        constexpr radd::Sql make_ahead = "SELECT radd.ensure_partitions(100, 5000) AS made";
        session.query(make_ahead);
        reader("probe.quick", 0);
        std::atomic<bool> is_over{false};
        std::atomic<int> emitted{0};
        KeptLog failures;
        std::vector<std::thread> threads;
        threads.reserve(writers);
        for (int i = 0; i < writers; ++i)
            threads.emplace_back([&] {
                try {
                    Impatient impatient{database};
                    for (int k = 0; k < events_each_max && !is_over; ++k) {
                        impatient.emit();
                        ++emitted;
                    }
                } catch (const std::exception& error) {
                    failures.error(error.what());
                }
            });
        std::int64_t made = 0;
        std::int64_t dropped = 0;
        const bool came_and_went = eventually([&] {
            made += session.query(make_ahead)[0].integer("made");
            database.execute(
                "UPDATE radd.consumers SET cursor = greatest(cursor, radd.head()) WHERE name = "
                "'probe.quick'");
            dropped += drop_old();
            return made >= 3 && dropped >= 3;
        });
        is_over = true;
        for (auto& thread : threads) thread.join();

        CHECK(came_and_went);
        CHECK(failures.find("") == "");
        CHECK(database.value("SELECT count(*) FROM radd.events") ==
              std::to_string(emitted - (100 * dropped - 1)));
    }

    TEST_CASE_FIXTURE(SmallPartitions,
                      "a cursor on its way back is seen before anything is given up") {
        append(350, 2);
        reader("probe.quick", 350);
        radd::db::Session seeking{database.options()};
        seeking.begin();
        seeking.query("SELECT floor FROM radd.retention FOR SHARE");
        std::atomic<std::int64_t> given_up{-1};
        std::thread deciding{[&] {
            try {
                given_up = retention.give_up(keep_days);
            } catch (const std::exception&) {
                given_up = -2;
            }
        }};
        const bool waits = eventually([&] {
            return database.value(
                       "SELECT count(*) FROM pg_locks WHERE NOT granted AND database = "
                       "(SELECT oid FROM pg_database WHERE datname = "
                       "current_database())") != "0" ||
                   database.value(
                       "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = "
                       "'Lock' AND datname = current_database()") != "0";
        });
        seeking.query("UPDATE radd.consumers SET cursor = 7");
        seeking.commit();
        deciding.join();

        CHECK(waits);
        CHECK(given_up == 0);
        CHECK(drop_old() == 0);
    }

    TEST_CASE_FIXTURE(SmallPartitions,
                      "the stream begins at the floor for whoever begins or goes back") {
        append(350, 2);
        reader("probe.quick", 350);
        reader("probe.given_up", 3);
        ConsumerOperations operations{session};
        operations.retire("probe.given_up");
        REQUIRE(drop_old() == 3);

        CHECK_THROWS_WITH_AS(operations.seek("probe.quick", 298, 350),
                             doctest::Contains("begins at event 300"),
                             radd::InvalidInput);
        CHECK(operations.seek("probe.quick", 299, 350).to == 299);
        CHECK(operations.seek("probe.quick", SeekTo::beginning, 350).to == 299);
        const auto back = operations.resume("probe.given_up", 350);
        REQUIRE(back);
        CHECK(back->to == 299);

        ConsumerStore store{session, "here"};
        const auto made = store.declare({.name = "probe.new",
                                         .plugin = "probe",
                                         .plugin_version = "1",
                                         .first_start = radd::FirstStart::beginning},
                                        350);
        CHECK(made.first_start);
        CHECK(made.cursor == 299);
        const auto at_head =
            store.declare({.name = "probe.outward", .plugin = "probe", .plugin_version = "1"}, 350);
        CHECK(at_head.cursor == 350);
    }

    TEST_CASE_FIXTURE(SmallPartitions, "one that bootstraps comes back to its gap as backlog") {
        ConsumerStore store{session, "here"};
        store.declare({.name = "probe.built",
                       .plugin = "probe",
                       .plugin_version = "1",
                       .first_start = radd::FirstStart::beginning,
                       .bootstraps = true,
                       .resume = radd::Resume::head},
                      0);
        append(350, 2);
        reader("probe.quick", 350);
        ConsumerOperations operations{session};
        const auto stands = [&] {
            return database.value(
                "SELECT cursor || ' ' || backlog_until FROM radd.consumers "
                "WHERE name = 'probe.built'");
        };
        REQUIRE(stands() == "0 0");

        operations.retire("probe.built");
        CHECK_FALSE(operations.resume("probe.built", 350));
        CHECK(stands() == "0 350");

        operations.retire("probe.built");
        REQUIRE(drop_old() == 3);
        const auto back = operations.resume("probe.built", 350);
        REQUIRE(back);
        CHECK(back->to == 299);
        CHECK(stands() == "299 350");
    }

    TEST_CASE_FIXTURE(SmallPartitions, "skipped events and deliveries outlive their event") {
        append(350, 2);
        reader("probe.quick", 350);
        database.execute(R"sql(
            INSERT INTO radd.skipped_events
                   (consumer, event_id, event, phase, error, plugin, plugin_version)
            SELECT 'probe.quick', e.id, to_jsonb(e), 'deliver', 'refused', 'probe', '1'
              FROM radd.events e WHERE e.id = 7;
            INSERT INTO radd.deliveries (queue, lane, payload, event_id)
            VALUES ('probe', 'one', '{}', 8))sql");
        REQUIRE(drop_old() == 3);

        CHECK(ConsumerOperations{session}.retry("probe.quick", std::nullopt) == 1);
        CHECK(database.value("SELECT event ->> 'event_type' FROM radd.skipped_events") ==
              "probe.happened");
        CHECK(database.value("SELECT state FROM radd.deliveries") == "pending");
        CHECK(verify().findings.empty());
    }
}
