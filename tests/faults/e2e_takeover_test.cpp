// Two hosts on one database, seen from outside.

#include <memory>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <signal.h>
#include <tests/support/radd_process.hpp>
#include <tests/support/smtp.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;
using namespace std::chrono_literals;

namespace {

struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} {
        ship();
        install_chores();
        declare("mail",
                "settings:\n  host: 127.0.0.1\n  port: " + std::to_string(relay.port()) +
                    "\n  from_address: desk@example.org\n");
        Installation::set("RADD_CONSUMERS_LEASE", "1s");
        must({"migrate"});
    }

    /// The pid in an owner such as `host:4711:0a1b2c3d`.
    [[nodiscard]] int owner_of(const std::string& consumer_name) const {
        const auto owner = consumer(consumer_name).at("owner");
        if (owner.is_null()) return 0;
        const auto text = owner.get<std::string>();
        const auto last = text.rfind(':');
        return std::stoi(text.substr(text.rfind(':', last - 1) + 1));
    }
    [[nodiscard]] bool comes_to(const std::string& consumer_name, const Process& host) const {
        return eventually([&] { return owner_of(consumer_name) == host.pid(); });
    }
    [[nodiscard]] std::string done_count() { return value("SELECT count(*) FROM chores.done"); }

    SmtpServer relay;
};

std::set<std::string> subjects_of(const std::vector<ReceivedMail>& mails) {
    std::set<std::string> subjects;
    for (const auto& mail : mails) subjects.insert(mail.header("Subject").at(0));
    return subjects;
}

}  // namespace

TEST_SUITE("two hosts") {
    // P12
    TEST_CASE_FIXTURE(Scene, "share the consumers and each has one owner") {
        set("RADD_CONSUMERS_LEASE", "10s");
        const auto first = serve();
        REQUIRE(comes_to("csat.sender", *first));
        const auto second = serve();

        for (const auto& one : must({"consumers", "list", "--json"}).json())
            CHECK(one.at("state") == "ok");
        CHECK(owner_of("csat.sender") == first->pid());
        for (int i = 0; i < 10; ++i)
            must({"events", "emit", "chores.asked", "chore", std::to_string(i)});
        CHECK(eventually([&] { return done_count() == "10"; }));
        CHECK(eventually([&] { return is_settled(); }));
        CHECK(done_count() == "10");
    }

    // P14
    TEST_CASE_FIXTURE(Scene, "hand over at once when one is stopped") {
        set("RADD_CONSUMERS_LEASE", "60s");
        auto first = serve();
        REQUIRE(comes_to("chores.doer", *first));
        const auto second = serve();

        first->signal(SIGTERM);
        CHECK(first->wait() == 0);

        CHECK(comes_to("chores.doer", *second));
        CHECK(comes_to("csat.sender", *second));
        must({"events", "emit", "chores.asked", "chore", "1"});
        CHECK(eventually([&] { return done_count() == "1"; }));
    }

    // P12 P13 P15
    TEST_CASE_FIXTURE(Scene, "mail each survey at most once while one of them is killed") {
        constexpr int items = 20;
        constexpr int killed_at = 10;
        auto first = serve();
        REQUIRE(comes_to("csat.sender", *first));
        const auto second = serve();
        must({"project", "add", "DESK", "Desk"});
        must({"csat", "enable", "DESK"});
        for (int i = 1; i <= items; ++i)
            must({"item", "add", "DESK", "Lamp " + std::to_string(i), "contact=ada@example.org"});

        for (int i = 1; i <= items; ++i) {
            must({"item", "update", "DESK-" + std::to_string(i), "state=Done"});
            if (i == killed_at) first->signal(SIGKILL);
        }

        CHECK(first->wait() == 128 + SIGKILL);
        CHECK(comes_to("csat.sender", *second));
        REQUIRE(eventually([&] { return is_settled(); }));
        CHECK(value("SELECT count(*) FROM csat.surveys") == std::to_string(items));
        CHECK(value("SELECT count(*) FROM radd.events WHERE event_type = 'csat.requested'") ==
              std::to_string(items));
        const auto mails = relay.mails();
        CHECK(mails.size() <= items);
        // What the killed host had committed and not sent is lost, and no more than one batch.
        CHECK(mails.size() >= items - killed_at);
        CHECK(subjects_of(mails).size() == mails.size());
    }

    // P12
    TEST_CASE_FIXTURE(Scene, "take over from a killed one within its lease and do nothing twice") {
        auto first = serve();
        REQUIRE(comes_to("chores.doer", *first));
        const auto second = serve();
        for (int i = 0; i < 5; ++i)
            must({"events", "emit", "chores.asked", "chore", std::to_string(i)});

        first->signal(SIGKILL);
        CHECK(first->wait() == 128 + SIGKILL);

        // The lease, a few heartbeats and a loaded machine.
        CHECK(eventually([&] { return owner_of("chores.doer") == second->pid(); }));
        must({"events", "emit", "chores.asked", "chore", "last"});
        CHECK(eventually([&] { return done_count() == "6"; }));
        CHECK(eventually([&] { return is_settled(); }));
        CHECK(value("SELECT count(DISTINCT event_id) FROM chores.done") == "6");
        CHECK(done_count() == "6");
        CHECK(consumer("chores.doer").at("handled_count") == 6);
    }
}
