// Who is told of what, in a real database; mails, digests and routes have files of their own.

#include <string>

#include <doctest/doctest.h>

#include <csat/events.hpp>
#include <radd/scopes.hpp>
#include <tests/pg/notify_bench.hpp>

using radd::testing::NotifyBench;

TEST_SUITE("notices") {
    TEST_CASE_FIXTURE(NotifyBench, "what was there at the first start builds the graph alone") {
        const auto item = a_printer(ada);
        comment(item, "Is it @Cid's? Ask @Ada Lovelace", bob);
        follow(true);

        CHECK(count("notify.notices") == "0");
        CHECK(database.value("SELECT string_agg(p.name || ' ' || reason, ', ' ORDER BY p.name, "
                             "reason) FROM notify.watches w JOIN items.people p ON p.id = "
                             "w.person_id") ==
              "Ada Lovelace mentioned, Ada Lovelace reporter, Bob commenter");

        comment(item, "It burns", cid);
        follow();
        CHECK(told("Ada Lovelace") == "commented");
        CHECK(told("Bob") == "commented");
        CHECK(told("Cid").empty());
    }

    TEST_CASE_FIXTURE(NotifyBench, "each way to be concerned is told and nobody of their own act") {
        const auto item = a_printer(ada);
        transactions.transact(
            [&](radd::Transaction& tx) { directory.watch(tx, item.id, cid, {.actor = cid}); });
        change(item, {.assignee = std::optional{bob}}, ada);
        change(item, {.state = "Done"}, bob);
        change(item, {.title = "Scanner", .priority = std::optional<std::string>{"low"}}, cid);
        comment(item, "Hello @bob", ada);
        follow();

        CHECK(told("Ada Lovelace") == "moved changed");
        CHECK(told("Bob") == "assigned changed mentioned");
        CHECK(told("Cid") == "changed moved commented");
        CHECK(database.value("SELECT detail FROM notify.notices WHERE kind = 'notify.moved' LIMIT "
                             "1") == R"({"to": "Done", "from": "To Do", "fields": ["state"]})");
    }

    TEST_CASE_FIXTURE(NotifyBench, "who is concerned no longer is not told") {
        const auto item = a_printer(ada);
        change(item, {.assignee = std::optional{bob}});
        follow();
        change(item, {.assignee = std::optional{cid}});
        follow();
        CHECK(told("Bob") == "assigned");

        transactions.transact([&](radd::Transaction& tx) {
            directory.watch(tx, item.id, bob, {.actor = bob});
            directory.unwatch(tx, item.id, bob, {.actor = bob});
        });
        follow();
        comment(item, "Anybody?", ada);
        follow();
        CHECK(told("Bob") == "assigned");
        CHECK(told("Cid") == "assigned commented");
    }

    TEST_CASE_FIXTURE(NotifyBench, "only who may read the item is told") {
        const auto guest = a_person("Guest", false);
        const auto item = a_printer(guest);
        change(item, {.assignee = std::optional{bob}});
        database.execute("UPDATE radd.accounts SET disabled_at = now() WHERE name = 'Bob'");
        comment(item, "@Guest @Bob @Cid", ada);
        follow();

        CHECK(told("Guest").empty());
        CHECK(told("Bob").empty());
        CHECK(told("Cid") == "mentioned");
    }

    TEST_CASE_FIXTURE(NotifyBench, "a name that several have or nobody has names nobody") {
        a_person("Kim Lee");
        database.execute("UPDATE items.people SET name = 'Kim Lee' WHERE name = 'Bob'");
        const auto item = a_printer({});
        comment(item, "@Kim Lee @Nobody @ada lovelace: look. @CID", {});
        follow();

        CHECK(told("Kim Lee").empty());
        CHECK(told("Ada Lovelace") == "mentioned");
        CHECK(told("Cid") == "mentioned");
    }

    TEST_CASE_FIXTURE(NotifyBench, "who edits a text tells those who are new in it") {
        const auto item = a_printer({});
        const auto first = comment(item, "@Bob", {});
        follow();
        transactions.transact([&](radd::Transaction& tx) {
            directory.update_comment(tx, first, "@Bob and @Cid", {});
        });
        change(item, {.description = "Of @Ada Lovelace"});
        follow();

        CHECK(told("Cid") == "mentioned changed");
        CHECK(told("Ada Lovelace") == "mentioned");
    }

    TEST_CASE_FIXTURE(NotifyBench, "a project's watchers hear of every item in it") {
        database.execute("INSERT INTO notify.project_watches VALUES (" + std::to_string(project) +
                         ", '" + cid + "')");
        const auto item = a_printer(ada);
        comment(item, "Hello", ada);
        follow();

        CHECK(told("Cid") == "created commented");
        CHECK(told("Ada Lovelace").empty());
    }

    TEST_CASE_FIXTURE(NotifyBench, "who has muted an item hears what is meant for them alone") {
        const auto item = a_printer(bob);
        database.execute("INSERT INTO notify.mutes VALUES (" + std::to_string(item.id) + ", '" +
                         bob + "')");
        comment(item, "Hello", ada);
        comment(item, "Hello @Bob", ada);
        change(item, {.assignee = std::optional{bob}}, ada);
        follow();

        CHECK(told("Bob") == "mentioned assigned");
    }

    // P38
    TEST_CASE_FIXTURE(NotifyBench, "a quiet import tells nobody and its items are known after it") {
        {
            const radd::Quiet quiet;
            const auto item = a_printer(ada);
            comment(item, "Imported @Cid", bob);
        }
        follow();
        CHECK(count("notify.notices") == "0");
        CHECK(count("radd.deliveries") == "0");

        comment(*transactions.transact([&](radd::Transaction& tx) {
            return directory.find_item(tx, std::string_view{"DEMO-1"});
        }),
                "News",
                cid);
        follow();
        CHECK(told("Ada Lovelace") == "commented");
        CHECK(told("Bob") == "commented");
    }

    TEST_CASE_FIXTURE(NotifyBench, "what a rule did is told and says so") {
        const auto item = a_printer(ada);
        {
            const radd::Automated automated{"rule 4"};
            change(item, {.state = "Done"}, std::string{radd::system_actor});
        }
        follow();

        CHECK(told("Ada Lovelace") == "moved");
        CHECK(database.value("SELECT automated FROM notify.notices") == "rule 4");
    }

    TEST_CASE_FIXTURE(NotifyBench, "an event that is handed over twice tells once") {
        const auto item = a_printer(ada);
        comment(item, "Hello", bob);
        follow();
        cursor = 0;
        follow();

        CHECK(told("Ada Lovelace") == "commented");
        CHECK(count("radd.deliveries") == "1");
    }

    TEST_CASE_FIXTURE(NotifyBench, "a kind that another plugin declares is told as it says") {
        lent.fakes.kinds = {{.name = "csat.answered",
                             .label = "Survey answered",
                             .event_type = csat::CsatEvent::responded,
                             .audience = radd::Audience::assignee,
                             .defaults = {.mail = true}}};
        const auto item = a_printer(ada);
        change(item, {.assignee = std::optional{bob}});
        follow();
        const radd::Event answered =
            radd::testing::an_event{csat::CsatEvent::responded}.with_id(1000).about(
                items::ItemEntity::item, item.id);
        transactions.transact([&](radd::Transaction& tx) { teller->offer(tx, answered); });

        CHECK(database.value("SELECT string_agg(p.name || ' ' || n.mail, ',') FROM notify.notices "
                             "n JOIN items.people p ON p.id = n.person_id "
                             "WHERE kind = 'csat.answered'") == "Bob true");
    }

    TEST_CASE_FIXTURE(NotifyBench, "a malformed row of the stream tells nobody and stops nothing") {
        const auto item = a_printer(ada);
        follow();
        const auto offer = [&](const radd::Event& event) {
            transactions.transact([&](radd::Transaction& tx) { teller->offer(tx, event); });
        };
        using radd::testing::an_event;
        auto nonsense = an_event{items::ItemEvent::updated}.with_id(900).about(
            items::ItemEntity::item, item.id);
        nonsense.with_payload(radd::json{{"item", 3}});
        nonsense.with_changes(R"([7, {"field": 3}, {"field": "assignee", "to": {"id": "x'--"}}])");
        CHECK_NOTHROW(offer(nonsense));
        auto stranger = an_event::of_unknown_type("legacy.thing").with_id(901);
        stranger.with_payload(radd::json{{"item", {{"id", "one"}}}});
        CHECK_NOTHROW(offer(stranger));
        CHECK_NOTHROW(offer(an_event{items::CommentEvent::created}.with_id(902).with_payload(
            radd::json{{"item", {{"id", item.id}}}})));

        CHECK(database.value("SELECT string_agg(event_id::text, ',') FROM notify.notices") ==
              "900,902");
    }
}

TEST_SUITE("notice by a rule") {
    struct Scene : NotifyBench {
        Scene() : item{a_printer(ada)} { follow(); }

        radd::ActionPlan plan(const radd::json& arguments, const std::string& subject = "1") {
            return transactions.transact([&](radd::Transaction& tx) {
                return plugin.actions.at(0).plan(
                    tx, lent, {.subject_id = subject, .arguments = arguments});
            });
        }
        void apply(const radd::ActionPlan& wanted) {
            const radd::Automated automated{"rule 4"};
            transactions.transact(
                [&](radd::Transaction& tx) { plugin.actions.at(0).apply(tx, lent, wanted); });
        }

        items::Item item;
    };

    TEST_CASE_FIXTURE(Scene, "is planned without being told and told each time") {
        const auto wanted = plan({{"to", "reporter"}, {"text", "It is late"}});
        CHECK(wanted.summary == "tell reporter of DEMO-1");
        CHECK(wanted.has_effect);
        CHECK(told("Ada Lovelace").empty());

        apply(wanted);
        apply(wanted);

        CHECK(told("Ada Lovelace") == "told_by_rule told_by_rule");
        CHECK(send() == 2);
        CHECK(mailer.sent().at(0).text.starts_with("It is late (automation: rule 4).\n"));
    }

    TEST_CASE_FIXTURE(Scene, "reaches whom it names and nobody who is none") {
        apply(plan({{"to", cid}, {"text", "Look"}}));
        apply(plan({{"to", "watchers"}, {"text", "Look"}}));
        CHECK(told("Cid") == "told_by_rule");
        CHECK(told("Ada Lovelace") == "told_by_rule");

        CHECK_FALSE(plan({{"to", "assignee"}, {"text", "Look"}}).has_effect);
        for (const char* nobody : {"Bob", "", "00000000-0000-4000-8000-00000000ffff"})
            CHECK_THROWS_AS((void)plan({{"to", nobody}, {"text", "Look"}}), radd::InvalidInput);
        for (const char* nothing : {"99", "x", ""})
            CHECK_THROWS_AS((void)plan({{"to", "reporter"}, {"text", "Look"}}, nothing),
                            radd::InvalidInput);
    }

    TEST_CASE_FIXTURE(Scene, "is heard by nobody who wants none") {
        prefer(ada, notify::kind::told_by_rule, "false, false, false");
        apply(plan({{"to", "reporter"}, {"text", "It is late"}}));

        CHECK(told("Ada Lovelace").empty());
    }
}

TEST_SUITE("notices of what is gone") {
    TEST_CASE_FIXTURE(NotifyBench, "go with the item also when it was deleted quietly") {
        const auto item = a_printer(ada);
        const auto other = a_printer(ada);
        comment(item, "Hello", bob);
        comment(other, "Hello", bob);
        follow();
        REQUIRE(told("Ada Lovelace") == "commented commented");
        {
            const radd::Quiet quiet;
            remove(item);
        }
        follow();
        transactions.transact([&](radd::Transaction& tx) {
            plugin.cascades.at(0).sweep(tx, std::to_string(item.id));
            plugin.cascades.at(0).sweep(tx, std::to_string(item.id));
        });

        CHECK(told("Ada Lovelace") == "commented");
        CHECK(database.value("SELECT count(*) FROM notify.watches WHERE item_id = " +
                             std::to_string(item.id)) == "0");
        CHECK(send() == 2);
        CHECK(mailer.sent().size() == 1);
        CHECK(number("state = 'cancelled'") == 1);
    }

    TEST_CASE_FIXTURE(NotifyBench, "are not made for an item that is gone by then") {
        const auto item = a_printer(ada);
        comment(item, "Hello", bob);
        remove(item);
        follow();

        CHECK(count("notify.notices") == "0");
        CHECK(count("notify.watches") == "0");
    }

    TEST_CASE_FIXTURE(NotifyBench, "go with the comment") {
        const auto item = a_printer(ada);
        const auto first = comment(item, "Hello", bob);
        comment(item, "Again", bob);
        follow();
        transactions.transact([&](radd::Transaction& tx) {
            directory.delete_comment(tx, first, {});
            plugin.cascades.at(1).sweep(tx, std::to_string(first));
        });

        CHECK(told("Ada Lovelace") == "commented");
    }

    // P17, P44
    TEST_CASE_FIXTURE(NotifyBench, "are not those of an id that is none") {
        const auto item = a_printer(ada);
        const auto first = comment(item, "Hello", bob);
        follow();
        const auto watches = count("notify.watches");
        for (const std::string& id : {std::string{},
                                      std::string{"x"},
                                      std::to_string(item.id) + "abc",
                                      std::to_string(first) + "abc",
                                      std::string(20, '9')}) {
            CAPTURE(id);
            for (const auto& cascade : plugin.cascades)
                CHECK_NOTHROW(
                    transactions.transact([&](radd::Transaction& tx) { cascade.sweep(tx, id); }));
        }

        CHECK(told("Ada Lovelace") == "commented");
        CHECK(count("notify.watches") == watches);
    }

    TEST_CASE_FIXTURE(NotifyBench, "go with the person") {
        const auto item = a_printer(ada);
        transactions.transact(
            [&](radd::Transaction& tx) { directory.watch(tx, item.id, cid, {.actor = cid}); });
        comment(item, "Hello", bob);
        follow();
        REQUIRE(told("Cid") == "commented");
        database.execute("DELETE FROM items.watchers WHERE person_id = '" + cid + "'");
        database.execute("DELETE FROM items.people WHERE id = '" + cid + "'");

        CHECK(count("notify.notices") == "1");
        CHECK(send() == 2);
        CHECK(mailer.sent().size() == 1);
    }

    // P44
    TEST_CASE_FIXTURE(NotifyBench, "go with the project and so does who watches it") {
        database.execute("INSERT INTO notify.project_watches VALUES (" + std::to_string(project) +
                         ", '" + cid + "')");
        const auto item = a_printer(ada);
        comment(item, "Hello", bob);
        follow();
        REQUIRE(told("Ada Lovelace") == "commented");
        transactions.transact([&](radd::Transaction& tx) {
            (void)directory.delete_project(tx, project, {.with_items = true}, {});
            plugin.cascades.at(0).sweep(tx, std::to_string(item.id));
        });
        follow();

        for (const char* table : {"project_watches", "notices", "watches", "watched_items"})
            CHECK_MESSAGE(count(std::string{"notify."} + table) == "0", table);
        CHECK(send() >= 1);
        CHECK(mailer.sent().empty());
    }
}
