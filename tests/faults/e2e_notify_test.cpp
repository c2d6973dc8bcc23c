// Notices through the whole host: over a real relay, and over its death.

#include <chrono>
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

/// An item that Bob has reported, and somebody who comments on it.
struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} {
        for (const char* plugin : {"items", "mail", "notify"}) ship(plugin);
        declare("mail",
                "settings:\n  host: 127.0.0.1\n  port: " + std::to_string(relay.port()) +
                    "\n  from_address: desk@example.org\n");
        declare("notify", "settings:\n  mails_per_hour: 1000\n");
        Installation::set("RADD_CONSUMERS_LEASE", "1s");
        // A part of each Message-ID, and else made of the port, which changes with each start.
        Installation::set("RADD_PUBLIC_URL", "https://desk.example.org");
        must({"migrate"});
        bob = must({"account", "create", "--name", "bob", "--role", "member", "--json"})
                  .json()["account"]["id"];
        execute("INSERT INTO items.people (id, name, email) VALUES ('" + bob +
                "', 'Bob', 'bob@example.org')");
        execute("INSERT INTO items.projects (key, name) VALUES ('DEMO', 'Demo')");
        execute(
            "INSERT INTO items.items (project_id, number, key, type, title, state_id, reporter_id) "
            "SELECT 1, 1, 'DEMO-1', 'Task', 'Printer', 1, '" +
            bob + "'");
    }
    /// As an application does that is no plugin.
    void comment(int count = 1) {
        for (int i = 0; i < count; ++i)
            execute(
                "WITH c AS (INSERT INTO items.comments (item_id, body) VALUES (1, 'Hello') "
                "RETURNING id) INSERT INTO radd.events (event_type, entity_type, entity_id, "
                "payload) SELECT 'comment.created', 'comment', id::text, '{\"item\": {\"id\": 1}}' "
                "FROM c");
    }
    void rename(const std::string& title) { execute("UPDATE items.items SET title = " + title); }
    [[nodiscard]] std::string sent() {
        return value("SELECT count(*) FROM notify.notices WHERE mail_outcome = 'sent'");
    }

    SmtpServer relay;
    std::string bob;
};

std::set<std::string> ids_of(const std::vector<ReceivedMail>& mails) {
    std::set<std::string> ids;
    for (const auto& mail : mails) ids.insert(mail.header("Message-ID").at(0));
    return ids;
}

}  // namespace

TEST_SUITE("notices of a host") {
    TEST_CASE_FIXTURE(Scene, "are of what happens from the first start on") {
        comment(50);
        const auto host = serve();
        REQUIRE(eventually([&] { return is_settled(); }, 20s));
        CHECK(value("SELECT string_agg(reason, ' ') FROM notify.watches") == "reporter");
        CHECK(value("SELECT count(*) FROM notify.notices") == "0");

        comment();
        CHECK(eventually([&] { return sent() == "1"; }, 20s));
        CHECK(relay.mails().size() == 1);
    }

    // P33 and P34
    TEST_CASE_FIXTURE(Scene, "are mailed as they were written and add no header") {
        execute("UPDATE items.people SET name = E'Bob\\nX-Evil: 1'");
        const auto host = serve();
        REQUIRE(eventually([&] { return is_settled(); }));
        rename("E'Printer\\r\\nBcc: mallory@evil.example\\r\\n\\r\\n<b>hi'");
        comment();
        REQUIRE(eventually([&] { return sent() == "1"; }, 20s));
        rename("repeat('😀', 40)");
        comment();
        REQUIRE(eventually([&] { return sent() == "2"; }, 20s));

        const auto mails = relay.mails();
        REQUIRE(mails.size() == 2);
        for (const auto& mail : mails) {
            CHECK(mail.to == std::vector<std::string>{"bob@example.org"});
            CHECK(mail.header("Subject").size() == 1);
            CHECK(mail.header("Bcc").empty());
            CHECK(mail.header("X-Evil").empty());
            CHECK(mail.defects.empty());
            CHECK(mail.line_bytes_max <= 998);
            CHECK(mail.bare_line_ends == 0);
        }
        CHECK(mails[0].header("Subject")[0] == "[DEMO-1] Printer Bcc: mallory@evil.example  <b>hi");
        std::string title = "[DEMO-1] ";
        for (int i = 0; i < 40; ++i) title += "😀";
        CHECK(mails[1].header("Subject")[0] == title);
        CHECK(contains(mails[1].body, title.substr(9)));
    }

    // P15
    TEST_CASE_FIXTURE(Scene, "are made once each whenever the host is killed") {
        constexpr int kills = 4;
        constexpr int comments = 25;
        for (int killed = 0; killed < kills; ++killed) {
            CAPTURE(killed);
            auto host = serve();
            REQUIRE(eventually([&] { return consumer("notify.teller").at("state") != "unowned"; },
                               20s));
            comment(comments);
            // Somewhere on the way, further each time.
            const int told = killed * comments + 5 * killed;
            REQUIRE(eventually(
                [&] { return std::stoi(value("SELECT count(*) FROM notify.notices")) >= told; },
                20s));
            host->signal(SIGKILL);
            (void)host->wait();
        }
        const auto host = serve();
        const std::string all = std::to_string(kills * comments);
        CHECK(eventually([&] { return value("SELECT count(*) FROM notify.notices") == all; }, 20s));
        // What was under way is due again when its claim has passed, which nobody waits for here.
        execute(
            "UPDATE radd.deliveries SET next_attempt_at = now(), claimed_until = now() "
            "WHERE state = 'pending' AND claimed_until IS NOT NULL");
        CHECK(eventually([&] { return sent() == all; }, 30s));

        CHECK(value("SELECT count(DISTINCT event_id) FROM notify.notices") == all);
        CHECK(ids_of(relay.mails()).size() == kills * comments);
        CHECK(relay.mails().size() <= kills * comments + kills * 4);
        CHECK(value("SELECT count(*) FROM radd.skipped_events") == "0");
    }
}
