// Which clocks an item has, and how far they have run.

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <host/plugins/validate.hpp>
#include <tests/pg/sla_bench.hpp>

namespace sla_pg {
namespace {

using items::Category;

TEST_SUITE("sla") {
    TEST_CASE("the plugin is one that a host accepts") {
        const auto problems = radd::loader::check_manifest(radd::testing::linked_manifest());
        CHECK_MESSAGE(problems.empty(), (problems.empty() ? "" : problems.front().message));
    }

    TEST_CASE_FIXTURE(Bench, "the first policy that an item fits is its policy") {
        auto urgent = a_draft("Urgent");
        urgent.position = 1;
        urgent.priorities = {"High", "Highest"};
        urgent.labels = {"vip", "gold"};
        urgent.targets = {{sla::Target::resolution, {.within = 30min}}};
        policy(a_draft());
        policy(urgent);
        const auto plain =
            an_item(10min, {.project_id = project, .title = "Printer", .priority = "High"});
        const auto fits = an_item(10min,
                                  {.project_id = project,
                                   .title = "Printer",
                                   .priority = "High",
                                   .labels = {"gold", "red"}});
        follow();

        CHECK(due_in(plain, "resolution") == "230");
        CHECK(due_in(fits, "resolution") == "20");
        CHECK(states(fits) == "resolution running");

        update(plain, {.labels = std::vector<std::string>{"vip"}});
        update(fits, {.priority = std::optional<std::string>{}});
        follow();
        CHECK(due_in(plain, "resolution") == "20");
        CHECK(states(plain) == "resolution running");
        CHECK(due_in(fits, "resolution") == "230");
        CHECK(states(fits) == "first_response running, resolution running");
    }

    TEST_CASE_FIXTURE(Bench, "time in a pause state does not count") {
        policy(a_draft());
        const auto item = an_item(120min);
        move(item, "Waiting", 100min);
        follow();
        CHECK(states(item) == "first_response paused, resolution paused");
        CHECK(due_in(item, "resolution") == "(null)");
        CHECK(database.value("SELECT remaining_ms / 60000 FROM sla.clocks WHERE target = "
                             "'resolution'") == "220");

        move(item, "In Progress", 40min);
        move(item, "Waiting", 30min);
        move(item, "To Do", 10min);
        follow();
        // 20 + 10 + 10 minutes have counted.
        CHECK(due_in(item, "resolution") == "200");
        CHECK(due_in(item, "first_response") == "20");
        CHECK(states(item) == "first_response running, resolution running");
    }

    TEST_CASE_FIXTURE(Bench, "a response is a comment by a person who is not the reporter") {
        policy(a_draft());
        const auto item = an_item(30min);
        comment(item, ada, 25min);
        comment(item, std::nullopt, 24min);
        db.transact([&](radd::Transaction& tx) {
            directory.ensure_person(tx, items::PersonId{radd::system_actor}, "Automations");
        });
        comment(item, items::PersonId{radd::system_actor}, 23min);
        follow();
        CHECK(states(item) == "first_response running, resolution running");

        comment(item, bob, 20min);
        follow();
        CHECK(states(item) == "first_response met, resolution running");

        database.execute("DELETE FROM items.comments");
        update(item, {.priority = std::optional<std::string>{"High"}});
        follow();
        CHECK(states(item) == "first_response met, resolution running");
    }

    TEST_CASE_FIXTURE(Bench,
                      "an item that is done has met what it met and a reopened one begins anew") {
        policy(a_draft());
        const auto item = an_item(500min);
        move(item, "Done", 400min);
        follow();
        CHECK(states(item) == "first_response breached, resolution met");

        // What happens afterwards changes nothing of it, whichever policy the item fits by then.
        auto urgent = a_draft("Urgent");
        urgent.position = 1;
        urgent.priorities = {"High"};
        urgent.targets = {{sla::Target::resolution, {.within = 1min}}};
        const auto other = policy(urgent);
        update(item, {.priority = std::optional<std::string>{"High"}}, 390min);
        comment(item, bob, 380min);
        follow();
        CHECK(states(item) == "first_response breached, resolution met");

        db.transact([&](radd::Transaction& tx) { CHECK(sla::delete_policy(tx, other)); });
        move(item, "To Do", 30min);
        follow();
        CHECK(
            states(item) ==
            "first_response running, resolution running, first_response breached, resolution met");
        CHECK(due_in(item, "resolution") == "210");
        move(item, "Done", 1min);
        follow();
        CHECK(states(item) ==
              "first_response met, resolution met, first_response breached, resolution met");
    }

    TEST_CASE_FIXTURE(Bench,
                      "what was done before it came here has no clocks and what is open raises no "
                      "alarm for the past") {
        policy(a_draft());
        items::Item done{};
        items::Item open{};
        {
            const radd::Quiet quiet{true};
            done = an_item(60 * 24 * 30min,
                           {.project_id = project, .title = "Printer", .state = "Done"});
            open = an_item(60 * 24 * 30min);
            db.transact([&](radd::Transaction& tx) {
                directory.record_change(tx,
                                        done.id,
                                        {radd::change("state",
                                                      {{"name", "To Do"}, {"category", "todo"}},
                                                      {{"name", "Done"}, {"category", "done"}})},
                                        {.at = now - 60 * 24 * 20min});
            });
        }
        follow();

        CHECK(states(done).empty());
        CHECK(states(open) == "first_response breached, resolution breached");
        CHECK(tell().taken == 0);
        CHECK(told().empty());

        // From here on it is an item like any other.
        move(done, "To Do", 0min);
        follow();
        CHECK(states(done) == "first_response running, resolution running");
    }

    TEST_CASE_FIXTURE(Bench, "a policy may ask for alarms about the past") {
        auto draft = a_draft();
        draft.alarm_for_past = true;
        policy(draft);
        {
            const radd::Quiet quiet{true};
            an_item(60 * 24 * 30min);
        }
        follow();
        CHECK(tell().breached == 2);
    }

    TEST_CASE_FIXTURE(Bench, "an imported history counts with its pauses") {
        policy(a_draft());
        const radd::Quiet quiet{true};
        const auto item =
            an_item(200min, {.project_id = project, .title = "Printer", .state = "In Progress"});
        const auto changed = [&](const char* from, const char* to, std::chrono::minutes ago) {
            db.transact([&](radd::Transaction& tx) {
                directory.record_change(tx,
                                        item.id,
                                        {radd::change("state",
                                                      {{"name", from}, {"category", "doing"}},
                                                      {{"name", to}, {"category", "doing"}})},
                                        {.at = now - ago});
            });
        };
        // As an import may bring them: the order of the stream is not that of the world.
        changed("Waiting", "In Progress", 50min);
        changed("In Progress", "Waiting", 150min);
        follow();
        CHECK(due_in(item, "resolution") == "140");
    }

    TEST_CASE_FIXTURE(Bench,
                      "a change of the rules reaches open items and raises no alarm for the past") {
        const auto id = policy(a_draft());
        std::vector<items::Item> some;
        for (int i = 0; i < sla::refresh_items + 1; ++i) some.push_back(an_item(100min));
        const auto done = an_item(100min);
        move(done, "Done", 90min);
        follow();
        CHECK(due_in(some.back(), "resolution") == "140");

        auto tight = a_draft();
        tight.targets = {{sla::Target::resolution, {.within = 90min}}};
        db.transact([&](radd::Transaction& tx) { CHECK(sla::update_policy(tx, id, tight)); });
        CHECK(tell().taken == 0);
        refresh();
        for (const auto& item : {some.front(), some.back()})
            CHECK(states(item) == "resolution breached");
        CHECK(states(done) == "first_response met, resolution met");
        CHECK(tell().taken == 0);

        update(some.front(), {.priority = std::optional<std::string>{"High"}});
        follow();
        CHECK(tell().taken == 0);

        tight.alarm_for_past = true;
        db.transact([&](radd::Transaction& tx) { CHECK(sla::update_policy(tx, id, tight)); });
        refresh();
        CHECK(tell().breached == sla::refresh_items + 1);
    }

    TEST_CASE_FIXTURE(Bench, "a policy that is switched off or deleted has no clocks") {
        const auto id = policy(a_draft());
        const auto item = an_item(10min);
        follow();
        auto off = a_draft();
        off.enabled = false;
        db.transact([&](radd::Transaction& tx) { CHECK(sla::update_policy(tx, id, off)); });
        refresh();
        CHECK(states(item).empty());
        db.transact([&](radd::Transaction& tx) { CHECK(sla::delete_policy(tx, id)); });
        refresh();
        CHECK(database.value("SELECT count(*) FROM sla.clocks") == "0");
    }

    TEST_CASE_FIXTURE(Bench, "a state change is kept while its policy is being deleted") {
        const auto id = policy(a_draft());
        const auto item = an_item(60min);
        follow();
        move(item, "Waiting", 10min);
        std::thread follows;
        db.transact([&](radd::Transaction& tx) {
            CHECK(sla::delete_policy(tx, id));
            follows = std::thread{[&] { CHECK_NOTHROW(follow()); }};
            CHECK(one_waits());
        });
        follows.join();

        CHECK(database.value("SELECT string_agg(to_state, ' ') FROM sla.state_changes") ==
              "Waiting");
        CHECK(states(item).empty());
    }

    // P44
    TEST_CASE_FIXTURE(Bench, "an event that is taken in while its project goes is no failure") {
        policy(a_draft());
        const auto item = an_item(60min);
        follow();
        move(item, "Waiting", 10min);
        std::thread follows;
        db.transact([&](radd::Transaction& tx) {
            (void)directory.delete_project(tx, project, {.with_items = true}, {});
            follows = std::thread{[&] { CHECK_NOTHROW(follow()); }};
            CHECK(one_waits());
        });
        follows.join();
        follow();

        for (const char* table : {"policies", "histories", "state_changes", "clocks", "refreshes"})
            CHECK_MESSAGE(database.value(std::string{"SELECT count(*) FROM sla."} + table) == "0",
                          table);
    }

    TEST_CASE_FIXTURE(Bench, "a deleted item leaves nothing behind nor does a project") {
        policy(a_draft());
        const auto item = an_item(10min);
        move(item, "Waiting", 5min);
        follow();
        db.transact([&](radd::Transaction& tx) { directory.delete_item(tx, item.id, {}); });
        // Before the stream has told of it, nobody is told of it.
        database.execute("UPDATE sla.clocks SET due_at = now() - interval '1 second'");
        CHECK(tell().breached == 0);
        follow();
        for (const char* table : {"histories", "state_changes", "clocks"})
            CHECK(database.value(std::string{"SELECT count(*) FROM sla."} + table) == "0");

        database.execute("DELETE FROM items.projects");
        CHECK(database.value("SELECT count(*) FROM sla.policies") == "0");

        // A replay meets events of what is gone.
        cursor = 0;
        follow();
        CHECK(database.value("SELECT count(*) FROM sla.histories") == "0");
    }

    TEST_CASE_FIXTURE(Bench, "events that say nothing of use harm nobody") {
        policy(a_draft());
        const auto item = an_item(10min);
        const auto id = std::to_string(item.id);
        for (const std::string& changes :
             {std::string{"[]"},
              std::string{"[7]"},
              std::string{R"([{"field":"state"}])"},
              std::string{R"([{"field":"state","from":"To Do","to":"Done"}])"},
              std::string{R"([{"field":"state","from":{"name":1},"to":{"name":"Done"}}])"}})
            database.execute(
                "INSERT INTO radd.events (event_type, entity_type, entity_id, changes) VALUES "
                "('item.updated', 'item', '" +
                id + "', '" + changes + "')");
        database.execute(
            "INSERT INTO radd.events (event_type, entity_type, entity_id, payload) VALUES "
            "('item.created', 'item', 'x', '{}'), ('item.created', 'item', '99999999999999999999', "
            "'{}'), ('comment.created', 'comment', '1', '{}'), ('comment.created', 'comment', '1', "
            "'{\"item\": {\"id\": \"x\"}}'), ('comment.created', 'comment', '1', '{\"item\": 3}')");
        follow();
        CHECK(states(item) == "first_response running, resolution running");
    }
}

}  // namespace
}  // namespace sla_pg
