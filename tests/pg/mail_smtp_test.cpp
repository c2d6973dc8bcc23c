// Mails through a real relay: what it was told, what it got, and what its answers become.

#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <plugins/mail/smtp.hpp>
#include <radd/testing/services.hpp>
#include <tests/support/smtp.hpp>

using namespace std::chrono_literals;
using radd::testing::Certificate;
using radd::testing::SmtpServer;

namespace {

constexpr std::string_view secret = "correct horse";

std::string repeated(std::string_view text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

radd::Mail a_mail(std::string to = "ada@example.org") {
    return {
        .to = std::move(to), .subject = "Printer", .text = "Hello\n", .idempotency_key = "test/1"};
}

/// A mailer towards a relay, made at each call so that a test may change its settings.
struct Bench {
    radd::testing::FakeClock clock;
    mail::Relay relay{.host = "127.0.0.1", .port = 1, .security = mail::Security::none};
    mail::Sender sender{.address = "desk@example.com", .name = "Service desk"};

    void towards(const SmtpServer& server) { relay.port = server.port(); }
    [[nodiscard]] mail::SmtpMailer mailer() const { return {relay, sender, clock}; }

    /// Whether sending fails such that the mail may arrive.
    [[nodiscard]] bool may_have_it(const radd::Mail& mail) const {
        try {
            mailer().send(mail);
        } catch (const radd::MailUnconfirmed&) {
            return true;
        } catch (const radd::Unavailable&) {
            return false;
        }
        FAIL("the mail was taken");
        return true;
    }

    /// The message of what sending throws, which must be an `Error`.
    template <typename Error>
    [[nodiscard]] std::string refusal(const radd::Mail& mail) const {
        try {
            mailer().send(mail);
            FAIL("the mail was taken");
        } catch (const Error& error) {
            return error.what();
        }
        return {};
    }
};

bool holds(std::string_view text, std::string_view fragment) {
    return text.find(fragment) != std::string_view::npos;
}

using Values = std::vector<std::string>;

}  // namespace

TEST_SUITE("mail through a relay") {
    TEST_CASE_FIXTURE(Bench, "a mail arrives once with its envelope and its headers") {
        const SmtpServer server;
        towards(server);

        mailer().send(a_mail());

        const auto mails = server.mails();
        REQUIRE(mails.size() == 1);
        const auto& mail = mails.front();
        CHECK(mail.from == "desk@example.com");
        CHECK(mail.to == Values{"ada@example.org"});
        CHECK(mail.header("From") == Values{"Service desk <desk@example.com>"});
        CHECK(mail.header("To") == Values{"ada@example.org"});
        CHECK(mail.header("Subject") == Values{"Printer"});
        CHECK(mail.header("Auto-Submitted") == Values{"auto-generated"});
        CHECK(mail.header("Date") == Values{"Thu, 01 Jan 2026 12:00:00 +0000"});
        CHECK(mail.body == "Hello\n");
        CHECK(mail.defects.empty());
    }

    // P33
    TEST_CASE_FIXTURE(Bench, "no text adds a header or a recipient or a long line") {
        const SmtpServer server;
        towards(server);
        auto mail = a_mail();
        mail.subject = "Printer\r\nBcc: mallory@evil.example\r\n\r\n<b>hi\r\u2028end";
        mail.to_name = "A\nX-Evil: 1";
        mail.text = "before\n.\nafter\n" + repeated("x", 3000) + "\n..\n";

        mailer().send(mail);

        const auto mails = server.mails();
        REQUIRE(mails.size() == 1);
        const auto& got = mails.front();
        CHECK(got.to == Values{"ada@example.org"});
        CHECK(got.header("Subject") == Values{"Printer Bcc: mallory@evil.example  <b>hi  end"});
        CHECK(got.header("To") == Values{"\"A X-Evil: 1\" <ada@example.org>"});
        CHECK(got.header("Bcc").empty());
        CHECK(got.header("X-Evil").empty());
        CHECK(got.headers.size() == 9);
        CHECK(got.body == mail.text);
        CHECK(got.line_bytes_max <= 81);
        CHECK(got.bare_line_ends == 0);
        CHECK(got.is_ascii);
    }

    // P33
    TEST_CASE_FIXTURE(Bench, "an address with more than an address is refused without contact") {
        const SmtpServer server;
        towards(server);

        CHECK_THROWS_AS(mailer().send(a_mail("u@h.example\r\nRCPT TO:<m@evil.example>")),
                        radd::InvalidInput);

        CHECK(server.mails().empty());
    }

    // P34
    TEST_CASE_FIXTURE(Bench, "every title reads at the other end as it was written") {
        const SmtpServer server;
        towards(server);
        const Values titles{repeated("😀", 40),
                            repeated("ж", 200),
                            "=?UTF-8?B?WA==?=",
                            repeated("x", 1000),
                            "\u05E9\u05DC\u05D5\u05DD a \u0645\u0631\u062D\u0628\u0627",
                            repeated("many plain words ", 30) + "end"};

        for (const auto& title : titles) {
            auto mail = a_mail();
            mail.subject = title;
            mail.to_name = title;
            mailer().send(mail);
        }

        const auto mails = server.mails();
        REQUIRE(mails.size() == titles.size());
        for (std::size_t i = 0; i < titles.size(); ++i) {
            CAPTURE(titles[i]);
            CHECK(mails[i].header("Subject") == Values{titles[i]});
            CHECK(holds(mails[i].header("To").at(0), titles[i]));
            CHECK(mails[i].line_bytes_max <= 81);
            CHECK(mails[i].defects.empty());
        }
    }

    // P34
    TEST_CASE_FIXTURE(Bench, "an empty title has a placeholder") {
        const SmtpServer server;
        towards(server);
        auto mail = a_mail();
        mail.subject = "";

        mailer().send(mail);

        CHECK(server.mails().at(0).header("Subject") == Values{"(no subject)"});
    }

    // P22
    TEST_CASE_FIXTURE(Bench, "an emoji arrives whole and half of one is replaced") {
        const SmtpServer server;
        towards(server);
        auto mail = a_mail();
        mail.text = "\xF0\x9F\x98\x80 \xED\xA0\xBD \xFF\n";

        mailer().send(mail);

        CHECK(server.mails().at(0).body == "😀 \uFFFD\uFFFD\uFFFD \uFFFD\n");
    }

    // P15: (f)
    TEST_CASE_FIXTURE(Bench, "a mail that is sent twice has the same id and another has its own") {
        const SmtpServer server;
        towards(server);
        auto other = a_mail();
        other.idempotency_key = "test/2";

        mailer().send(a_mail());
        clock.advance(60s);
        mailer().send(a_mail());
        mailer().send(other);

        const auto mails = server.mails();
        const auto id = mails.at(0).header("Message-ID");
        CHECK(mails.at(1).header("Message-ID") == id);
        CHECK(mails.at(2).header("Message-ID") != id);
    }

    TEST_CASE_FIXTURE(Bench, "threads send through one mailer at once") {
        const SmtpServer server;
        towards(server);
        auto shared = mailer();
        std::vector<std::jthread> threads;
        for (int i = 0; i < 8; ++i) threads.emplace_back([&] { shared.send(a_mail()); });
        threads.clear();  // Joins them.

        CHECK(server.mails().size() == 8);
    }
}

TEST_SUITE("mail refused by a relay") {
    // P35
    TEST_CASE_FIXTURE(Bench, "a refusal for good is told from one for the moment") {
        const SmtpServer server;
        towards(server);

        CHECK(holds(refusal<radd::MailRefused>(a_mail("rcpt-550@example.org")), "550"));
        CHECK(holds(refusal<radd::MailRefused>(a_mail("data-552@example.org")), "552"));
        CHECK(holds(refusal<radd::MailDeferred>(a_mail("rcpt-451@example.org")), "451"));
        CHECK(holds(refusal<radd::MailDeferred>(a_mail("data-452@example.org")), "452"));

        mailer().send(a_mail());
        CHECK(server.mails().size() == 1);
    }

    // P35
    TEST_CASE_FIXTURE(Bench, "a relay that greets with a refusal is away and the mail is not bad") {
        for (const char* code : {"421", "554"}) {
            const SmtpServer server{{"--greeting", code}};
            towards(server);

            CHECK(holds(refusal<radd::Unavailable>(a_mail()), code));
        }
    }

    // P35
    TEST_CASE_FIXTURE(Bench, "a connection that breaks or is refused is no refusal of the mail") {
        {
            const SmtpServer server;
            towards(server);
            (void)refusal<radd::MailUnconfirmed>(a_mail("drop@example.org"));
        }
        CHECK(holds(refusal<radd::Unavailable>(a_mail()), std::to_string(relay.port)));
        CHECK_FALSE(may_have_it(a_mail()));
    }

    TEST_CASE_FIXTURE(Bench, "a relay that refused a mail is known not to have it") {
        const SmtpServer server;
        towards(server);

        for (const char* to : {"rcpt-451@example.org", "data-452@example.org"})
            CHECK_FALSE(may_have_it(a_mail(to)));
        CHECK(may_have_it(a_mail("drop@example.org")));
    }

    TEST_CASE_FIXTURE(Bench, "no message repeats an address even where the relay did") {
        const SmtpServer server;
        towards(server);

        for (const auto& message : {refusal<radd::MailRefused>(a_mail("rcpt-550@example.org")),
                                    refusal<radd::MailRefused>(a_mail("data-550@example.org")),
                                    refusal<radd::Unavailable>(a_mail("rcpt-450@example.org")),
                                    refusal<radd::Unavailable>(a_mail("drop@example.org"))})
            CHECK_FALSE(holds(message, "example"));
    }

    TEST_CASE_FIXTURE(Bench, "a relay that never says goodbye has the mail all the same") {
        const SmtpServer server{{"--mute-quit"}};
        towards(server);
        relay.timeout = 3s;

        const auto begin = std::chrono::steady_clock::now();
        mailer().send(a_mail());

        CHECK(server.mails().size() == 1);
        CHECK(std::chrono::steady_clock::now() - begin < 20s);
    }
}

TEST_SUITE("mail over TLS") {
    TEST_CASE_FIXTURE(Bench, "a trusted relay gets the mail under STARTTLS and under TLS") {
        const Certificate certificate;
        relay.ca_file = certificate.file();
        for (const auto& [option, security] : {std::pair{"--starttls", mail::Security::starttls},
                                               std::pair{"--tls", mail::Security::tls}}) {
            const SmtpServer server{{option, certificate.file(), certificate.key_file()}};
            towards(server);
            relay.security = security;

            mailer().send(a_mail());

            CHECK(server.mails().size() == 1);
        }
    }

    TEST_CASE_FIXTURE(Bench, "an untrusted or misnamed relay gets nothing") {
        const Certificate certificate;
        const Certificate other;
        const SmtpServer server{{"--starttls", certificate.file(), certificate.key_file()}};
        towards(server);
        relay.security = mail::Security::starttls;

        relay.ca_file = other.file();
        (void)refusal<radd::Unavailable>(a_mail());
        relay.ca_file = certificate.file();
        relay.host = "127.0.0.2";
        (void)refusal<radd::Unavailable>(a_mail());

        CHECK(server.mails().empty());
    }

    TEST_CASE_FIXTURE(Bench, "a relay without STARTTLS gets nothing when it is asked for") {
        const SmtpServer server;
        towards(server);
        relay.security = mail::Security::starttls;

        CHECK(holds(refusal<radd::Unavailable>(a_mail()), "STARTTLS"));

        CHECK(server.mails().empty());
    }

    TEST_CASE_FIXTURE(Bench, "a login is used and a wrong one is the relay's and not the mail's") {
        const Certificate certificate;
        const SmtpServer server{{"--starttls",
                                 certificate.file(),
                                 certificate.key_file(),
                                 "--auth",
                                 "desk",
                                 std::string{secret}}};
        towards(server);
        relay.security = mail::Security::starttls;
        relay.ca_file = certificate.file();
        relay.username = "desk";
        relay.password = secret;

        mailer().send(a_mail());
        CHECK(server.mails().size() == 1);

        relay.password = "another secret";
        const auto message = refusal<radd::Unavailable>(a_mail());
        CHECK(holds(message, "535"));
        CHECK_FALSE(holds(message, "secret"));
    }
}

TEST_SUITE("mail settings") {
    TEST_CASE_FIXTURE(Bench, "a relay that could never work is refused at the start") {
        relay.username = "desk";
        CHECK_THROWS_WITH_AS((void)mailer(), doctest::Contains("username"), radd::ConfigError);

        relay.username.clear();
        for (const char* host : {"", "a b", "smtp://h", "h/path", "u@h", "h:25x"}) {
            relay.host = host;
            CHECK_THROWS_WITH_AS((void)mailer(), doctest::Contains("host"), radd::ConfigError);
        }

        relay.host = "::1";
        CHECK_NOTHROW((void)mailer());
        sender.address = "Desk <desk@example.com>";
        CHECK_THROWS_WITH_AS((void)mailer(), doctest::Contains("from_address"), radd::ConfigError);
    }
}
