// Commands that plugins bring: each of every plugin that ships, whichever they are.

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <host/cli/table.hpp>
#include <tests/support/http_receiver.hpp>
#include <tests/support/radd_process.hpp>
#include <tests/support/repeated_columns.hpp>
#include <tests/support/smtp.hpp>

using namespace radd::testing;
using nlohmann::json;

namespace {

using Words = std::vector<std::string>;

Words split(const std::string& text) {
    std::istringstream in{text};
    Words words;
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

void check_width(const std::string& page) {
    for (const auto& line : lines_of(page)) {
        CAPTURE(line);
        CHECK(radd::cli::width_of(line) <= 80);
        CHECK_FALSE(line.ends_with(' '));
    }
}

struct Shipped : Installation {
    Shipped() { ship_all(); }
    explicit Shipped(const TestDatabase& database) : Installation{database} { ship_all(); }

    /// Of every plugin that ships: "import jira".
    [[nodiscard]] std::set<std::string> commands() const {
        const auto page = must({"--help"}).out;
        const auto lines = lines_of(page.substr(page.find("\nCOMMANDS OF PLUGINS\n") + 1));
        std::set<std::string> found;
        for (std::size_t at = 1; at < lines.size(); ++at) {
            if (lines[at].find_first_not_of(' ') == 4) found.insert(lines[at].substr(4));
        }
        CHECK(found.size() > 35);
        return found;
    }

private:
    void ship_all() {
        for (const char* id :
             {"automations", "chat", "notify", "realtime", "search", "sla", "webhooks"})
            ship(id);
        ship();
    }
};

struct Desk : TestDatabase, Shipped {
    Desk() : Shipped{static_cast<TestDatabase&>(*this)} {
        declare("mail", "settings:\n  port: " + std::to_string(relay.port()) + "\n");
        write("secrets.keys", std::string(64, 'a') + "\n");
        set("RADD_SECRETS_KEY_FILE", path("secrets.keys").string());
        set("RADD_OUTBOUND_ALLOW", "127.0.0.0/8");
        write("jira.csv", repeated_columns);
        write("jira.json", R"({"issues": []})");
    }

    SmtpServer relay;
    HttpReceiver receiver;
};

/// One that succeeds of each command, in an order in which each finds what it needs.
std::vector<Words> calls(const std::string& url) {
    return {
        {"project", "add", "DEMO", "Demo"},
        {"person", "add", "Ada", "email=ada@example.org"},
        {"item", "add", "DEMO", "Printer", "reporter=ada@example.org"},
        {"item", "update", "DEMO-1", "title=Printer on fire"},
        {"item", "comment", "DEMO-1", "Thanks"},
        {"item", "show", "DEMO-1"},
        {"item", "list"},
        {"csat", "enable", "DEMO"},
        {"csat", "disable", "DEMO"},
        {"csat", "answer", "token", "5", "Thanks"},
        {"csat", "list"},
        {"mail", "test", "ada@example.org"},
        {"webhooks", "add", "told", url},
        {"webhooks", "list"},
        {"webhooks", "disable", "1"},
        {"webhooks", "enable", "1"},
        {"webhooks", "rotate", "1"},
        {"webhooks", "replay", "1"},
        {"webhooks", "remove", "1"},
        {"chat", "add", "room", url},
        {"chat", "rooms"},
        {"chat", "test", "1"},
        {"chat", "disable", "1"},
        {"chat", "enable", "1"},
        {"chat", "remove", "1"},
        {"automations",
         "add",
         "label",
         R"({"trigger": {"events": ["item.updated"]},
             "then": [{"action": "items.add_label", "arguments": {"label": "seen"}}]})"},
        {"automations", "list"},
        {"automations", "show", "label"},
        {"automations", "test", "label"},
        {"automations", "runs"},
        {"automations", "disable", "label"},
        {"automations", "enable", "label"},
        {"automations", "remove", "label"},
        {"notify", "mails"},
        {"notify", "replay"},
        {"search", "rebuild"},
        {"search", "verify"},
        {"search", "query", "Printer"},
        {"sla", "policies"},
        {"sla", "clocks"},
        {"sla", "check"},
        {"import", "jira", "jira.json"},
        {"import", "csv", "jira.csv"},
        {"import", "list"},
        {"import", "rollback", "1"},
        {"project", "delete", "DEMO", "with_items=true"},
    };
}

}  // namespace

TEST_SUITE("commands of plugins") {
    TEST_CASE_FIXTURE(Desk, "each prints one JSON text with --json") {
        std::set<std::string> tried;
        must({"migrate"});
        for (auto call : calls(receiver.url())) {
            tried.insert(call[0] + " " + call[1]);
            if (call[1] == "answer") {
                execute(
                    "INSERT INTO csat.surveys (item_id, token_hash) "
                    "SELECT id, sha256('token') FROM items.items");
            }
            call.emplace_back("--json");
            const auto ran = run(call);
            CAPTURE(call[0] + " " + call[1]);
            CAPTURE(ran.err);
            CHECK(ran.code == 0);
            CHECK_MESSAGE(json::accept(ran.out), ran.out);
        }

        // Whoever adds a command adds a call of it above.
        CHECK(tried == commands());
    }

    TEST_CASE_FIXTURE(Desk, "those that write say what is now true") {
        const auto told = [&](Words call) {
            call.emplace_back("--json");
            return must(call).json();
        };
        must({"project", "add", "DEMO", "Demo"});
        must({"webhooks", "add", "told", receiver.url()});
        must({"chat", "add", "room", receiver.url()});

        CHECK(told({"mail", "test", "ada@example.org"}) ==
              json{{"to", "ada@example.org"}, {"state", "sent"}});
        CHECK(relay.mails().size() == 1);
        CHECK(told({"csat", "enable", "DEMO"}) == json{{"project", "DEMO"}, {"enabled", true}});
        CHECK(told({"csat", "disable", "DEMO"}) == json{{"project", "DEMO"}, {"enabled", false}});
        for (const char* plugin : {"webhooks", "chat"}) {
            CHECK(told({plugin, "disable", "1"}) == json{{"id", 1}, {"enabled", false}});
            CHECK(told({plugin, "enable", "1"}) == json{{"id", 1}, {"enabled", true}});
            CHECK(told({plugin, "remove", "1"}) == json{{"id", 1}, {"removed", true}});
            const auto gone = run({plugin, "remove", "1", "--json"});
            CHECK(gone.code == 1);
            CHECK(gone.out.empty());
        }

        must({"item", "add", "DEMO", "Printer"});
        const auto kept = run({"project", "delete", "DEMO"});
        CHECK(kept.code == 1);
        CHECK(contains(kept.err, "DEMO has 1 item; with_items=true deletes what is in it"));
        CHECK(run({"project", "delete", "DEMO", "with_items=maybe"}).code == 2);
        CHECK(told({"project", "delete", "DEMO", "with_items=true"}) ==
              json{{"key", "DEMO"}, {"deleted", true}, {"deleted_items", 1}});
        CHECK(run({"project", "delete", "DEMO"}).code == 1);
    }

    TEST_CASE_FIXTURE(Shipped, "each has a manual page of 80 columns and so has radd") {
        check_width(must({"--help"}).out);
        for (const auto& command : commands()) {
            auto words = split(command);
            words.emplace_back("--help");
            const auto page = must(words).out;
            CAPTURE(page);
            for (const std::string& section : {"NAME\n    radd " + command + " - ",
                                               "\nSYNOPSIS\n    radd " + command,
                                               std::string{"\nDESCRIPTION\n    "},
                                               std::string{"\nOPTIONS\n    "},
                                               std::string{"\nSETTINGS\n"},
                                               std::string{"\nEXIT STATUS\n    0   done."},
                                               std::string{"\nENVIRONMENT\n"},
                                               std::string{"\nFILES\n"}})
                CHECK_MESSAGE(contains(page, section), section);
            check_width(page);
        }
        const auto page = must({"import", "csv", "--help"}).out;
        CHECK(contains(page,
                       "\n    --strict\n        stop at the first row that cannot be imported\n"));
    }

    TEST_CASE_FIXTURE(Desk, "wrong usage is told in 80 columns without blanks at the end") {
        for (const Words& words : {Words{"sla", "check", "now"}, {"import", "csv"}, {"import"}}) {
            const auto ran = run(words);
            CHECK(ran.code == 2);
            CHECK(contains(ran.err, "radd " + words[0]));
            check_width(ran.err);
        }
    }
}
