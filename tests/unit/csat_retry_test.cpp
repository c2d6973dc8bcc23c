// What becomes of a survey whose mail failed, when an operator has it planned again.

#include <string>

#include <doctest/doctest.h>

#include "csat_bench.hpp"

using namespace csat_bench;

TEST_SUITE("csat retry") {
    TEST_CASE_FIXTURE(Bench, "a survey that is known unsent is mailed once when it is retried") {
        mailer.fail_next(radd::Unavailable{"relay away"});
        const auto id = host.append(a_resolution(42));
        host.run();
        REQUIRE(host.lost().size() == 1);
        const auto first_token = surveyed.at("42");

        CHECK(host.retry(sender, id));

        REQUIRE(mailer.sent().size() == 1);
        CHECK(surveyed.at("42") != first_token);
        CHECK(mailer.sent().front().text.find(surveyed.at("42")) != std::string::npos);
        CHECK(mailer.sent().front().idempotency_key == "csat.requested/42");
        CHECK(requests_emitted() == 1);
        CHECK(host.lost().empty());
    }

    TEST_CASE_FIXTURE(Bench, "a retry that fails as well can be retried") {
        mailer.fail_next(radd::MailRefused{"550"}, 2);
        const auto id = host.append(a_resolution(42));
        host.run();

        CHECK(host.retry(sender, id));
        REQUIRE(host.lost().size() == 1);
        CHECK(host.retry(sender, id));

        CHECK(mailer.sent().size() == 1);
        CHECK(requests_emitted() == 1);
        CHECK(host.lost().empty());
    }

    TEST_CASE_FIXTURE(Bench, "a survey that was mailed by a retry is not mailed again") {
        mailer.fail_next(radd::Unavailable{"relay away"});
        const auto id = host.append(a_resolution(42));
        host.run();
        REQUIRE(host.retry(sender, id));

        host.append(a_resolution(42));
        host.run();

        CHECK(mailer.sent().size() == 1);
    }

    TEST_CASE_FIXTURE(Bench, "a survey that may have gone out is not mailed again by a retry") {
        mailer.fail_next(radd::MailUnconfirmed{"no answer"});
        const auto id = host.append(a_resolution(42));
        host.run();
        REQUIRE(host.lost().size() == 1);

        CHECK(host.retry(sender, id));

        CHECK(mailer.attempts() == 1);
        CHECK(unsent.empty());
    }

    TEST_CASE_FIXTURE(Bench, "a survey that cannot be marked keeps its error and is not mailed") {
        host.tx().when("SET unsent_since = now()", [](const Statement&) -> radd::Rows {
            throw radd::Unavailable{"no session"};
        });
        mailer.fail_next(radd::Unavailable{"relay away"});
        const auto id = host.append(a_resolution(42));
        host.run();
        REQUIRE(host.lost().size() == 1);
        CHECK(host.lost().front().error == "relay away");
        CHECK(
            host.services().lines.contains("survey of item 42: could not be marked as unsent, no "
                                           "session; a retry will not mail it"));

        CHECK(host.retry(sender, id));

        CHECK(mailer.attempts() == 1);
    }
}
