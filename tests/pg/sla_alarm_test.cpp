// What is told, when, and how often: once.

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <tests/pg/sla_bench.hpp>

namespace sla_pg {
namespace {

struct AlarmBench : Bench {
    AlarmBench() { policy(a_draft()); }

    /// What was to come in `minutes` is there: as after a time without a host, or a jump of the
    /// database's clock.
    void pass(int minutes) {
        database.execute("UPDATE sla.clocks SET due_at = due_at - interval '1 minute' * " +
                         std::to_string(minutes) +
                         ", due_soon_at = due_soon_at - interval '1 minute' * " +
                         std::to_string(minutes));
    }
    std::string last(const std::string& expression) {
        return database.value("SELECT (" + expression +
                              ")::text FROM radd.events WHERE event_type LIKE 'sla.%' "
                              "ORDER BY id DESC LIMIT 1");
    }
};

TEST_SUITE("sla alarm") {
    TEST_CASE_FIXTURE(AlarmBench, "due soon and breached are told once each and carry the item") {
        const auto item = an_item(44min);
        follow();
        CHECK(tell().taken == 0);
        pass(2);
        CHECK(tell().due_soon == 1);
        CHECK(tell().taken == 0);
        CHECK(last("event_type || ' ' || entity_type || ' ' || (payload->'item'->>'key')") ==
              "sla.due_soon item " + item.key);
        CHECK(last("project_id") == std::to_string(project));
        CHECK(last("actor_id IS NULL AND NOT silent") == "true");
        CHECK(last("payload->'policy'->>'name'") == "Standard");
        CHECK(last("(payload->>'due_at')::timestamptz = (SELECT due_at FROM sla.clocks WHERE "
                   "target = 'first_response')") == "true");

        pass(15);
        CHECK(tell().breached == 1);
        pass(300);
        CHECK(tell().breached == 1);
        CHECK(tell().taken == 0);
        CHECK(told() == "due_soon first_response, breached first_response, breached resolution");
        CHECK(states(item) == "first_response breached, resolution breached");
    }

    TEST_CASE_FIXTURE(AlarmBench, "what was passed over is breached and not due soon any more") {
        an_item(61min);
        follow();
        CHECK(tell().breached == 1);
        pass(-500);
        pass(500);
        CHECK(tell().taken == 0);
        CHECK(told() == "breached first_response");
    }

    TEST_CASE_FIXTURE(AlarmBench, "a clock that goes back tells nothing twice") {
        an_item(50min);
        follow();
        CHECK(tell().due_soon == 1);
        pass(-30);
        CHECK(tell().taken == 0);
        pass(30);
        CHECK(tell().taken == 0);
        pass(20);
        CHECK(tell().breached == 1);
    }

    TEST_CASE_FIXTURE(AlarmBench, "what is paused is not due soon before it goes on") {
        const auto item = an_item(120min);
        move(item, "Waiting", 70min);
        follow();
        CHECK(tell().taken == 0);
        CHECK(states(item) == "first_response paused, resolution paused");
        move(item, "To Do", 5min);
        follow();
        CHECK(tell().due_soon == 1);
        CHECK(states(item) == "first_response due_soon, resolution running");
    }

    TEST_CASE_FIXTURE(AlarmBench, "what is told and its mark are one transaction") {
        an_item(300min);
        follow();
        struct Killed {};
        const auto killed = [&] {
            db.transact([](radd::Transaction& tx) {
                CHECK(sla::tell(tx, {}).breached == 2);
                tx.flush_events();
                throw Killed{};
            });
        };
        CHECK_THROWS_AS(killed(), Killed);
        CHECK(told().empty());
        CHECK(tell().breached == 2);
        CHECK(tell().taken == 0);
        CHECK(told() == "breached first_response, breached resolution");
    }

    TEST_CASE_FIXTURE(AlarmBench, "hosts that race tell of each clock once") {
        constexpr int items_total = 150;
        for (int i = 0; i < items_total; ++i) an_item(300min);
        follow();
        std::vector<std::thread> hosts;
        for (int host = 0; host < 4; ++host)
            hosts.emplace_back([this] {
                for (int round = 0; round < 12; ++round) tell();
            });
        for (auto& host : hosts) host.join();
        // A look that finds every clock in other hands ends at once: twelve of them may be over
        // while one host still tells. Nothing is lost by it, the next look has the rest.
        while (tell().breached > 0) {}

        CHECK(database.value("SELECT count(*) || ' ' || count(DISTINCT (entity_id, "
                             "payload->>'target')) FROM radd.events WHERE event_type = "
                             "'sla.breached'") == "300 300");
        CHECK(tell().taken == 0);
    }

    TEST_CASE_FIXTURE(AlarmBench, "nobody is told while the stream holds more of the item") {
        const auto paused = an_item(300min);
        const auto answered = an_item(61min);
        const auto idle = an_item(300min);
        follow();
        // Nobody has read of these by the time the clock looks.
        move(paused, "Waiting", 290min);
        move(paused, "To Do", 5min);
        comment(answered, bob, 30min);
        auto told_now = tell();
        CHECK(told_now.breached == 2);
        CHECK(told_now.taken == 5);
        CHECK(database.value("SELECT string_agg(DISTINCT payload->'item'->>'key', ' ') FROM "
                             "radd.events WHERE event_type = 'sla.breached'") == idle.key);

        follow();
        CHECK(tell().taken == 0);
        CHECK(states(paused) == "first_response running, resolution running");
        CHECK(states(answered) == "first_response met, resolution running");
    }

    TEST_CASE_FIXTURE(AlarmBench, "an item that somebody is changing is left for later") {
        const auto item = an_item(300min);
        follow();
        {
            radd::outbox::OutboxTransaction writer{pool, catalog, policy_of_emit, log, "test"};
            directory.update_item(writer, item.id, {.state = "Done"}, {});
            CHECK(tell().breached == 0);
            writer.commit();
        }
        CHECK(tell().breached == 0);
        follow();
        CHECK(tell().breached == 2);
    }

    TEST_CASE_FIXTURE(AlarmBench,
                      "what was done in time is told of never and what was done late once") {
        const auto in_time = an_item(50min);
        const auto late = an_item(300min);
        comment(late, bob, 290min);
        follow();
        move(in_time, "Done", 10min);
        move(late, "Done", 10min);
        follow();
        pass(60);
        database.execute("UPDATE sla.clocks SET met_at = met_at - interval '60 minutes'");
        CHECK(tell().breached == 1);
        CHECK(told() == "breached resolution");
        CHECK(tell().taken == 0);
        CHECK(states(in_time) == "first_response met, resolution met");
        CHECK(states(late) == "first_response met, resolution breached");
    }

    TEST_CASE_FIXTURE(AlarmBench, "each life is told of once") {
        const auto item = an_item(600min);
        comment(item, bob, 590min);
        follow();
        CHECK(tell().breached == 1);
        move(item, "Done", 580min);
        move(item, "To Do", 400min);
        follow();
        CHECK(tell().breached == 2);
        CHECK(tell().taken == 0);
        CHECK(told() == "breached resolution, breached first_response, breached resolution");
        CHECK(database.value("SELECT count(DISTINCT payload->>'life_began_at') FROM radd.events "
                             "WHERE event_type = 'sla.breached'") == "2");
    }

    TEST_CASE_FIXTURE(AlarmBench, "a policy that is the item's once more tells nothing twice") {
        auto urgent = a_draft("Urgent");
        urgent.position = 1;
        urgent.priorities = {"High"};
        policy(urgent);
        const auto item = an_item(300min);
        follow();
        CHECK(tell().breached == 2);
        update(item, {.priority = std::optional<std::string>{"High"}});
        follow();
        CHECK(tell().breached == 2);
        update(item, {.priority = std::optional<std::string>{}});
        follow();
        CHECK(tell().taken == 0);
    }

    TEST_CASE_FIXTURE(AlarmBench, "what cannot be told now stops nothing behind it") {
        const auto stuck = an_item(400min);
        follow();
        database.execute(
            "INSERT INTO sla.clocks (item_id, policy_id, target, life, began_at, "
            "followed, paused, due_at, alarm_from) SELECT 1000000 + n, (SELECT id "
            "FROM sla.policies), 'resolution', 0, now() - interval '1 day', true, "
            "false, now() - interval '1 day', '-infinity' FROM generate_series(1, " +
            std::to_string(sla::alarms_taken) + ") n");
        const auto first = tell();
        CHECK(first.breached == 0);
        REQUIRE(first.next.has_value());
        const auto second =
            db.transact([&](radd::Transaction& tx) { return sla::tell(tx, *first.next); });
        CHECK(second.breached == 2);
        CHECK_FALSE(second.next.has_value());

        auto alarm = plugin.periodic_tasks.at(0).make(services);
        const auto other = an_item(300min);
        follow();
        CHECK(alarm->tick());
        CHECK_FALSE(alarm->tick());
        CHECK(states(other) == "first_response breached, resolution breached");
        CHECK(database.value("SELECT count(*) FROM radd.events WHERE event_type = "
                             "'sla.breached'") == "4");
        CHECK(alarm->interval() == 5s);
    }

    TEST_CASE_FIXTURE(AlarmBench, "a project that cannot be computed anew holds up no other") {
        const auto item = an_item(70min);
        follow();
        const auto other = db.transact([&](radd::Transaction& tx) {
            const auto calendar = sla::create_calendar(
                tx,
                {.name = "Broken",
                 .rules = sla::rules_of("Etc/UTC", round_the_clock(), radd::json::array())});
            auto draft = a_draft("Other");
            draft.project = "OTHER";
            draft.calendar_id = calendar;
            const auto id = directory.create_project(tx, {.key = "OTHER", .name = "Other"}, {}).id;
            sla::create_policy(tx, draft);
            return id;
        });
        const auto mine = project;
        project = other;
        an_item(70min);
        project = mine;
        follow();
        // Named before the project of the item that is due.
        database.execute(
            "UPDATE sla.calendars SET hours = '[{}]' WHERE name = 'Broken';"
            "INSERT INTO sla.refreshes SELECT id, now() FROM items.projects WHERE key = 'DEMO'");
        auto alarm = plugin.periodic_tasks.at(0).make(services);

        for (int look = 0; look < 5 && alarm->tick(); ++look) {}

        CHECK(states(item) == "first_response breached, resolution running");
        CHECK(told() == "breached first_response");
        CHECK(database.value("SELECT string_agg(project_id::text, ' ') FROM sla.refreshes") ==
              std::to_string(other));
        CHECK(services.fakes.lines.contains("project " + std::to_string(other) +
                                            " could not be computed anew"));

        database.execute(
            "UPDATE sla.calendars b SET hours = a.hours FROM sla.calendars a"
            " WHERE b.name = 'Broken' AND a.name = 'Always';"
            "UPDATE sla.refreshes SET not_before = now()");
        while (alarm->tick()) {}
        CHECK(database.value("SELECT count(*) FROM sla.refreshes") == "0");
    }

    TEST_CASE_FIXTURE(AlarmBench, "a zone that this host does not know counts as UTC") {
        database.execute(
            "UPDATE sla.calendars SET zone = 'Mars/Olympus';"
            "INSERT INTO sla.refreshes SELECT id, '-infinity' FROM items.projects");
        const auto item = an_item(70min);
        follow();
        auto alarm = plugin.periodic_tasks.at(0).make(services);

        while (alarm->tick()) {}

        CHECK(due_in(item, "resolution") == "170");
        CHECK(told() == "breached first_response");
        CHECK(services.fakes.lines.contains("no zone 'Mars/Olympus'"));
    }
}

}  // namespace
}  // namespace sla_pg
