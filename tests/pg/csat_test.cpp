// Surveys in a real database: what one statement guards, and what lands together.

#include <future>
#include <string>

#include <doctest/doctest.h>

#include <tests/pg/csat_bench.hpp>
#include <tests/support/lent_services.hpp>
#include <tests/support/wait.hpp>

using csat_pg::Bench;
using csat_pg::token_in;

TEST_SUITE("csat survey in the database") {
    TEST_CASE_FIXTURE(Bench, "the contact is asked before the reporter") {
        const auto reported = request(an_item(reporter), "token 1");
        REQUIRE(reported.has_value());
        CHECK(reported->email == "ada@example.org");
        CHECK(reported->name == "Ada");

        const auto contacted =
            request(an_item(reporter, items::Contact{.email = "bob@example.org"}), "token 2");
        REQUIRE(contacted.has_value());
        CHECK(contacted->email == "bob@example.org");
        CHECK(contacted->name.empty());
        CHECK(contacted->item_key == "DEMO-2");
    }

    TEST_CASE_FIXTURE(Bench, "nobody is asked who cannot be reached") {
        const auto silent = db.transact([&](radd::Transaction& tx) {
            return directory.create_person(tx, {.name = "Bob"}, {}).id;
        });

        CHECK_FALSE(request(an_item(silent)).has_value());
        CHECK_FALSE(request(an_item(std::nullopt)).has_value());
        CHECK(surveys() == "0");
    }

    TEST_CASE_FIXTURE(Bench, "an item is asked about once whatever became of the answer") {
        const auto item = an_item(reporter);
        REQUIRE(request(item, "first").has_value());
        CHECK_FALSE(request(item, "second").has_value());

        REQUIRE(answer("first", 5) == csat::Answer::recorded);
        CHECK_FALSE(request(item, "third").has_value());
        CHECK(surveys() == "1");
    }

    TEST_CASE_FIXTURE(Bench, "a project is asked about only while it wants to be") {
        const auto item = an_item(reporter);
        const auto set = [this](bool enabled) {
            db.transact([&](radd::Transaction& tx) { csat::set_enabled(tx, "DEMO", enabled); });
        };

        set(false);
        set(false);
        CHECK_FALSE(request(item).has_value());
        set(true);
        set(true);
        CHECK(request(item).has_value());
    }

    TEST_CASE_FIXTURE(Bench, "an item that is gone is not asked about and takes its survey along") {
        const auto item = an_item(reporter);
        REQUIRE(request(item).has_value());
        db.transact([&](radd::Transaction& tx) { directory.delete_item(tx, item.id, {}); });

        CHECK(surveys() == "0");
        CHECK_FALSE(request(item).has_value());
        CHECK(answer("token", 5) == csat::Answer::unknown_token);
    }

    // P12
    TEST_CASE_FIXTURE(Bench, "of two hosts that ask at once one does") {
        const auto item = an_item(reporter);
        auto first = transaction();
        REQUIRE(csat::request(first, std::to_string(item.id), "one").has_value());

        auto second = std::async(std::launch::async, [&] { return request(item, "two"); });
        REQUIRE(radd::testing::eventually([&] {
            return database.value(
                       "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND "
                       "datname = current_database()") == "1";
        }));
        first.commit();

        CHECK_FALSE(second.get().has_value());
        CHECK(surveys() == "1");
        CHECK(answer("one", 4) == csat::Answer::recorded);
    }

    TEST_CASE_FIXTURE(Bench, "a survey that is known unsent is renewed once with another token") {
        const auto item = an_item(reporter);
        REQUIRE(request(item, "first").value().attempt == 1);
        mark_unsent(item, "first");

        CHECK(request(item, "second").value().attempt == 2);
        CHECK_FALSE(request(item, "third").has_value());

        CHECK(surveys() == "1");
        CHECK(answer("first", 5) == csat::Answer::unknown_token);
        CHECK(answer("second", 5) == csat::Answer::recorded);
    }

    TEST_CASE_FIXTURE(Bench, "the mark is of one mail and not of the one after it") {
        const auto item = an_item(reporter);
        REQUIRE(request(item, "first").has_value());
        mark_unsent(item, "another");
        CHECK_FALSE(request(item, "second").has_value());

        mark_unsent(item, "first");
        REQUIRE(request(item, "second").has_value());
        mark_unsent(item, "first");
        CHECK_FALSE(request(item, "third").has_value());
    }

    TEST_CASE_FIXTURE(Bench, "an answer proves that the mail arrived") {
        const auto item = an_item(reporter);
        REQUIRE(request(item, "first").has_value());
        mark_unsent(item, "first");

        CHECK(answer("first", 5) == csat::Answer::recorded);
        CHECK_FALSE(request(item, "second").has_value());
        mark_unsent(item, "first");
        CHECK_FALSE(request(item, "third").has_value());
    }

    TEST_CASE_FIXTURE(Bench, "an unsent survey waits while its project wants none") {
        const auto item = an_item(reporter);
        REQUIRE(request(item, "first").has_value());
        mark_unsent(item, "first");
        const auto set = [this](bool enabled) {
            db.transact([&](radd::Transaction& tx) { csat::set_enabled(tx, "DEMO", enabled); });
        };

        set(false);
        CHECK_FALSE(request(item, "second").has_value());
        set(true);
        CHECK(request(item, "third").has_value());
    }

    TEST_CASE_FIXTURE(Bench, "of two hosts that renew at once one does") {
        const auto item = an_item(reporter);
        REQUIRE(request(item, "zero").has_value());
        mark_unsent(item, "zero");
        auto first = transaction();
        REQUIRE(csat::request(first, std::to_string(item.id), "one").has_value());

        auto second = std::async(std::launch::async, [&] { return request(item, "two"); });
        REQUIRE(radd::testing::eventually([&] {
            return database.value(
                       "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND "
                       "datname = current_database()") == "1";
        }));
        first.commit();

        CHECK_FALSE(second.get().has_value());
        CHECK(answer("one", 4) == csat::Answer::recorded);
    }

    TEST_CASE_FIXTURE(Bench, "the table does not hold what the mail does") {
        REQUIRE(request(an_item(reporter), "the secret token").has_value());

        CHECK(database.value("SELECT count(*) FROM csat.surveys s "
                             "WHERE s::text LIKE '%secret%' OR s::text LIKE '%736563726574%'") ==
              "0");
        CHECK(answer("the secret token", 5) == csat::Answer::recorded);
    }

    // P44
    TEST_CASE_FIXTURE(Bench, "a project takes its wish and its surveys along") {
        REQUIRE(request(an_item(reporter)).has_value());

        db.transact([&](radd::Transaction& tx) {
            (void)directory.delete_project(tx, project, {.with_items = true}, {});
        });

        CHECK(database.value("SELECT count(*) FROM csat.projects") == "0");
        CHECK(database.value("SELECT count(*) FROM csat.surveys") == "0");
        CHECK(answer("token", 5) == csat::Answer::unknown_token);
    }
}

TEST_SUITE("csat events in the database") {
    TEST_CASE_FIXTURE(Bench, "survey and event are one commit and the event holds the item") {
        radd::testing::FakeServices services;
        radd::testing::FakeMailer mailer;
        services.offer<radd::Mailer>(mailer);
        csat::Sender sender{services};
        const auto item = an_item(reporter);
        const radd::Event resolved = a_resolution(item);
        const std::string found =
            "SELECT concat_ws(' ', payload #>> '{item,key}', project_id, actor_id) "
            "FROM radd.events WHERE event_type = 'csat.requested'";

        {
            auto tx = transaction();
            REQUIRE(sender.plan(tx, resolved).has_value());
            tx.rollback();
        }
        CHECK(surveys() == "0");
        CHECK(database.value(found) == "(no row)");

        auto tx = transaction();
        REQUIRE(sender.plan(tx, resolved).has_value());
        tx.commit();
        CHECK(surveys() == "1");
        CHECK(database.value(found) == "DEMO-1 " + std::to_string(project));
    }

    TEST_CASE_FIXTURE(Bench, "a mail that failed is mailed by a retry and requested once") {
        radd::testing::FakeMailer mailer;
        radd::testing::LentServices services{db};
        services.offer<radd::Mailer>(mailer);
        csat::Sender sender{services};
        const auto resolved = a_resolution(an_item(reporter));
        const auto listed = [this] {
            return db.transact([](radd::Transaction& tx) { return csat::list(tx); }).at(0);
        };
        mailer.fail_next(radd::Unavailable{"relay away"}, 2);

        CHECK_THROWS_AS(run(sender, resolved), radd::Unavailable);
        CHECK(listed().unsent_since.has_value());
        CHECK_THROWS_AS(run(sender, resolved), radd::Unavailable);
        CHECK(run(sender, resolved));
        CHECK_FALSE(listed().unsent_since.has_value());
        CHECK_FALSE(run(sender, resolved));

        REQUIRE(mailer.sent().size() == 1);
        CHECK(database.value("SELECT count(*) FROM radd.events "
                             "WHERE event_type = 'csat.requested'") == "1");
        CHECK(answer(token_in(mailer.sent().front()), 5) == csat::Answer::recorded);
    }

    TEST_CASE_FIXTURE(Bench, "a mail that may have gone out is never mailed again") {
        radd::testing::FakeMailer mailer;
        radd::testing::LentServices services{db};
        services.offer<radd::Mailer>(mailer);
        csat::Sender sender{services};
        const auto unconfirmed = a_resolution(an_item(reporter));
        const auto undelivered = a_resolution(an_item(reporter));
        mailer.fail_next(radd::MailUnconfirmed{"no answer"});

        CHECK_THROWS_AS(run(sender, unconfirmed), radd::MailUnconfirmed);
        CHECK_FALSE(run(sender, unconfirmed));
        {
            auto tx = transaction();
            REQUIRE(sender.plan(tx, undelivered).has_value());
            tx.commit();
        }
        CHECK_FALSE(run(sender, undelivered));

        CHECK(mailer.sent().empty());
    }

    TEST_CASE_FIXTURE(Bench, "the first answer is an event and the second is none") {
        REQUIRE(request(an_item(reporter)).has_value());

        CHECK(answer("token", 2) == csat::Answer::recorded);
        CHECK(answer("token", 5) == csat::Answer::already_answered);
        CHECK(answer("no token", 5) == csat::Answer::unknown_token);

        CHECK(database.value("SELECT string_agg(payload ->> 'score', ',') FROM radd.events "
                             "WHERE event_type = 'csat.responded'") == "2");
        const auto listed = db.transact([](radd::Transaction& tx) { return csat::list(tx); });
        REQUIRE(listed.size() == 1);
        CHECK(listed.front().item_key == "DEMO-1");
        CHECK(listed.front().score == 2);
    }
}
