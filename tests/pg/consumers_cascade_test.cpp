// What hangs on a deleted thing goes, whichever of its owners fails or is off.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <host/consumers/cascade.hpp>
#include <tests/pg/consumers_bench.hpp>

using radd::Transaction;
using radd::consumers::cascade_consumer;
using radd::consumers::CascadeConsumer;
using radd::consumers::ConsumerStore;
using radd::testing::Bench;
using radd::testing::TestDatabase;

namespace {

enum class ProjectEvent { deleted };
consteval auto event_names(ProjectEvent) {
    return std::array{radd::Named{ProjectEvent::deleted, "project.deleted"}};
}

constexpr radd::Sql sweep_rules = "DELETE FROM rules WHERE project = $1";
constexpr radd::Sql sweep_hooks = "DELETE FROM hooks WHERE project = $1";
constexpr radd::Sql sweep_clocks = "DELETE FROM clocks WHERE project = $1";
constexpr radd::Sql divide_by_zero = "SELECT 1 / 0";

/// Three modules with rows about projects; the second is broken as long as `broken` says how.
struct Cascading : Bench {
    Cascading() {
        for (const auto* table : {"rules", "hooks", "clocks"})
            database.execute("CREATE TABLE " + std::string{table} + " (project text)");
        add("rules.rows",
            [](Transaction& tx, std::string_view id) { tx.execute(sweep_rules, id); });
        add("hooks.rows", [this](Transaction& tx, std::string_view id) {
            tx.execute(sweep_hooks, id);
            if (broken) broken(tx);
        });
        add("clocks.rows",
            [](Transaction& tx, std::string_view id) { tx.execute(sweep_clocks, id); });
        consumer = std::make_unique<CascadeConsumer>("module", "1.0.0", specs, stream.log);
        running = runner(*consumer, name);
    }

    void add(const std::string& cascade,
             std::function<void(Transaction& tx, std::string_view parent_id)> sweep) {
        specs.push_back({.name = cascade,
                         .parent_event = ProjectEvent::deleted,
                         .sweep = std::move(sweep),
                         .after_commit = [this, cascade](std::string_view id) {
                             told.push_back(cascade + ' ' + std::string{id});
                             if (cascade == telling_fails) throw std::runtime_error{"no such file"};
                         }});
    }
    void fill(int projects) {
        for (const auto* table : {"rules", "hooks", "clocks"})
            database.execute("INSERT INTO " + std::string{table} +
                             " SELECT n::text FROM generate_series(1, " + std::to_string(projects) +
                             ") n");
    }
    /// "rules hooks clocks" that are left.
    std::string left() {
        return database.value(
            "SELECT concat_ws(' ', (SELECT count(*) FROM rules), (SELECT count(*) FROM hooks),"
            " (SELECT count(*) FROM clocks))");
    }
    std::string records(const std::string& columns, const std::string& where = "true") {
        return database.value("SELECT coalesce(string_agg(concat_ws(' ', " + columns +
                              "), ',' ORDER BY id), '') FROM radd.skipped_events WHERE " + where);
    }
    void retry(std::int64_t event_id) {
        REQUIRE(operations.retry(name, event_id) == 1);
        REQUIRE(acquire(*running));
        settle(*running);
    }

    const std::string name = cascade_consumer("module");
    std::vector<radd::CascadeSpec> specs;
    std::function<void(Transaction&)> broken;
    std::string telling_fails;
    std::vector<std::string> told;
    std::unique_ptr<CascadeConsumer> consumer;
    std::unique_ptr<radd::consumers::ConsumerRunner> running;
};

}  // namespace

TEST_SUITE("cascade") {
    // P44
    TEST_CASE_FIXTURE(Cascading, "a sweep that fails stops no other and is swept by a retry") {
        fill(1);
        broken = [](Transaction& tx) { tx.query(divide_by_zero); };
        const auto event = append(1, "project.deleted");

        settle(*running);

        CHECK(left() == "0 1 0");
        CHECK(cursor(name) == event);
        CHECK(records("consumer, event_id, phase, attempts") ==
              "events.cascade.module " + std::to_string(event) + " sweep 1");
        CHECK(records("error").find("hooks.rows: ") == 0);
        CHECK(stream.log.count("cascade hooks.rows of plugin module", radd::LogLevel::error) == 1);
        CHECK(told == std::vector<std::string>{"rules.rows 1", "clocks.rows 1"});

        retry(event);
        CHECK(left() == "0 1 0");
        CHECK(records("attempts", "resolved_at IS NULL") == "2");

        broken = {};
        retry(event);
        CHECK(left() == "0 0 0");
        CHECK(records("id", "resolved_at IS NULL").empty());
        CHECK(told.back() == "clocks.rows 1");
    }

    TEST_CASE_FIXTURE(Cascading, "silent deletes are swept as well and all events of a batch") {
        fill(30);
        const auto event = append(30, "project.deleted", true);

        settle(*running);

        CHECK(left() == "0 0 0");
        CHECK(cursor(name) == event);
        CHECK(told.size() == 90);
    }

    TEST_CASE_FIXTURE(Cascading, "any thrown type costs one sweep") {
        fill(1);
        SUBCASE("an int") {
            broken = [](Transaction&) { throw 42; };
        }
        SUBCASE("an error of SQL that was swallowed") {
            broken = [](Transaction& tx) {
                try {
                    tx.query(divide_by_zero);
                } catch (const radd::SqlError&) {}
            };
        }
        SUBCASE("a race that is lost for ever") {
            broken = [](Transaction&) { throw radd::Contention{"40P01", "deadlock"}; };
        }
        append(1, "project.deleted");

        settle(*running);

        CHECK(left() == "0 1 0");
        CHECK(records("phase") == "sweep");
    }

    TEST_CASE_FIXTURE(Cascading, "a race that is lost once is run again") {
        fill(1);
        int lost = 0;
        broken = [&](Transaction&) {
            if (++lost == 1) throw radd::Contention{"40P01", "deadlock"};
        };
        append(1, "project.deleted");

        settle(*running);

        CHECK(left() == "0 0 0");
        CHECK(records("phase").empty());
        CHECK(lost == 2);
    }

    TEST_CASE_FIXTURE(Cascading, "an outage abandons the batch and it is swept again") {
        fill(1);
        broken = [](Transaction&) { throw radd::Unavailable{"away"}; };
        append(1, "project.deleted");
        CHECK(running->tick() == radd::consumers::Tick::unavailable);
        CHECK(left() == "1 1 1");
        CHECK(told.empty());
        broken = {};

        settle(*running);

        CHECK(left() == "0 0 0");
        CHECK(told.size() == 3);
    }

    TEST_CASE_FIXTURE(Cascading, "an after_commit that fails is recorded and stops no other") {
        fill(1);
        telling_fails = "rules.rows";
        append(1, "project.deleted");

        settle(*running);

        CHECK(left() == "0 0 0");
        CHECK(told.size() == 3);
        CHECK(records("phase, error") == "deliver after_commit of rules.rows: no such file");
    }

    TEST_CASE_FIXTURE(Cascading, "what a plugin missed while it was off is swept when it is back") {
        fill(3);
        append(1, "project.deleted");
        settle(*running);
        REQUIRE(left() == "2 2 2");
        const ConsumerStore::Held held{name, running->position().current()->epoch};
        running.reset();
        store.release(std::array{held});

        // Another goes on; it passes nothing for the one that is off, and is not held up by it.
        std::vector<radd::CascadeSpec> none{{.name = "other.rows",
                                             .parent_event = ProjectEvent::deleted,
                                             .sweep = [](Transaction&, std::string_view) {}}};
        CascadeConsumer other{"other", "1.0.0", none, stream.log};
        const auto others = runner(other, cascade_consumer("other"));
        REQUIRE(store.mark_disabled(std::array{cascade_consumer("other")}) == 1);
        const auto event = append(3, "project.deleted", true);
        settle(*others);
        CHECK(cursor(cascade_consumer("other")) == event);
        CHECK(left() == "2 2 2");
        CHECK(
            database.value("SELECT state || ' ' || cursor FROM radd.event_readers WHERE name = '" +
                           name + "'") == "not_loaded " + std::to_string(event - 3));

        running = runner(*consumer, name);
        settle(*running);

        CHECK(left() == "0 0 0");
        CHECK(cursor(name) == event);
        CHECK(told.size() == 12);
        CHECK(database.value("SELECT state FROM radd.event_readers WHERE name = '" + name + "'") ==
              "running");
    }

    TEST_CASE_FIXTURE(Cascading, "what has killed three owners is set aside until it is retried") {
        fill(2);
        const auto event = append(2, "project.deleted");
        const auto poison = event - 1;
        for (int death = 1; death <= 3; ++death) {
            const auto epoch = number("SELECT epoch FROM radd.consumers");
            REQUIRE(store.start_attempt(name, epoch, poison) == death);
            database.execute(
                "UPDATE radd.consumers SET owner = 'dead:1:1', "
                "lease_until = clock_timestamp() - interval '1 s'");
        }

        running = runner(*consumer, name);
        settle(*running);
        running = runner(*consumer, name);  // And nobody who comes later sweeps it.
        settle(*running);

        CHECK(left() == "1 1 1");
        CHECK(cursor(name) == event);
        CHECK(records("event_id, phase") == std::to_string(poison) + " quarantine");

        retry(poison);
        CHECK(left() == "0 0 0");
        CHECK(records("id", "resolved_at IS NULL").empty());
    }

    TEST_CASE("what two cascades follow is listened to once") {
        radd::testing::KeptLog log;
        const auto sweep = [](Transaction&, std::string_view) {};
        const std::vector<radd::CascadeSpec> specs{
            {.name = "module.rows", .parent_event = ProjectEvent::deleted, .sweep = sweep},
            {.name = "module.more", .parent_event = ProjectEvent::deleted, .sweep = sweep}};
        const auto types = CascadeConsumer{"module", "1.0.0", specs, log}.listens_to();
        REQUIRE(types.size() == 1);
        CHECK(types[0].name() == "project.deleted");
    }
}

namespace {

/// A database as the host left it that swept for all plugins in one: at event 5 of 7, with records
/// of what failed on the way, and one of them settled.
struct BeforeTheSplit {
    BeforeTheSplit() {
        auto older = radd::db::core_migrations();
        REQUIRE(std::ssize(older) > before_the_split);
        older.erase(older.begin() + before_the_split, older.end());
        radd::db::migrate(database.session(), {{"core", older}});
        database.execute(R"sql(
            INSERT INTO radd.events (event_type, entity_type, entity_id)
            SELECT 'project.deleted', 'project', n::text FROM generate_series(1, 7) n;
            INSERT INTO radd.consumers (name, plugin, cursor, owner, lease_until, run_by)
            VALUES ('events.cascade', 'core', 5, 'older:1:1', 'infinity', 'here');
            INSERT INTO radd.skipped_events
                   (consumer, event_id, event, phase, error, plugin, plugin_version, resolved_at,
                    resolution)
            SELECT s.consumer, e.id, to_jsonb(e), s.phase, s.error, s.plugin, '1', s.resolved,
                   CASE WHEN s.resolved IS NOT NULL THEN 'retried' END
              FROM (VALUES
                  ('events.cascade', 1, 'sweep', 'rules.rows: no', 'rules', now()),
                  ('events.cascade', 2, 'sweep', 'rules.rows: no; hooks.rows: no', 'rules', NULL),
                  ('events.cascade', 3, 'quarantine', 'died', 'core', NULL),
                  ('events.cascade', 4, 'deliver', 'after_commit of hooks.rows: no', 'core', NULL),
                  ('events.cascade', 5, 'sweep', 'its last retry was not finished', 'hooks', NULL),
                  ('events.cascade', 6, 'sweep', 'hooks.rows: no, and mo [cut]', 'hooks', NULL),
                  ('hooks.sender', 4, 'plan', 'no', 'hooks', NULL))
                   s (consumer, event_id, phase, error, plugin, resolved)
              JOIN radd.events e ON e.id = s.event_id)sql");
        radd::db::migrate(database.session(), {{"core", radd::db::core_migrations()}});
    }
    radd::consumers::Declared declare(const std::string& plugin) {
        return store.declare({.name = cascade_consumer(plugin),
                              .plugin = plugin,
                              .plugin_version = "2",
                              .succeeds = std::string{radd::consumers::cascades_before}},
                             7);
    }
    std::string open_records(const std::string& consumer) {
        return database.value(
            "SELECT coalesce(string_agg(event_id || ' ' || phase, ', ' ORDER BY "
            "event_id), '') FROM radd.skipped_events WHERE resolved_at IS NULL "
            "AND consumer = '" +
            consumer + "'");
    }

    static constexpr std::ptrdiff_t before_the_split = 9;
    TestDatabase database;
    ConsumerStore store{database.session(), "here"};
};

}  // namespace

TEST_SUITE("cascades of an older host") {
    TEST_CASE_FIXTURE(BeforeTheSplit, "go on by plugin where the one consumer stopped") {
        CHECK(database.value("SELECT state || ' ' || epoch || ' ' || (owner IS NULL) FROM "
                             "radd.consumers WHERE name = 'events.cascade'") == "retired 1 true");
        CHECK(database.value("SELECT count(*) FROM radd.event_readers") == "0");

        const auto found = declare("rules");
        CHECK(found.first_start);
        CHECK(found.cursor == 5);
        CHECK(database.value("SELECT cursor || ' ' || seeded_at FROM radd.consumers WHERE name = "
                             "'events.cascade.rules'") == "5 5");
        CHECK(declare("clocks").cursor == 5);
        // Once: where it is by then is its own.
        database.execute("UPDATE radd.consumers SET cursor = 6 WHERE plugin = 'rules'");
        CHECK(declare("rules").cursor == 6);
    }

    TEST_CASE_FIXTURE(BeforeTheSplit, "keep what failed and each its own") {
        for (const auto* plugin : {"rules", "hooks", "clocks", "ooks"}) declare(plugin);
        declare("rules");
        CHECK(open_records("events.cascade").empty());
        const std::string anybody = ", 5 sweep, 6 sweep";
        CHECK(open_records("events.cascade.rules") == "2 sweep, 3 quarantine" + anybody);
        CHECK(open_records("events.cascade.hooks") == "2 sweep, 3 quarantine, 4 deliver" + anybody);
        CHECK(open_records("events.cascade.clocks") == "3 quarantine" + anybody);
        CHECK(open_records("events.cascade.ooks") == "3 quarantine" + anybody);
        CHECK(open_records("hooks.sender") == "4 plan");
    }

    TEST_CASE_FIXTURE(BeforeTheSplit, "begin above what is gone and stay paused") {
        database.execute(
            "UPDATE radd.retention SET floor = 7; UPDATE radd.consumers SET "
            "paused_until = 'infinity', pause_reason = 'night'");
        CHECK(declare("rules").cursor == 6);
        CHECK(database.value("SELECT pause_reason FROM radd.consumers WHERE plugin = 'rules'") ==
              "night");
    }

    TEST_CASE_FIXTURE(BeforeTheSplit, "may be none: then the first start is the head") {
        database.execute("DELETE FROM radd.consumers");
        CHECK(declare("rules").cursor == 7);
    }
}
