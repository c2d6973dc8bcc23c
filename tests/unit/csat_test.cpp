#include <set>
#include <string>

#include <doctest/doctest.h>

#include "csat_bench.hpp"
#include <plugins/csat/surveys.hpp>

using namespace csat_bench;

TEST_SUITE("csat sender") {
    TEST_CASE_FIXTURE(Bench, "an item that becomes done is asked about by mail") {
        host.append(a_resolution(42));

        host.run();

        REQUIRE(mailer.sent().size() == 1);
        const auto& mail = mailer.sent().front();
        CHECK(mail.to == "ada@example.org");
        CHECK(mail.to_name == "Ada");
        CHECK(mail.subject == "How did we do? DEMO-42: Printer");
        CHECK(mail.idempotency_key == "csat.requested/42");
    }

    TEST_CASE_FIXTURE(Bench, "the link in the mail holds the token that was stored") {
        host.append(a_resolution(42));

        host.run();

        const auto token = host.tx().statements().front().params.at(1).value();
        CHECK(token.size() == 43);
        CHECK(mailer.sent().at(0).text.find("https://radd.example/csat/" + token + "\n") !=
              std::string::npos);
    }

    TEST_CASE_FIXTURE(Bench, "the request is an event about the item and by nobody") {
        host.append(a_resolution(42));

        host.run();

        REQUIRE(host.stream().size() == 2);
        const auto& event = host.stream().back();
        CHECK(event.is(CsatEvent::requested));
        CHECK(event.about(ItemEntity::item));
        CHECK(event.entity_id == "42");
        CHECK(event.project_id == 7);
        CHECK_FALSE(event.actor_id.has_value());
        CHECK(host.lag(sender) == 0);
    }

    TEST_CASE_FIXTURE(Bench, "an item is asked about once in its life") {
        host.append(a_resolution(42));
        host.append(a_move(42, state("done"), state("todo")));
        host.append(a_resolution(42));

        host.run();

        CHECK(asked() == Subjects{"How did we do? DEMO-42: Printer"});
    }

    TEST_CASE_FIXTURE(Bench, "only a move from elsewhere into done asks") {
        host.append(a_move(1, state("todo"), state("doing")));
        host.append(a_move(2, state("done"), state("doing")));
        host.append(a_move(3, state("done"), state("done")));
        host.append(an_event{ItemEvent::updated}
                        .about(ItemEntity::item, 4)
                        .changed("title", state("doing"), state("done")));
        host.append(an_event{ItemEvent::created}
                        .about(ItemEntity::item, 5)
                        .changed("state", state("doing"), state("done")));

        host.run();

        CHECK(statements() == 0);
        CHECK(mailer.attempts() == 0);
    }

    // P17
    TEST_CASE_FIXTURE(Bench, "a malformed difference asks nobody and stops nothing") {
        for (const char* changes : {"7",
                                    "{}",
                                    "[7]",
                                    "[{}]",
                                    R"([{"field": 7}])",
                                    R"([{"field": "state"}])",
                                    R"([{"field": "state", "from": 1, "to": 2}])",
                                    R"([{"field": "state", "from": {}, "to": {}}])",
                                    R"([{"field": "state", "from": {"category": 1},
                                         "to": {"category": "done"}}])",
                                    "no json"})
            host.append(
                an_event{ItemEvent::updated}.about(ItemEntity::item, 1).with_changes(changes));
        host.append(an_event::of_unknown_type("items.gone").about(ItemEntity::item, 1));

        host.run();

        CHECK(host.skipped().empty());
        CHECK(statements() == 0);
        CHECK(host.lag(sender) == 0);
    }

    TEST_CASE_FIXTURE(Bench, "a bulk import asks nobody") {
        host.append(a_resolution(42).silent());

        host.run();

        CHECK(statements() == 0);
        CHECK(host.lag(sender) == 0);
    }

    TEST_CASE("what was done before the plugin was switched on is not asked about") {
        FixtureHost host{radd::testing::linked_manifest()};
        radd::testing::FakeMailer mailer;
        host.services().offer<radd::Mailer>(mailer);
        host.append(a_resolution(42));

        host.start();
        host.run();

        CHECK(host.cursor(sender) == host.head());
        CHECK(mailer.attempts() == 0);
    }

    TEST_CASE_FIXTURE(Bench, "a survey that could not be mailed is lost and no other one") {
        mailer.fail_next(radd::Unavailable{"relay away"});
        host.append(a_resolution(1));
        host.append(a_resolution(2));

        host.run();

        CHECK(asked() == Subjects{"How did we do? DEMO-2: Printer"});
        REQUIRE(host.lost().size() == 1);
        CHECK(host.lost().front().event_id == 1);
    }

    // P15: (a) and (b)
    TEST_CASE_FIXTURE(Bench, "a host that dies before the commit asks once afterwards") {
        host.append(a_resolution(42));

        host.die(sender, FixtureHost::Death::before_commit);
        surveyed.clear();  // As the rollback does.
        host.run();

        CHECK(mailer.attempts() == 1);
    }

    // P15: (c)
    TEST_CASE_FIXTURE(Bench, "a host that dies after the commit asks nobody afterwards") {
        host.append(a_resolution(42));

        host.die(sender, FixtureHost::Death::before_delivery);
        host.run();

        CHECK(mailer.attempts() == 0);
        CHECK(host.stream().back().is(CsatEvent::requested));
    }

    TEST_CASE_FIXTURE(Bench, "an event that failed is skipped alone and can be planned again") {
        bool broken = true;
        host.tx().when("INSERT INTO csat.surveys", [&](const Statement& statement) {
            if (broken && statement.params.at(0) == "1") throw radd::SqlError{"42P01", "no table"};
            return asked_row("1", "1");
        });
        const auto failing = host.append(a_resolution(1));
        host.append(a_resolution(2));
        host.run();
        REQUIRE(host.skipped().size() == 1);
        REQUIRE(mailer.sent().size() == 1);

        broken = false;
        CHECK(host.retry(sender, failing));

        CHECK(mailer.sent().size() == 2);
        CHECK(host.skipped().empty());
    }
}

TEST_SUITE("csat token") {
    TEST_CASE("a token is 43 digits of base64url and no two are alike") {
        radd::testing::FakeRandom random;
        std::set<std::string> tokens;
        for (int i = 0; i < 1000; ++i) tokens.insert(csat::make_token(random));

        CHECK(tokens.size() == 1000);
        for (const auto& token : tokens) {
            CHECK(token.size() == 43);
            CHECK(token.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                          "0123456789-_") == std::string::npos);
        }
    }

    TEST_CASE("every digit of a token depends on chance") {
        radd::testing::FakeRandom zeros;
        radd::testing::FakeRandom ones;
        for (int i = 0; i < 5; ++i) {
            zeros.queue(0);
            ones.queue(~std::uint64_t{0});
        }

        CHECK(csat::make_token(zeros) == std::string(43, 'A'));
        CHECK(csat::make_token(ones) == std::string(43, '_'));
    }
}

TEST_SUITE("csat answer") {
    TEST_CASE_FIXTURE(Bench, "an answer is recorded and is an event by nobody") {
        host.tx().answer(rows({"item_id", "project_id"}, {{"42", "7"}}));

        const auto result = host.command("csat answer", {"token", "5", "Grand"});

        CHECK(result.code == 0);
        REQUIRE(host.stream().size() == 1);
        const auto& event = host.stream().front();
        CHECK(event.is(CsatEvent::responded));
        CHECK(event.entity_id == "42");
        CHECK(event.project_id == 7);
        CHECK_FALSE(event.actor_id.has_value());
        CHECK(event.payload() == radd::json{{"score", 5}, {"comment", "Grand"}});
    }

    TEST_CASE_FIXTURE(Bench, "a second answer changes nothing and says so") {
        host.tx().answer(rows({"item_id", "project_id"}, {}));
        host.tx().answer(rows({"item_id"}, {{"42"}}));

        const auto result = host.command("csat answer", {"token", "5"});

        CHECK(result.code == 1);
        CHECK(result.err.find("answered before") != std::string::npos);
        CHECK(host.stream().empty());
    }

    TEST_CASE_FIXTURE(Bench, "an unknown token changes nothing and says so") {
        host.tx().answer(rows({"item_id", "project_id"}, {}));
        host.tx().answer(rows({"item_id"}, {}));

        const auto result = host.command("csat answer", {"token", "5"});

        CHECK(result.code == 1);
        CHECK(result.err.find("no survey has this token") != std::string::npos);
    }

    TEST_CASE_FIXTURE(Bench, "a score is a whole number from 1 to 5") {
        for (const char* score : {"0", "6", "-1", "3.5", "five", "", "5 "}) {
            const auto result = host.command("csat answer", {"token", score});
            CHECK(result.code == 1);
            CHECK(result.err.starts_with("score: "));
        }
        for (const char* score : {"1", "5"}) {
            host.tx().answer(rows({"item_id", "project_id"}, {{"42", "7"}}));
            CHECK(host.command("csat answer", {"token", score}).code == 0);
        }
    }

    TEST_CASE_FIXTURE(Bench, "a comment is measured in characters") {
        std::string fits;
        for (std::size_t i = 0; i < csat::comment_length_max; ++i) fits += "ж";
        host.tx().answer(rows({"item_id", "project_id"}, {{"42", "7"}}));

        CHECK(host.command("csat answer", {"token", "5", fits}).code == 0);
        CHECK(host.command("csat answer", {"token", "5", fits + "x"}).code == 1);
    }
}

TEST_SUITE("csat commands") {
    TEST_CASE_FIXTURE(Bench, "surveys are switched on and off by the key of a project") {
        host.tx().when("FROM items.projects", [](const Statement& statement) {
            return statement.params.at(0) == "DEMO" ? rows({"id"}, {{"7"}}) : rows({"id"}, {});
        });
        host.tx().answer(1);
        CHECK(host.command("csat enable", {"DEMO"}).code == 0);
        CHECK(host.tx().count("INSERT INTO csat.projects") == 1);

        host.tx().answer(1);
        CHECK(host.command("csat disable", {"DEMO"}).code == 0);
        CHECK(host.tx().count("DELETE FROM csat.projects") == 1);

        const auto unknown = host.command("csat enable", {"NONE"});
        CHECK(unknown.code == 1);
        CHECK(unknown.err.find("'NONE'") != std::string::npos);
    }

    TEST_CASE_FIXTURE(Bench, "the list is lines for people and JSON for machines") {
        const auto surveys = rows(
            {"item_id",
             "key",
             "title",
             "requested_at",
             "unsent_since",
             "score",
             "comment",
             "responded_at"},
            {{"3", "DEMO-3", "C", "2026-01-03", std::nullopt, "5", "Grand\n\x1b[2J", "2026-01-04"},
             {"2",
              "DEMO-2",
              "B",
              "2026-01-02",
              "2026-01-02",
              std::nullopt,
              std::nullopt,
              std::nullopt},
             {"1",
              "DEMO-1",
              "A",
              "2026-01-01",
              std::nullopt,
              std::nullopt,
              std::nullopt,
              std::nullopt}});
        host.tx().answer(surveys);
        CHECK(host.command("csat list").out ==
              "DEMO-3\t2026-01-03\t5\tGrand\\n\\x1b[2J\n"
              "DEMO-2\t2026-01-02\tunsent\t\n"
              "DEMO-1\t2026-01-01\t-\t\n");

        host.tx().answer(surveys);
        const auto list = radd::json::parse(host.command("csat list", {}, true).out);
        CHECK(list.at(0).at("score") == 5);
        CHECK(list.at(0).at("comment") == "Grand\n\x1b[2J");
        CHECK(list.at(0).at("unsent_since").is_null());
        CHECK(list.at(1).at("unsent_since") == "2026-01-02");
        CHECK(list.at(2).at("item") == radd::json{{"id", 1}, {"key", "DEMO-1"}, {"title", "A"}});
        CHECK(list.at(2).at("score").is_null());
    }

    TEST_CASE_FIXTURE(Bench, "arguments too few or too many are wrong usage") {
        CHECK(host.command("csat enable").code == 2);
        CHECK(host.command("csat disable", {"A", "B"}).code == 2);
        CHECK(host.command("csat answer", {"token"}).code == 2);
        CHECK(host.command("csat answer", {"token", "5", "a", "b"}).code == 2);
        CHECK(host.command("csat list", {"x"}).code == 2);
    }
}
