// What a rule may take of a host's time and of its database.

#include <chrono>
#include <string>

#include <doctest/doctest.h>

#include <plugins/automations/runner.hpp>
#include <tests/pg/automations_bench.hpp>

namespace radd::testing {
namespace {

using namespace std::chrono_literals;

/// With an action that takes as long as it is told, and then may fail.
struct SlowBench : AutomationBench {
    SlowBench() {
        stream.catalog.add(wait, "chores");
        declare_again();
        id = rule("slow", R"({"trigger":{"events":["item.updated"]},
            "then":[{"action":"chores.wait","arguments":{}}]})");
    }
    void run(std::chrono::milliseconds takes) {
        lasts = takes;
        edit({.title = "Title " + std::to_string(++edits)});
        REQUIRE(settle_rules());
    }

    std::chrono::milliseconds lasts{0};
    bool fails = false;
    int races = 0;  ///< That rules with an argument lose.
    std::string applied{};
    int edits = 0;
    const ActionSpec wait{
        .name = "chores.wait",
        .label = "Wait",
        .arguments = R"({"type":"object"})",
        .plan = [](Transaction&, Services&, const ActionCall& call) -> ActionPlan {
            return {.summary = "wait", .details = call.arguments};
        },
        .apply =
            [this](Transaction&, Services&, const ActionPlan& plan) {
                const bool races_here = plan.details.text().size() > 2;
                applied += races_here ? 'r' : 'w';
                if (races_here && --races >= 0) throw Contention{"40P01", "deadlock detected"};
                services.lent.fakes.time.advance(lasts);
                if (fails) throw InvalidInput{"wait", "was in vain"};
            }};
    std::int64_t id = 0;
};

/// With two rules by the clock, of which the first has its turn first.
struct DueBench : AutomationBench {
    void make_due() {
        database.execute("UPDATE automations.rules SET next_run_at = now() - interval '1 h' / id");
    }
    void spoil(std::int64_t id) {
        database.execute(
            "UPDATE automations.rules SET definition = definition || '{\"newer\": 1}' WHERE id = " +
            std::to_string(id));
    }
    const std::int64_t first =
        rule("first",
             R"({"trigger":{"every":"1h"},"then":[{"action":"items.add_label","subject_id":")" +
                 std::to_string(item) + R"(","arguments":{"label":"hourly"}}]})");
    const std::int64_t second = rule("second", R"({"trigger":{"every":"1h"},
        "then":[{"action":"items.create_item","arguments":{"project":"DEMO","title":"Round"}}]})");
};

TEST_SUITE("automation limits") {
    TEST_CASE_FIXTURE(SlowBench, "a rule whose run takes too long is disabled and says why") {
        run(10s);  // The limit itself is allowed.
        CHECK(rule(id).draft.enabled);
        run(10'001ms);

        CHECK_FALSE(rule(id).draft.enabled);
        CHECK(rule(id).disabled_reason == "a run took 10001 ms; allowed are 10000 ms");
        CHECK(runs(id, "applied") == 2);  // What it did is done.
        CHECK(number("SELECT max(took_ms) FROM automations.runs") == 10'001);
        CHECK(database.value("SELECT payload->>'reason' FROM radd.events WHERE event_type = "
                             "'automation.rule_disabled'") == rule(id).disabled_reason);
        run(10s);
        CHECK(runs(id, "applied") == 2);
    }

    TEST_CASE_FIXTURE(SlowBench, "failing is no excuse for taking too long") {
        fails = true;
        run(10s);
        CHECK(rule(id).draft.enabled);
        run(10'001ms);

        CHECK(runs(id, "failed") == 2);
        CHECK(rule(id).disabled_reason == "a run took 10001 ms; allowed are 10000 ms");
        CHECK(events("automation.run_failed") == 2);
        CHECK(events("automation.rule_disabled") == 1);
    }

    TEST_CASE_FIXTURE(SlowBench, "a race that a rule has lost is run again without the others") {
        const auto racer = rule("racer", R"({"trigger":{"events":["item.updated"]},
            "then":[{"action":"chores.wait","arguments":{"races":true}}]})");
        races = 1;
        run(0s);
        CHECK(applied == "wrr");

        races = 2;
        applied.clear();
        run(0s);
        CHECK(applied == "wrrwr");  // It may wait for what the others have locked.
        for (const auto one : {id, racer}) CHECK(runs(one, "applied") == 2);
        CHECK(events("automation.run_failed") == 0);
    }

    TEST_CASE_FIXTURE(AutomationBench, "a rule by the clock runs once in each of its spans") {
        const auto id = rule("tick", R"({"trigger":{"every":"90s"},
            "then":[{"action":"items.create_item","arguments":{"project":"DEMO","title":"Round"}}]})");
        const auto until_next = [&] {
            return number(
                "SELECT round(extract(epoch FROM next_run_at - now())) FROM automations.rules");
        };
        automations::Schedule clock{services};
        CHECK(until_next() > 80);
        CHECK(until_next() <= 90);
        CHECK_FALSE(clock.tick());

        for (int round = 1; round <= 2; ++round) {
            database.execute("UPDATE automations.rules SET next_run_at = now()");
            CHECK(clock.tick());
            CHECK_FALSE(clock.tick());
            CHECK(runs(id, "applied") == round);
            CHECK(until_next() > 80);
        }
        CHECK(number("SELECT count(*) FROM items.items WHERE title = 'Round'") == 2);
        CHECK(number("SELECT count(*) FROM automations.runs WHERE event_id IS NULL") == 2);
    }

    TEST_CASE_FIXTURE(DueBench, "a rule that waits for a lock in vain holds up no other") {
        auto connect = stream.options();
        connect.statement_timeout = 1s;
        db::Pool pool{connect, 2};
        outbox::OutboxDatabase impatient{pool, stream.catalog, policy, stream.log, "test", [] {}};
        AutomationServices lent{impatient, event_log};
        lent.lent.offer<items::Directory>(directory);
        lent.lent.fakes.values = FakeSettings{plugin.settings};
        lent.lent.declared = declared.get();
        automations::Schedule clock{lent};
        db::Session other{stream.options()};
        other.begin();
        other.query("SELECT id FROM items.items FOR UPDATE");
        make_due();

        CHECK(clock.tick());
        CHECK(clock.tick());
        CHECK_FALSE(clock.tick());

        CHECK(runs(first, "failed") == 1);
        CHECK(runs(second, "applied") == 1);
        CHECK(rule(first).draft.enabled);
        CHECK(events("automation.run_failed") == 1);

        other.rollback();
        make_due();
        CHECK(clock.tick());
        CHECK(runs(first, "applied") == 1);
    }

    TEST_CASE_FIXTURE(DueBench, "a rule that cannot be read is disabled and stops no other") {
        automations::Schedule clock{services};
        spoil(first);
        make_due();

        CHECK(clock.tick());
        CHECK_FALSE(clock.tick());

        CHECK(runs(second, "applied") == 1);
        CHECK_FALSE(rule(first).draft.enabled);
        CHECK(rule(first).disabled_reason->starts_with("its definition cannot be read: "));
        CHECK(db.transact([&](Transaction& tx) { return rules.list(tx).size(); }) == 2);
        CHECK(events("automation.rule_disabled") == 1);
    }

    TEST_CASE_FIXTURE(AutomationBench, "one that cannot be read stops no other of its event") {
        const auto label = [&](const std::string& name) {
            return rule(name,
                        R"({"trigger":{"events":["item.updated"]},
                "then":[{"action":"items.add_label","arguments":{"label":")" +
                            name + R"("}}]})");
        };
        const auto broken = label("broken");
        const auto sound = label("sound");
        database.execute(
            "UPDATE automations.rules SET definition = definition || '{\"newer\": 1}' WHERE id = " +
            std::to_string(broken));
        edit({.title = "Copier"});
        REQUIRE(settle_rules());

        CHECK(runs(sound, "applied") == 1);
        CHECK_FALSE(rule(broken).draft.enabled);
    }

    TEST_CASE_FIXTURE(DueBench, "a rule whose next time cannot be told is disabled") {
        automations::Schedule clock{services};
        database.execute(
            "UPDATE automations.rules SET definition = jsonb_set(definition, '{trigger}', "
            "'{\"daily\": \"03:00\", \"zone\": \"Mars/Olympus\"}') WHERE id = " +
            std::to_string(first));
        make_due();

        CHECK(clock.tick());
        CHECK(clock.tick());
        CHECK_FALSE(clock.tick());

        CHECK(runs(second, "applied") == 1);
        CHECK(rule(first).disabled_reason->starts_with("when it runs next cannot be told: "));
    }

    TEST_CASE_FIXTURE(AutomationBench, "the run log has as many lines as it is told to") {
        services.lent.fakes.values.set("runs_max", "1000");
        const auto id = rule("label", R"({"trigger":{"events":["item.updated"]},
            "then":[{"action":"items.add_label","arguments":{"label":"seen"}}]})");
        const auto add = [&](int lines) {
            database.execute(
                "INSERT INTO automations.runs (rule_id, outcome, depth, took_ms) "
                "SELECT " +
                std::to_string(id) + ", 'idle', 1, 0 FROM generate_series(1, " +
                std::to_string(lines) + ")");
        };
        const auto lines = [&] { return number("SELECT count(*) FROM automations.runs"); };
        automations::Retention retention{services};
        add(1000);
        CHECK_FALSE(retention.tick());
        CHECK(lines() == 1000);

        add(1500);
        CHECK(retention.tick());  // There is more to do.
        CHECK(lines() == 1500);
        CHECK_FALSE(retention.tick());
        CHECK(lines() == 1000);
        CHECK(number("SELECT min(id) FROM automations.runs") == 1501);
    }
}

}  // namespace
}  // namespace radd::testing
