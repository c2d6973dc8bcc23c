// Mails about notices: the ladder, what ends it, and what is never mailed.

#include <string>

#include <doctest/doctest.h>

#include <tests/pg/notify_bench.hpp>

using namespace std::chrono_literals;
using radd::testing::NotifyBench;

namespace {

struct Scene : NotifyBench {
    Scene() : item{a_printer(ada)} {}

    /// Comments of Bob, each a mail to Ada.
    void news(int comments = 1) {
        for (int i = 0; i < comments; ++i) comment(item, "Hello " + std::to_string(i), bob);
        follow();
    }
    std::string outcome(const std::string& which = "true") {
        return database.value(
            "SELECT coalesce(mail_outcome, 'waiting') || ' ' || (emailed_at IS "
            "NOT NULL) FROM notify.notices WHERE kind = 'notify.commented' AND " +
            which + " ORDER BY id LIMIT 1");
    }

    items::Item item;
};

}  // namespace

TEST_SUITE("notice mail") {
    TEST_CASE_FIXTURE(Scene, "goes to the address that the person has when it is sent") {
        news();
        database.execute("UPDATE items.people SET email = 'new@example.org' WHERE id = '" + ada +
                         "'");

        CHECK(send() == 1);

        REQUIRE(mailer.sent().size() == 1);
        CHECK(mailer.sent()[0].to == "new@example.org");
        CHECK(mailer.sent()[0].subject == "[DEMO-1] Printer");
        CHECK(mailer.sent()[0].text.find("Bob commented.") == 0);
        CHECK(mailer.sent()[0].text.find("> Hello 0") != std::string::npos);
        CHECK(outcome() == "sent true");
    }

    // P35
    TEST_CASE_FIXTURE(Scene, "is tried after 1 and 5 and 30 minutes and then given up") {
        news();
        const auto relay = mail_runner();
        mailer.fail_next(radd::MailDeferred{"451 later"}, 4);

        for (const char* rung : {"60", "300", "1800"}) {
            CHECK(settle(*relay) == 1);
            CHECK(wait() == rung);
            CHECK(outcome() == "waiting false");
            const auto half = std::chrono::seconds{std::stoi(rung)} / 2;
            pass(half);
            CHECK(settle(*relay) == 0);
            pass(half);
        }
        CHECK(settle(*relay) == 1);

        CHECK(outcome() == "given_up true");
        CHECK(database.value("SELECT mail_detail FROM notify.notices") == "451 later");
        pass(24h);
        CHECK(settle(*relay) == 0);
        CHECK(mailer.attempts() == 4);
    }

    // P35
    TEST_CASE_FIXTURE(Scene, "that is refused for good is finished at once and holds up no other") {
        news(21);
        mailer.fail_next(radd::MailRefused{"550 no such user"});

        CHECK(send() == 21);

        CHECK(mailer.sent().size() == 20);
        CHECK(database.value("SELECT count(*) FILTER (WHERE mail_outcome = 'sent') || ' ' || "
                             "max(mail_detail) FILTER (WHERE mail_outcome = 'given_up') "
                             "FROM notify.notices") == "20 550 no such user");
    }

    // P35
    TEST_CASE_FIXTURE(Scene, "that is put off or dropped or refused late holds up no other") {
        news(21);
        std::string left = "waiting false";
        SUBCASE("451 to its address") {
            mailer.fail_next(radd::MailDeferred{"451 later"});
        }
        SUBCASE("552 to its text") {
            mailer.fail_next(radd::MailRefused{"552 too big"});
            left = "given_up true";
        }
        SUBCASE("dropped behind its text") {
            mailer.fail_next(radd::MailUnconfirmed{"dropped"});
        }

        CHECK(send() == 21);

        CHECK(mailer.sent().size() == 20);
        CHECK(number("attempts = 1") == 21);
        CHECK(outcome("id = 1") == left);
        CHECK(count("notify.notices WHERE id > 1 AND mail_outcome = 'sent'") == "20");
    }

    // P35
    TEST_CASE_FIXTURE(Scene, "of a relay that is away costs one attempt and the others none") {
        news(21);
        mailer.fail_next(radd::Unavailable{"connection refused"}, 21);
        const auto relay = mail_runner();

        CHECK(settle(*relay) == 1);

        CHECK(mailer.attempts() == 1);
        CHECK(number("attempts = 0") == 20);
        clock.steady_ahead = clock.steady_ahead.load() + 61s;
        mailer.fail_next(radd::Unavailable{"connection refused"});
        CHECK(settle(*relay) == 1);
        CHECK(number("attempts = 0") == 19);
    }

    // P33
    TEST_CASE_FIXTURE(Scene, "to what is no address is finished without contact") {
        news();
        mailer.fail_next(radd::InvalidInput{"to", "is no address"});

        CHECK(send() == 1);

        CHECK(outcome() == "given_up true");
    }

    // P15
    TEST_CASE_FIXTURE(Scene, "has the same key in every attempt and another key each") {
        news(2);
        const auto relay = mail_runner();
        mailer.fail_next(radd::MailUnconfirmed{"dropped"});
        CHECK(settle(*relay) == 2);
        pass(61s);
        CHECK(settle(*relay) == 1);

        REQUIRE(mailer.sent().size() == 2);
        CHECK(mailer.sent()[0].idempotency_key == "notify.notice/2");
        CHECK(mailer.sent()[1].idempotency_key == "notify.notice/1");
    }

    // P15
    TEST_CASE_FIXTURE(Scene, "whose process died after the relay took it comes again as itself") {
        news();
        auto doomed = mail_runner();
        REQUIRE(doomed->claim() == 1);
        const auto handler = plugin.delivery_queues.at(0).make(lent);
        (void)handler->attempt({.id = 1, .payload_text = R"({"notice":1})"});
        doomed.reset();
        database.execute(
            "UPDATE radd.deliveries SET claimed_until = now(), next_attempt_at = now()"
            " WHERE state = 'pending'");

        CHECK(send() == 1);

        REQUIRE(mailer.sent().size() == 2);
        CHECK(mailer.sent()[0].idempotency_key == mailer.sent()[1].idempotency_key);
        CHECK(outcome() == "sent true");
        CHECK(send() == 0);
    }

    TEST_CASE_FIXTURE(Scene, "is not sent to who is no longer to be told") {
        news(3);
        database.execute("UPDATE items.people SET email = NULL WHERE id = '" + ada + "'");
        CHECK(send() == 3);
        CHECK(outcome() == "cancelled true");

        database.execute("UPDATE items.people SET email = 'ada@example.org' WHERE id = '" + ada +
                         "'");
        news();
        database.execute("UPDATE radd.accounts SET disabled_at = now()");
        CHECK(send() == 1);
        CHECK(mailer.sent().empty());
    }

    TEST_CASE_FIXTURE(Scene, "is not wanted by who has no address or wants none") {
        database.execute("UPDATE items.people SET email = NULL WHERE id = '" + ada + "'");
        news();
        CHECK(count("radd.deliveries") == "0");

        database.execute("UPDATE items.people SET email = 'ada@example.org' WHERE id = '" + ada +
                         "'");
        prefer(ada, notify::kind::commented, "true, false, false");
        news();
        CHECK(count("radd.deliveries") == "0");
        CHECK(told("Ada Lovelace") == "commented commented");

        database.execute("DELETE FROM notify.preferences");
        prefer(ada, notify::kind::commented, "false, false, false");
        news();
        CHECK(told("Ada Lovelace") == "commented commented");
    }

    TEST_CASE_FIXTURE(Scene, "beyond the limit of an hour is left to the digest") {
        lent.fakes.values.set("mails_per_hour", "3");
        news(3);
        CHECK(count("radd.deliveries") == "3");
        prefer(ada, notify::kind::commented, "true, true, false");
        news(2);

        CHECK(count("radd.deliveries") == "3");
        CHECK(count("notify.notices WHERE over_limit AND in_digest AND NOT mail") == "2");
        database.execute("UPDATE notify.notices SET created_at = created_at - interval '1 hour'");
        news();
        CHECK(count("radd.deliveries") == "4");
    }

    TEST_CASE_FIXTURE(Scene, "that was given up is sent by a replay and never twice") {
        news(2);
        mailer.fail_next(radd::MailRefused{"550 by mistake"});
        CHECK(send() == 2);
        const auto replay = [&] {
            return radd::testing::run_command(plugin, lent, "notify replay", {}, true).out;
        };

        const auto shown =
            radd::testing::run_command(plugin, lent, "notify mails", {"--given-up"}, true);
        CHECK(radd::json::parse(shown.out).at(0).at("detail") == "550 by mistake");
        CHECK(replay() == "{\"replayed\":1}\n");
        CHECK(send() == 1);
        CHECK(replay() == "{\"replayed\":0}\n");
        CHECK(send() == 0);

        CHECK(mailer.sent().size() == 2);
        CHECK(count("notify.notices WHERE mail_outcome = 'sent'") == "2");
    }
}
