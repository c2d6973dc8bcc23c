#include <string>

#include <doctest/doctest.h>

#include <radd/testing/fixture_host.hpp>

using radd::testing::FixtureHost;

TEST_SUITE("mail plugin") {
    TEST_CASE("a bare installation starts") {
        FixtureHost host{radd::testing::linked_manifest()};

        CHECK_NOTHROW(host.start());
    }

    TEST_CASE("a setting that could never work stops the start") {
        for (const auto& [name, value] : {std::pair{"from_address", "nobody"},
                                          std::pair{"host", "no host"},
                                          std::pair{"username", "ada"}}) {
            FixtureHost host{radd::testing::linked_manifest()};
            host.services().values.set(name, value);

            CHECK_THROWS_WITH_AS(host.start(), doctest::Contains(name), radd::ConfigError);
        }
    }

    TEST_CASE("the test command sends one mail and tells what came of it") {
        FixtureHost host{radd::testing::linked_manifest()};
        radd::testing::FakeMailer mailer;
        host.services().offer<radd::Mailer>(mailer);

        CHECK(host.command("mail test", {"ada@example.org"}).code == 0);
        mailer.fail_next(radd::MailRefused{"refused for good"});
        const auto refused = host.command("mail test", {"ada@example.org"});
        mailer.fail_next(radd::Unavailable{"relay away"});
        const auto away = host.command("mail test", {"ada@example.org"});

        REQUIRE(mailer.sent().size() == 1);
        CHECK(mailer.sent().front().to == "ada@example.org");
        CHECK(refused.code == 1);
        CHECK(refused.err == "refused for good\n");
        CHECK(away.code == 1);
        CHECK(away.err == "relay away\n");
        CHECK(host.command("mail test").code == 2);
    }

    TEST_CASE("a rule's mail is queued as it was planned and sent by its queue") {
        FixtureHost host{radd::testing::linked_manifest()};
        radd::testing::FakeMailer mailer;
        host.services().offer<radd::Mailer>(mailer);
        const auto manifest = radd::testing::linked_manifest();
        const auto& action = manifest.actions.at(0);
        radd::testing::FakeTransaction tx;
        radd::json arguments{{"to", "ada@example.org"}, {"subject", "Lens"}, {"text", "It broke"}};

        const auto plan = action.plan(tx, host.services(), {.arguments = arguments});
        CHECK(plan.summary == "mail ada@example.org: Lens");
        CHECK(plan.has_effect);
        action.apply(tx, host.services(), plan);
        const auto& queued = host.services().queues.find("mail.rules").queued();
        REQUIRE(queued.size() == 1);
        CHECK(radd::json::parse(queued[0].payload.text()) == arguments);

        const auto& queue = manifest.delivery_queues.at(0);
        CHECK(queue.name == "mail.rules");
        const auto post = queue.make(host.services());
        const radd::Delivery delivery{
            .uid = "7", .lane = queued[0].lane, .payload_text = queued[0].payload.text()};
        using Outcome = radd::AttemptResult::Outcome;
        CHECK(post->attempt(delivery).outcome == Outcome::delivered);
        CHECK(mailer.sent().at(0).text == "It broke");
        CHECK(mailer.sent().at(0).idempotency_key == "mail.rules/7");
        mailer.fail_next(radd::MailRefused{"550"});
        CHECK(post->attempt(delivery).outcome == Outcome::dead);
        mailer.fail_next(radd::MailDeferred{"450"});
        CHECK(post->attempt(delivery).outcome == Outcome::failed);
        mailer.fail_next(radd::Unavailable{"relay away"});
        CHECK_THROWS_AS((void)post->attempt(delivery), radd::Unavailable);

        arguments["to"] = "ada";
        CHECK_THROWS_AS((void)action.plan(tx, host.services(), {.arguments = arguments}),
                        radd::InvalidInput);
    }

    TEST_CASE("two test mails are two mails") {
        FixtureHost host{radd::testing::linked_manifest()};
        radd::testing::FakeMailer mailer;
        host.services().offer<radd::Mailer>(mailer);

        (void)host.command("mail test", {"ada@example.org"});
        (void)host.command("mail test", {"ada@example.org"});

        CHECK(mailer.sent().at(0).idempotency_key != mailer.sent().at(1).idempotency_key);
    }
}
