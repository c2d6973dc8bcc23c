#include <chrono>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include <radd/testing/services.hpp>

using namespace std::chrono_literals;

namespace {

radd::Mail a_mail(std::string to) {
    return {.to = std::move(to), .subject = "s", .text = "t", .idempotency_key = "k"};
}

class Greeting : public radd::Service {
public:
    static constexpr std::string_view service_name = "test.greeting";
    explicit Greeting(std::string words) : text{std::move(words)} {}
    std::string text;
};

}  // namespace

TEST_SUITE("fake clock") {
    TEST_CASE("both clocks stand still until they are moved") {
        radd::testing::FakeClock clock;
        const auto wall = clock.now();
        const auto steady = clock.steady_now();
        CHECK(clock.now() == wall);

        clock.advance(5s);
        CHECK(clock.now() == wall + 5s);
        CHECK(clock.steady_now() == steady + 5s);

        clock.set_wall(wall - 24h);
        CHECK(clock.now() == wall - 24h);
        CHECK(clock.steady_now() == steady + 5s);
    }
}

TEST_SUITE("fake random") {
    TEST_CASE("two sources give the same numbers and one source never the same twice") {
        radd::testing::FakeRandom first;
        radd::testing::FakeRandom second;
        std::set<std::uint64_t> seen;
        for (int i = 0; i < 100; ++i) {
            const auto bits = first.bits();
            CHECK(bits == second.bits());
            seen.insert(bits);
        }
        CHECK(seen.size() == 100);
    }

    TEST_CASE("what is queued comes first") {
        radd::testing::FakeRandom random;
        random.queue(7);
        random.queue(8);

        CHECK(random.bits() == 7);
        CHECK(random.bits() == 8);
        CHECK(random.bits() != 8);
    }
}

TEST_SUITE("fake mailer") {
    TEST_CASE("every mail is kept except those that were to fail") {
        radd::testing::FakeMailer mailer;
        mailer.fail_next(radd::MailRefused{"550"});
        mailer.fail_next(radd::Unavailable{"away"}, 2);

        CHECK_THROWS_AS(mailer.send(a_mail("a@b")), radd::MailRefused);
        CHECK_THROWS_AS(mailer.send(a_mail("a@b")), radd::Unavailable);
        CHECK_THROWS_AS(mailer.send(a_mail("a@b")), radd::Unavailable);
        mailer.send(a_mail("c@d"));

        CHECK(mailer.attempts() == 4);
        REQUIRE(mailer.sent().size() == 1);
        CHECK(mailer.sent().front().to == "c@d");
    }
}

TEST_SUITE("fake log") {
    TEST_CASE("lines are kept with their level") {
        radd::testing::FakeLog log;
        log.warn("csat: relay away");

        REQUIRE(log.lines().size() == 1);
        CHECK(log.lines().front().level == radd::LogLevel::warn);
        CHECK(log.contains("relay"));
        CHECK_FALSE(log.contains("database"));
    }
}

TEST_SUITE("fake settings") {
    TEST_CASE("a declared default holds until the test sets another value") {
        radd::testing::FakeSettings settings{{radd::integer("batch", 50, {1, 1000}),
                                              radd::duration("poll", 2s),
                                              radd::boolean("on", true),
                                              radd::choice("mode", "a", {"a", "b"}),
                                              radd::secret("key")}};
        CHECK(settings.integer("batch") == 50);
        CHECK(settings.duration("poll") == 2s);
        CHECK(settings.boolean("on"));
        CHECK(settings.text("mode") == "a");
        CHECK(settings.text("key").empty());

        settings.set("batch", "7");
        settings.set("poll", "250ms");
        settings.set("on", "false");
        CHECK(settings.integer("batch") == 7);
        CHECK(settings.duration("poll") == 250ms);
        CHECK_FALSE(settings.boolean("on"));
    }

    TEST_CASE("what the host would refuse is refused") {
        radd::testing::FakeSettings settings{
            {radd::integer("batch", 50, {1, 1000}), radd::required_text("host")}};

        CHECK_THROWS_AS((void)settings.integer("bach"), radd::ConfigError);
        CHECK_THROWS_AS((void)settings.text("batch"), radd::ConfigError);
        CHECK_THROWS_AS((void)settings.text("host"), radd::ConfigError);
        CHECK_THROWS_AS(settings.set("bach", "1"), radd::ConfigError);
        settings.set("batch", "many");
        CHECK_THROWS_AS((void)settings.integer("batch"), radd::ConfigError);
    }
}

TEST_SUITE("fake services") {
    TEST_CASE("a service is the one that was offered and made once") {
        radd::testing::FakeServices services;
        int made = 0;
        services.offer(radd::provide<Greeting>([&](radd::Services&) {
            ++made;
            return std::make_unique<Greeting>("made");
        }));
        CHECK(made == 0);
        CHECK(services.get<Greeting>().text == "made");
        CHECK(&services.get<Greeting>() == &services.get<Greeting>());
        CHECK(made == 1);

        Greeting lent{"lent"};
        services.offer(lent);
        CHECK(services.get<Greeting>().text == "lent");
    }

    TEST_CASE("a service that nobody offered is refused by name") {
        radd::testing::FakeServices services;

        CHECK_THROWS_WITH_AS(
            (void)services.get<Greeting>(), doctest::Contains("test.greeting"), radd::ConfigError);
    }
}
