// radd automations …: what an operator sees and does about rules, with and without a host.

#include <memory>
#include <string>

#include <doctest/doctest.h>

#include <tests/support/radd_process.hpp>
#include <tests/support/wait.hpp>

using namespace radd::testing;
using nlohmann::json;

namespace {

constexpr const char* labels = R"({"trigger":{"events":["item.updated"]},
    "then":[{"action":"items.add_label","arguments":{"label":"seen"}}]})";

struct Scene : TestDatabase, Installation {
    Scene() : Installation{static_cast<TestDatabase&>(*this)} {
        ship("items");
        ship("automations");
        must({"migrate"});
        execute(
            "INSERT INTO items.projects (key, name) VALUES ('DEMO', 'Demo');"
            "INSERT INTO items.items (project_id, number, key, type, title, state_id) "
            "VALUES (1, 1, 'DEMO-1', 'Task', 'Printer', 1)");
    }
    std::string add(const std::string& name) {
        return must({"automations", "add", name, labels, "--json"}).json().at("id").dump();
    }
    /// As an application does that is no plugin.
    std::string happen() {
        execute(
            "INSERT INTO radd.events (event_type, entity_type, entity_id, project_id) "
            "VALUES ('item.updated', 'item', '1', 1)");
        return value("SELECT max(id) FROM radd.events WHERE automated_cause IS NULL");
    }
    json list() { return must({"automations", "list", "--json"}).json(); }
};

}  // namespace

TEST_SUITE("radd automations") {
    TEST_CASE_FIXTURE(Scene, "without any says so") {
        CHECK(contains(run({"automations", "list"}).err, "there are no rules"));
        CHECK(list() == json::array());
        CHECK(contains(run({"automations", "runs"}).err, "nothing has run yet"));
        CHECK(must({"automations", "runs", "--json"}).json() == json::array());
    }

    TEST_CASE_FIXTURE(Scene, "a rule lives from add to remove") {
        const auto id = add("label");
        CHECK(must({"automations", "list"}).out == id + "\tlabel\ton\n");
        REQUIRE(list().size() == 1);
        CHECK(list()[0].at("trigger") == json::parse(R"({"events":["item.updated"]})"));
        // By its name or by its id.
        CHECK(must({"automations", "show", "label", "--json"}).json() == list()[0]);
        CHECK(must({"automations", "show", id}).json() == list()[0]);

        CHECK(contains(must({"automations", "disable", "label"}).err, "rule " + id + " is off"));
        CHECK(must({"automations", "list"}).out == id + "\tlabel\toff: switched off\n");
        CHECK(must({"automations", "enable", "label", "--json"}).json() ==
              json{{"id", std::stoi(id)}, {"enabled", true}});
        CHECK(list()[0].at("state") == "on");
        CHECK(contains(must({"automations", "remove", id}).err, "rule " + id + " is gone"));
        CHECK(list().empty());
        CHECK(value("SELECT string_agg(event_type, ' ' ORDER BY id) FROM radd.events") ==
              "automation.rule_created automation.rule_updated automation.rule_updated "
              "automation.rule_deleted");
    }

    TEST_CASE_FIXTURE(Scene, "what test shows is what runs shows when it has run") {
        const auto id = add("label");
        const auto host = serve();
        REQUIRE(eventually([&] { return is_settled(); }));
        const auto event = happen();
        const auto runs = [&] { return must({"automations", "runs", "label", "--json"}).json(); };
        // The label is an update, too: by the rule itself, which the loop guard holds.
        REQUIRE(eventually([&] { return runs().size() == 2; }));
        CHECK(runs()[0].at("outcome") == "stopped");
        const auto run = runs()[1];
        CHECK(run.at("event_id").dump() == event);
        CHECK(run.at("rule_id").dump() == id);
        CHECK(run.at("outcome") == "applied");
        const auto summary = run.at("plan")[0].at("summary").get<std::string>();
        const auto printed = must({"automations", "runs", "label"}).out;
        CHECK(contains(printed, "label\t" + event + "\tapplied"));
        CHECK(contains(printed, "\n    " + summary + "\n"));

        // The label is there by now.
        const auto again = must({"automations", "test", "label", "--event", event, "--json"});
        CHECK(again.json().at("would") == "idle");
        execute("UPDATE items.items SET labels = '{}'");
        CHECK(must({"automations", "test", "label", "--event", event}).out ==
              "apply\nitems.add_label\t" + summary + "\n");
        CHECK(contains(must({"automations", "test", "label"}).out,
                       "pass: the clock does not start it"));
        CHECK(must({"automations", "runs", "--json"}).json() == runs());
        CHECK(runs().size() == 2);
    }

    TEST_CASE_FIXTURE(Scene, "what is wrong is said and changes nothing") {
        (void)add("label");
        for (const char* verb : {"show", "enable", "disable", "remove", "test", "runs"}) {
            CAPTURE(verb);
            const auto unknown = run({"automations", verb, "other"});
            CHECK(unknown.code == 1);
            CHECK(unknown.out.empty());
            CHECK(contains(unknown.err, "there is no rule 'other'"));
            CHECK(contains(unknown.err, "`radd automations list` shows them"));
            CHECK(run({"automations", verb, "label", "more"}).code == 2);
        }
        for (const char* verb : {"show", "enable", "disable", "remove", "test"})
            CHECK(run({"automations", verb}).code == 2);
        CHECK(run({"automations", "list", "all"}).code == 2);
        CHECK(run({"automations", "add", "two"}).code == 2);
        const auto word = run({"automations", "test", "label", "--event", "x"});
        CHECK(word.code == 1);
        CHECK(contains(word.err, "'x' is no number"));
        CHECK(contains(run({"automations", "test", "label", "--event", "99"}).err,
                       "there is no event 99"));
        const auto refusal = [&](const std::string& name, const std::string& rule) {
            const auto refused = run({"automations", "add", name, rule});
            CHECK(refused.code == 1);
            return refused.err;
        };
        CHECK(contains(refusal("two", "{"), "is no JSON"));
        CHECK(contains(refusal("label", labels), "'label' is another rule's"));
        CHECK(contains(refusal("two", R"({"trigger":{"events":["item.updtaed"]},
            "then":[{"action":"items.add_label","arguments":{"label":"seen"}}]})"),
                       "did you mean 'item.updated'?"));
        CHECK(list().size() == 1);
        CHECK(list()[0].at("enabled") == true);
    }
}
