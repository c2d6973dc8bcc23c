// What hangs on a deleted thing goes, whichever of its owners fails.

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <host/consumers/cascade.hpp>
#include <tests/pg/consumers_bench.hpp>

using radd::Transaction;
using radd::consumers::Cascade;
using radd::consumers::cascade_consumer;
using radd::consumers::CascadeConsumer;
using radd::testing::Bench;

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
        std::vector<Cascade> cascades;
        for (const auto& spec : specs) cascades.push_back({"module", "1.0.0", &spec});
        consumer = std::make_unique<CascadeConsumer>(std::move(cascades), stream.log);
        running = runner(*consumer, std::string{cascade_consumer});
    }

    void add(const std::string& name,
             std::function<void(Transaction& tx, std::string_view parent_id)> sweep) {
        specs.push_back({.name = name,
                         .parent_event = ProjectEvent::deleted,
                         .sweep = std::move(sweep),
                         .after_commit = [this, name](std::string_view id) {
                             told.push_back(name + ' ' + std::string{id});
                             if (name == telling_fails) throw std::runtime_error{"no such file"};
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
        REQUIRE(operations.retry(std::string{cascade_consumer}, event_id) == 1);
        REQUIRE(acquire(*running));
        settle(*running);
    }

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
        CHECK(cursor(std::string{cascade_consumer}) == event);
        CHECK(records("consumer, event_id, phase, attempts") ==
              "events.cascade " + std::to_string(event) + " sweep 1");
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
        CHECK(cursor(std::string{cascade_consumer}) == event);
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
}
